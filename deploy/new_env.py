"""Makes `.env` from `.env.example` with fresh secrets, for docker-compose; it never touches a file that is there."""

import os
import re
import secrets
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SECRET_BYTES: Final = 32
# A secret that stands alone on its line, or the empty password of a URL.
EMPTY_SECRET: Final = re.compile(
    r"^(POSTGRES_PASSWORD=|TEMPORAL_DB_PASSWORD=|ORGANISATION_KEY=|\w+_URL=\w+://\w+:)(?=$|@)", re.MULTILINE
)


def with_secrets(example: str) -> str:
    """The text of the example, a fresh secret in every empty place."""
    return EMPTY_SECRET.sub(lambda place: place[1] + secrets.token_hex(SECRET_BYTES), example)


def main(folder: Path = ROOT) -> int:
    """Writes `.env`, readable by its owner only; 1 if there is one."""
    target = folder / ".env"
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        print(f"{target} is there already; nothing was changed.", file=sys.stderr)
        return 1
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(with_secrets((ROOT / ".env.example").read_text(encoding="utf-8")))
    print(f"{target} made. Fill in the mailbox, the model endpoint and the mail relay.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
