"""Mail of customers for the fault tests. Its words are planted, to be looked for where they must not be."""

import itertools
import uuid

MAILBOX = "support@shop.example"
PLANTED = ("quillfeather", "marmalade", "chrysanthemum", "thank you for asking")
_numbers = itertools.count(1)


def mail(*, message_id: str = "", body: str = "", **headers: str) -> bytes:
    """A mail of a customer nobody knows, holding the PLANTED words of sender, subject and body."""
    number = next(_numbers)
    lines = {
        "From": f"quillfeather{number}@kunde.example",
        "To": MAILBOX,
        "Subject": f"Where is my marmalade, order {number}?",
        "Message-ID": message_id or f"<{uuid.uuid4()}@kunde.example>",
        "Date": "Mon, 30 Nov 2026 20:00:00 +0000",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{head}\r\n{body or 'Hello, I ordered a chrysanthemum. Where is it?'}\r\n".encode()
