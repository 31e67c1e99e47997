"""The REST API as the command line uses it: one client, its errors as sentences a person can act on (P100)."""

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2

from cli.access import API_TOKEN, Access
from cli.tables import moment_words
from contracts.errors import DeskhandError

PAGE: Final = 100
SAME_AGAIN: Final = 3


class ApiRefused(DeskhandError):
    """The API said no; the message is its own sentence, with who and what is current where it says so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Api:
    """Calls as the person whose token it is. An action has one request id, so that its repeat is the same action."""

    def __init__(self, access: Access, http: httpx2.AsyncClient) -> None:
        self._access = access
        self._http = http

    async def get(self, path: str, **query: Any) -> Any:
        """The JSON at a path; ApiRefused or NotThere otherwise."""
        given = {name: value for name, value in query.items() if value is not None}
        return await self._answer("GET", path, params=given)

    async def put(self, path: str, body: Mapping[str, Any]) -> Any:
        """Set what stands at a path; ApiRefused or NotThere otherwise."""
        return await self._answer("PUT", path, json=dict(body))

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Ask for something once; ApiRefused or NotThere otherwise."""
        return await self._answer("POST", path, json=dict(body))

    async def act(self, message_id: str, action: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask for one action on a message. A 503 or a cut line is repeated with the same request id (P100)."""
        path, headers = f"/api/messages/{message_id}/{action}", {"Idempotency-Key": str(uuid.uuid4())}
        for _ in range(SAME_AGAIN - 1):
            try:
                return await self._answer("POST", path, json=dict(body or {}), headers=headers)
            except ApiRefused as refused:
                if refused.status != 503:
                    raise
        return await self._answer("POST", path, json=dict(body or {}), headers=headers)

    async def _answer(self, method: str, path: str, **request: Any) -> Any:
        try:
            response = await self._http.request(method, path, **request)
        except httpx2.ConnectError:
            raise self._access.not_there() from None
        except httpx2.TransportError as error:
            raise ApiRefused(503, f"{self._access.url} does not answer ({type(error).__name__}).") from None
        if response.is_success:
            return response.json()
        raise ApiRefused(response.status_code, words_of(response))


@asynccontextmanager
async def open_api(access: Access) -> AsyncIterator[Api]:
    """A client with the token of the environment or of the state folder."""
    async with access.client({"Authorization": f"Bearer {access.secret(API_TOKEN)}"}) as http:
        yield Api(access, http)


def words_of(response: httpx2.Response) -> str:
    """An error answer as a sentence: what it says, who did it, and what is current."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("message"), str):
        return f"{response.url} answers {response.status_code}. Is that the API of Deskhand?"
    return " ".join([answer["message"], *_circumstances(answer)])


def _circumstances(answer: Mapping[str, Any]) -> list[str]:
    who = answer.get("by_name") or answer.get("by")
    return [
        f"{words}." for words in (
            f"By {who}" + (f" at {moment_words(answer['at'])}" if answer.get("at") else "") if who else "",
            f"Now: {answer['status']}" if answer.get("status") else "",
            f"Current revision: {answer['current_revision']}" if answer.get("current_revision") is not None else "",
            f"Newer mail: {answer['newer_message_id']}" if answer.get("newer_message_id") else "",
        ) if words
    ]  # fmt: skip
