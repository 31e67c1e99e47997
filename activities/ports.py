"""What activities need of the outside world, as Protocols; concrete adapters arrive through constructors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel

from contracts.delivery import HandOverReport, Outgoing
from contracts.llm import Completion, ModelTask, Prompt, Usage, UsageContext
from contracts.mail import ParsedMail

Row = Mapping[str, Any]
T = TypeVar("T", covariant=True)
M = TypeVar("M", bound=BaseModel)


class Transaction(Protocol):
    """One open transaction; statements go by name, values by position."""

    async def one(self, name: str, *values: Any) -> Row | None: ...
    async def must(self, name: str, *values: Any) -> Row: ...
    async def rows(self, name: str, *values: Any) -> Sequence[Row]: ...
    async def value(self, name: str, *values: Any) -> Any: ...
    async def run(self, name: str, *values: Any) -> int: ...
    async def run_many(self, name: str, values: Iterable[tuple[Any, ...]]) -> None: ...


class Database(Protocol):
    """Opens transactions that say for whom they work."""

    def transaction(
        self, mailboxes: UUID | str | Iterable[UUID] = "*", *, lifecycle: bool = False, timeout_s: float = 10
    ) -> AbstractAsyncContextManager[Transaction]: ...


class Parser(Protocol):
    """Reads raw bytes in a sandbox; raises MalformedMessage where nothing readable comes out."""

    async def parse(
        self,
        raw: bytes,
        raw_kind: str,
        *,
        received_at: datetime,
        envelope_sender: str | None,
        envelope_recipients: tuple[str, ...],
        our_names: tuple[str, ...] = (),
    ) -> tuple[ParsedMail, dict[str, bytes]]: ...


class Blobs(Protocol):
    """Bytes by digest, inside the caller's transaction."""

    async def put(self, tx: Transaction, organisation_id: UUID, sha256: str, content: bytes) -> None: ...
    async def get(self, tx: Transaction, organisation_id: UUID, sha256: str) -> bytes | None: ...


class Answered(Protocol[T]):
    """A parsed model answer and what it cost."""

    @property
    def value(self) -> T: ...
    @property
    def usage(self) -> Usage: ...


class Models(Protocol):
    """The one way to a chat model."""

    async def ask(self, task: ModelTask, prompt: Prompt, schema: type[M], context: UsageContext) -> Answered[M]: ...
    async def write(self, task: ModelTask, prompt: Prompt, context: UsageContext) -> Completion: ...


class Embedder(Protocol):
    """Texts to vectors; None where embeddings are switched off."""

    @property
    def model(self) -> str: ...
    async def embed(self, texts: Sequence[str], context: UsageContext) -> Sequence[Sequence[float]]: ...


class Channel(Protocol):
    """One way out. Where `recognises_repeats`, handing the same bytes over again can never make a second mail."""

    name: str
    recognises_repeats: bool

    async def hand_over(
        self,
        mail: Outgoing,
        *,
        deadline: datetime,
        unproven_since: datetime | None = None,
        on_data_started: Callable[[], None] | None = None,
    ) -> HandOverReport: ...
