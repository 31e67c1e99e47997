"""Starts the endpoint: `python -m offline --port N [--host 127.0.0.1]`."""

import argparse

import uvicorn

from offline.app import create_app

_GRACE_S = 3


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m offline", description="Deskhand's offline model endpoint.")
    parser.add_argument("--port", type=int, required=True, help="the port to listen on")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: loopback only)")
    parser.add_argument(
        "--abstain-margin", type=float, default=None, help="the lead a category must have over the next one, 0 to 1"
    )
    asked = parser.parse_args()
    app = create_app(asked.abstain_margin)
    # The log holds no paths and no bodies: a body is somebody's mail.
    uvicorn.run(
        app, host=asked.host, port=asked.port, access_log=False, log_level="warning", timeout_graceful_shutdown=_GRACE_S
    )


if __name__ == "__main__":
    main()
