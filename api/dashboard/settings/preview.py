"""What tone and signature do: the lines the model is told, word for word, and how a reply then ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from api.dashboard.rendering import respond
from api.dashboard.visit import Visit
from api.dashboard.words import Words
from domain.prompts.draft import signature_line, tone_line

LONGEST = 2000


@dataclass(frozen=True)
class Preview:
    """`told` are lines of the prompt, `reply` is a sample; both are plain text and escaped by the template."""

    told: tuple[str, ...]
    reply: str


def preview_of(words: Words, values: Mapping[str, Any]) -> Preview:
    """The preview of what stands in the form."""
    tone, signature = (str(values.get(n, ""))[:LONGEST] for n in ("tone_description", "signature_template"))
    return Preview((tone_line(tone), signature_line(signature)), _sample(words, signature.strip()))


def _sample(words: Words, signature: str) -> str:
    return "\n\n".join(part for part in (words("settings.preview.sample"), signature) if part)


async def preview_page(visit: Visit) -> Response:
    """Only the preview, for the page that asks while somebody types."""
    visit.who.require("admin", role="admin")
    values = {name: visit.form.get(name) for name in ("tone_description", "signature_template")}
    return respond("settings_preview.html", visit.words, 200, preview=preview_of(visit.words, values))
