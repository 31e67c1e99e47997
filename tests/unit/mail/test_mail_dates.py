"""The Date header (MI20, C28)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.dates import plausible_date
from tests.unit.mail.mail_corpus import CORPUS, RECEIVED, parsed


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 1 Jun 2026 10:00:00 +0200",
        "1 Jun 2026 08:00 GMT",
        "Mon, 1 Jun 2026 08:00:00 -0000 (no zone)",
        "Mon, 01 Jun 2026 01:00:00 PDT",
        "2026-06-01T10:00:00+02:00",
        "2026-06-01T08:00:00",
    ],
)
def test_a_plausible_date_is_in_utc(text: str) -> None:
    """Zones by number and name, obsolete forms and ISO 8601 give the same moment (MI20)."""
    assert plausible_date(text, RECEIVED) == datetime(2026, 6, 1, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 31 Jun 2026 10:00:00 +0000",
        "Mon, 1 Jun 101 10:00:00 +0000",
        "Mon, 1 Jun 2020 10:00:00 +0000",
        "Mon, 8 Jun 2026 12:00:01 +0000",
        "Mon, 1 Jun 2026 10:00:00 +9999",
        "Mon, 1 Jun 99999999999999999999 1:1:1",
        "9" * 5_000,
        "yesterday",
        "",
    ],
)
def test_an_implausible_date_is_unknown(text: str) -> None:
    """A day that does not exist, the year 101 or a clock more than 7 days off is no date (MI20, C28)."""
    assert plausible_date(text, RECEIVED) is None


def test_the_original_date_is_kept() -> None:
    """C28: the date is unknown, the words of the header stay, and the doubt is named."""
    shown = parsed(CORPUS["bad date"])
    assert (shown.date, shown.date_raw) == (None, "Fri, 31 Jun 2026 10:00:00 +0000")
    assert "date_implausible" in shown.defects
    assert "date_missing" in parsed(b"From: a@x.example\r\n\r\nx").defects


def test_a_naive_clock_is_taken_as_utc() -> None:
    """A caller without a zone does not break the parser (MI2)."""
    assert plausible_date("Mon, 1 Jun 2026 10:00:00 +0000", datetime(2026, 6, 1)) is not None


@given(st.text(st.sampled_from("0123456789 +-:,JunMoTZ"), max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    """No text raises (MI2)."""
    found = plausible_date(text, RECEIVED)
    assert found is None or found.tzinfo is not None
