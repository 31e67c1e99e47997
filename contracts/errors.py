"""Named errors. Each says what happened and what a person can do; none ever carries mail text (P23)."""


class DeskhandError(Exception):
    """Base of every error Deskhand raises on purpose."""


class TransientFault(DeskhandError):
    """Worth another try: timeouts, connection faults, 408, 409, 429, 5xx. `retry_after_s` is the provider's wish, if
    any."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DatabaseFault(TransientFault):
    """The database could not do it now; the caller may repeat the same call."""


class LockTimeout(DatabaseFault):
    """Another transaction held a row for longer than the lock time-out."""


class LostRace(DatabaseFault):
    """Another transaction was first: a unique key or a deadlock said so."""


class DatabaseAway(DatabaseFault):
    """Postgres cannot be reached, or has no connection to spare."""


class PermanentFault(DeskhandError):
    """Trying again cannot help: bad key, unknown model, refused content, schema invalid after one repair (P34)."""


class BadApiKey(PermanentFault):
    """The model endpoint refused the key."""


class UnknownModel(PermanentFault):
    """The model endpoint does not know the configured model."""


class SchemaInvalid(PermanentFault):
    """The model's answer did not fit the schema, twice."""


class ContentRefused(PermanentFault):
    """The model refused to answer this content."""


class MalformedMessage(PermanentFault):
    """The stored message cannot be read by this step."""


class SettingsFault(DeskhandError):
    """A setting is missing or out of range; the message names it."""
