"""Asks for pages as a signed-in reviewer, one after the other, and notes how long each answer took."""

import re
import time
from collections.abc import Sequence

import httpx2

from bench.outcome import BenchFailed

TOKEN = re.compile(r'name="csrf" value="(\w+)"')
WARM_UP = 3


class Reader:
    """One person with a session; times are seconds from the request to the last byte, over loopback."""

    def __init__(self, url: str) -> None:
        self._http = httpx2.Client(base_url=url, timeout=60, trust_env=False)

    def close(self) -> None:
        """Ends the connection."""
        self._http.close()

    def sign_in(self, email: str, password: str) -> None:
        """Through the form; BenchFailed where it is refused."""
        token = TOKEN.search(self._http.get("/dashboard/sign-in").text)
        form = {"csrf": token[1] if token else "", "email": email, "password": password}
        answer = self._http.post("/dashboard/sign-in", data=form, headers={"sec-fetch-site": "same-origin"})
        if answer.status_code != 303:
            raise BenchFailed(f"signing in was answered with {answer.status_code}")

    def timed(self, path: str) -> float:
        """Seconds of one page; BenchFailed for anything but the page."""
        began = time.perf_counter()
        answer = self._http.get(path)
        took = time.perf_counter() - began
        if answer.status_code != 200:
            raise BenchFailed(f"{path} was answered with {answer.status_code}")
        return took

    def all_of(self, paths: Sequence[str], times: int) -> list[float]:
        """Every address in turn, `times` requests in all, after a few that do not count."""
        for path in paths[:WARM_UP]:
            self.timed(path)
        return [self.timed(paths[n % len(paths)]) for n in range(times)]
