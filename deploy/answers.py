"""The health check of a container: exit code 0 if the address answers with success within three seconds."""

import sys
import urllib.request

TIMEOUT_S = 3


def answers(url: str) -> bool:
    """Whether a GET succeeds; no proxy stands between a container and itself."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=TIMEOUT_S) as response:
            return bool(response.status < 400)
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(0 if answers(sys.argv[1]) else 1)
