"""What a model's endpoint accepts, learned from what it declines, so that any chat-completions endpoint can be used."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters.llm.structured import Structured

_WEAKER = {Structured.JSON_SCHEMA: Structured.JSON_OBJECT, Structured.JSON_OBJECT: Structured.NONE}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters one model takes; reasoning models decline `max_tokens` and any temperature."""

    structured: Structured = Structured.JSON_SCHEMA
    length_parameter: str = "max_tokens"
    takes_temperature: bool = True

    def without(self, parameter: str) -> "Dialect | None":
        """The next weaker dialect after the endpoint declined a parameter, None if there is none."""
        if parameter == "response_format" and self.structured in _WEAKER:
            return replace(self, structured=_WEAKER[self.structured])
        if parameter == "max_tokens" and self.length_parameter == "max_tokens":
            return replace(self, length_parameter="max_completion_tokens")
        if parameter == "temperature" and self.takes_temperature:
            return replace(self, takes_temperature=False)
        return None


class Dialects:
    """The dialects learned so far, per model and schema: an endpoint may decline one schema and take another."""

    def __init__(self, known: Mapping[str, Dialect] | None = None) -> None:
        self._by_model = dict(known or {})
        self._by_schema: dict[tuple[str, str], Dialect] = {}

    def of(self, model: str, schema: str) -> Dialect:
        """The dialect to use now; an unknown model is asked in the strongest one."""
        return self._by_schema.get((model, schema)) or self._by_model.get(model) or Dialect()

    def learn(self, model: str, schema: str, used: Dialect, parameter: str) -> bool:
        """Take in that `used` was declined for `parameter`; False if nothing is left to give up.

        A call that ran beside the one that taught us must not weaken the dialect a second time.
        """
        if self.of(model, schema) != used:
            return True
        weaker = used.without(parameter)
        if weaker is None:
            return False
        self._by_schema[model, schema] = weaker
        return True
