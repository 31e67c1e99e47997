"""From a chat request to its answer: read the blocks, pick the task by the wanted shape, and word the result."""

from dataclasses import replace
from typing import Any

import orjson

from offline.blocks import Block, blocks_of, named
from offline.briefing import Briefing, briefing_of, mail_of
from offline.claims import claims_in
from offline.classify import Classifier
from offline.embedder import Embedder
from offline.faults import unsupported
from offline.guard import verdict_on
from offline.reply import Writer
from offline.selfcheck import check
from offline.shapes import PLAIN, fitted, shape_of
from offline.summary import summary_of
from offline.wire import ChatRequest
from offline.wishes import wishes_in
from offline.words import folded

_HIDDEN = "hidden_text"
_SUMMARY_CUE = " summar"


class Tasks:
    """Answers chat requests; holds the model and nothing of any request."""

    def __init__(self, embedder: Embedder, margin: float | None = None) -> None:
        self._embedder = embedder
        self._classifier = Classifier(embedder, margin)
        self._writer = Writer(embedder, self._classifier)

    def answer(self, request: ChatRequest) -> str:
        """The text of the completion. Raises EndpointError 422 for what this endpoint cannot do."""
        if request.tools:
            raise unsupported("call tools", "tools")
        if (request.n or 1) > 1:
            raise unsupported("give several choices", "n")
        shape = shape_of(request)
        material = _Material(request)
        if shape == PLAIN:
            return self._plain(request.system, material)
        return orjson.dumps(fitted(self._shaped(shape, request.system, material), request)).decode()

    def _shaped(self, shape: str, system: str, material: "_Material") -> dict[str, Any]:
        if shape == "guard_verdict":
            return verdict_on(material.everything, self._embedder, hidden=material.hidden)
        if shape == "classify_answer":
            return self._classifier.answer(material.briefing.mail)
        if shape == "self_check":
            return check(material.briefing, material.draft, material.context, self._embedder)
        if shape == "extract_answer":
            return {"claims": claims_in(material.everything)}
        if shape == "draft_options":
            return self._writer.options(material.briefing, wishes_in(system), material.draft)
        return self._writer.reply(material.briefing, wishes_in(system))

    def _plain(self, system: str, material: "_Material") -> str:
        if _SUMMARY_CUE in folded(system):
            return summary_of(material.everything, self._embedder)
        return str(self._writer.reply(material.briefing, wishes_in(system))["reply"])


class _Material:
    """The third-party text of a request, by its blocks; without any block the whole user text is the message."""

    def __init__(self, request: ChatRequest) -> None:
        self.blocks = blocks_of(request.user) or (Block("message", request.user),)

    @property
    def context(self) -> str:
        return named(self.blocks, "context", "message") or self.everything

    @property
    def draft(self) -> str:
        return named(self.blocks, "draft") or ""

    @property
    def hidden(self) -> bool:
        return all(block.name == _HIDDEN for block in self.blocks)

    @property
    def everything(self) -> str:
        return "\n\n".join(block.text for block in self.blocks)

    @property
    def briefing(self) -> Briefing:
        """The message and what is known; a `message` block beside the context is the message to judge."""
        context, message = named(self.blocks, "context"), named(self.blocks, "message")
        if context is None:
            return briefing_of(self.context)
        briefing = briefing_of(context)
        return briefing if message is None else replace(briefing, mail=mail_of(message))
