"""What somebody pastes into a shell to see mail arrive: a trial mail, signed with openssl and posted with curl.

The text needs a POSIX shell, openssl and curl and nothing else, so that it runs on the machine that will send the mail.
"""

import json
import shlex

PLACE_OF_SECRET = "paste-the-secret-here"


def shell_text(kind: str, name: str, base_url: str, to: str, secret: str = PLACE_OF_SECRET) -> str:
    """The commands for one source; without a secret they hold a place for it."""
    return (_raw if kind == "raw" else _mta)(name, base_url, to, secret)


def webhook_url(kind: str, name: str, base_url: str) -> str:
    """Where the source posts to."""
    return f"{base_url}/webhooks/mta" if kind == "mta" else f"{base_url}/webhooks/raw/{name}"


def _raw(name: str, base_url: str, to: str, secret: str) -> str:
    """Standard Webhooks 1.0 over message/rfc822; the key goes to openssl in hex, because it may hold any byte."""
    lines = ("From: Anna Example <anna@example.org>", f"To: {to}", "Subject: A trial")
    head = " \\\n  ".join(shlex.quote(line) for line in lines)
    return f"""\
SECRET={shlex.quote(secret)}
MAIL=$(mktemp)
printf '%s\\r\\n' {head} \\
  "Message-ID: <$(openssl rand -hex 12)@example.org>" \\
  '' 'Hello, does this mail arrive?' > "$MAIL"
ID=evt-$(openssl rand -hex 12)
NOW=$(date +%s)
KEY=$(printf '%s' "${{SECRET#whsec_}}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
SIGNATURE=$({{ printf '%s.%s.' "$ID" "$NOW"; cat "$MAIL"; }} |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
curl -sS -i {shlex.quote(webhook_url("raw", name, base_url))} \\
  -H 'content-type: message/rfc822' -H "webhook-id: $ID" -H "webhook-timestamp: $NOW" \\
  -H "webhook-signature: v1,$SIGNATURE" --data-binary "@$MAIL"
rm "$MAIL"
"""


def _mta(name: str, base_url: str, to: str, secret: str) -> str:
    """Generic JSON; the signature is hex over `<timestamp>.<body>`."""
    payload = {"from": "anna@example.org", "to": to, "subject": "A trial", "textBody": "Hello, does this mail arrive?"}
    event = json.dumps({"event": "inbound.received", "message": "A trial", "inboundPayload": payload})
    return f"""\
SECRET={shlex.quote(secret)}
NOW=$(date +%s)
BODY={shlex.quote(event)}
SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
curl -sS -i {shlex.quote(webhook_url("mta", name, base_url))} \\
  -H 'content-type: application/json' -H "x-mta-timestamp: $NOW" \\
  -H "x-mta-signature: $SIGNATURE" --data-binary "$BODY"
"""
