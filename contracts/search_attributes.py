"""The one registry of Temporal search attributes (P31), so that workflows, worker and set-up can never disagree.

Values are enums, ids and times, never text. The server keeps at most 8 Keyword, 3 Datetime and 3 Bool of them.
"""

from enum import StrEnum
from typing import Final


class AttributeType(StrEnum):
    """The indexed types Deskhand uses; the value is the name the Temporal UI and command line show."""

    KEYWORD = "Keyword"
    BOOL = "Bool"
    DATETIME = "Datetime"


LIMITS: Final = {AttributeType.KEYWORD: 8, AttributeType.DATETIME: 3, AttributeType.BOOL: 3}

MAILBOX: Final = "Mailbox"
THREAD_ID: Final = "ThreadId"
STAGE: Final = "Stage"
CATEGORY: Final = "Category"
PRIORITY: Final = "Priority"
NEEDS_REVIEW: Final = "NeedsReview"
REVIEW_DUE_AT: Final = "ReviewDueAt"

SEARCH_ATTRIBUTES: Final = {
    MAILBOX: AttributeType.KEYWORD,
    THREAD_ID: AttributeType.KEYWORD,
    STAGE: AttributeType.KEYWORD,
    CATEGORY: AttributeType.KEYWORD,
    PRIORITY: AttributeType.KEYWORD,
    NEEDS_REVIEW: AttributeType.BOOL,
    REVIEW_DUE_AT: AttributeType.DATETIME,
}
