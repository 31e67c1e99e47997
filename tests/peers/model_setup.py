"""What a test of the model seam needs beside an endpoint: settings by attribute and a ledger in memory."""

from dataclasses import dataclass, field

from adapters.llm.ledger import MeteredUsage
from contracts.llm import UsageContext

CONTEXT = UsageContext(mailbox_id="mailbox-1", message_id="message-1", run_no=1, step="classify")


@dataclass
class PeerSettings:
    """The model settings as attributes; everything is unset unless a test says otherwise."""

    llm_base_url: object = ""
    llm_api_key: object = ""
    llm_model: object = ""
    llm_model_fast: object = ""
    llm_model_capable: object = ""
    llm_embedding_model: object = ""
    llm_prices: object = field(default_factory=dict)


class RecordingSink:
    """Keeps every ledger row in order of writing."""

    def __init__(self) -> None:
        self.rows: list[MeteredUsage] = []
        self.contexts: list[UsageContext] = []

    async def record(self, usage: MeteredUsage, context: UsageContext) -> None:
        """Keep one row."""
        self.rows.append(usage)
        self.contexts.append(context)

    @property
    def outcomes(self) -> list[str]:
        """The outcome of each row."""
        return [row.outcome for row in self.rows]
