"""A small program that stands in for API, worker or offline endpoint: answers HTTP on a port, notes how it ends.

Run as `python stand_in.py PORT NAME`; its ends are appended to the file that STAND_IN_JOURNAL names.
"""

import http.server
import os
import signal
import sys
from types import FrameType


class Answer(http.server.BaseHTTPRequestHandler):
    """200 to everything."""

    def do_GET(self) -> None:  # noqa: N802 -- the name is http.server's
        """Answer with one word."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"here")


def note(line: str) -> None:
    """Append a line for the test to read."""
    with open(os.environ["STAND_IN_JOURNAL"], "a", encoding="utf-8") as journal:
        journal.write(line + "\n")


def main(port: int, name: str) -> None:
    """Serve until SIGTERM."""

    def leave(number: int, frame: FrameType | None) -> None:
        note(f"{name} stopped")
        sys.exit(0)

    signal.signal(signal.SIGTERM, leave)
    note(f"{name} started {os.getpid()}")
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
