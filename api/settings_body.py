"""The settings of a mailbox with the ranges of P112; the columns have the same limits, this says them by name."""

from datetime import time
from decimal import Decimal
from typing import Annotated, Any
from zoneinfo import available_timezones

import holidays
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_TIMEZONES = available_timezones()


def _zone(value: str) -> str:
    if value and value not in _TIMEZONES:
        raise ValueError("this is no IANA time zone")
    return value


def _region(value: str) -> str:
    """ISO 3166: a country (`DE`) or a subdivision (`DE-BY`) whose holidays are known."""
    country, _, subdivision = value.partition("-")
    known = holidays.list_supported_countries()
    if value and (country not in known or (subdivision and subdivision not in known[country])):
        raise ValueError("this is no country or subdivision whose holidays are known")
    return value


def _plain(value: str) -> str:
    if "\x00" in value:
        raise ValueError("a text cannot hold NUL")
    return value


def _distinct(days: list[int]) -> list[int]:
    if len(set(days)) != len(days):
        raise ValueError("a day is named twice")
    return sorted(days)


def _whole_minutes(value: time) -> time:
    if value.tzinfo is not None:
        raise ValueError("a time of day without a zone; the zone is working_hours_zone")
    return value


Words = Annotated[str, Field(max_length=2000), AfterValidator(_plain)]
Percent = Annotated[Decimal, Field(ge=0, le=1, max_digits=3, decimal_places=2)]
Milliseconds = Annotated[int, Field(ge=0, le=120_000)]
Rate = Annotated[int, Field(ge=1, le=100_000)]
Usd = Annotated[Decimal, Field(ge=0, lt=100_000_000, decimal_places=4)]
Region = Annotated[str, Field(max_length=10), AfterValidator(_region)]
TimeOfDay = Annotated[time, AfterValidator(_whole_minutes)]
Counter = Annotated[int, Field(ge=0, le=2_000_000_000)]


class ConfigBody(BaseModel):
    """Every field is optional; unknown ones are refused. Null means "off" where a setting can be off."""

    model_config = ConfigDict(extra="forbid")

    is_auto_reply_enabled: bool = False
    confidence_threshold: Percent = Decimal("0.80")
    max_daily_auto_replies: Counter = 100
    tone_description: Words = ""
    signature_template: Words = ""
    coalesce_window_ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    human_undo_ms: Milliseconds = 15_000
    auto_send_delay_ms: Milliseconds = 60_000
    retry_after_s: Annotated[int, Field(ge=10, le=86_400)] = 300
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    review_due_after_s: Annotated[int, Field(ge=60, le=31_536_000)] = 14_400
    audit_rate: Annotated[Decimal, Field(ge=Decimal("0.05"), le=Decimal("0.10"), decimal_places=2)] = Decimal("0.05")
    require_sender_auth: bool = True
    working_hours_enabled: bool = False
    working_hours_zone: Annotated[str, Field(max_length=64), AfterValidator(_zone)] = ""
    working_hours_days: Annotated[
        list[Annotated[int, Field(ge=1, le=7)]], Field(max_length=7), AfterValidator(_distinct)
    ] = [1, 2, 3, 4, 5]
    working_hours_start: TimeOfDay = time(9)
    working_hours_end: TimeOfDay = time(17)
    holidays_region: Region = ""
    daily_budget_usd: Usd | None = None
    monthly_budget_usd: Usd | None = None
    sender_rate_per_min: Rate = 10
    sender_burst: Rate = 20
    mailbox_rate_per_min: Rate = 60
    mailbox_burst: Rate = 120
    knowledge_entry_limit: Annotated[int, Field(ge=0, le=50)] = 10
    file_limit: Annotated[int, Field(ge=0, le=20)] = 3
    graph_retrieval: bool = False
    voice_examples: bool = True
    thread_close_after_days: Annotated[int, Field(ge=1, le=3_650)] = 90

    @model_validator(mode="before")
    @classmethod
    def _something(cls, value: Any) -> Any:
        if isinstance(value, dict) and not value:
            raise ValueError("name at least one setting")
        return value
