"""Structured logs: one JSON line each, with ids and no bodies; what could hold a text or a secret is dropped (HU10)."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

NEVER = frozenset(
    {
        "body",
        "text",
        "subject",
        "from",
        "to",
        "address",
        "password",
        "token",
        "secret",
        "api_key",
        "authorization",
        "html",
    }
)


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key in NEVER.intersection(event):
        event[key] = "[redacted]"
    return event


def set_up_logging(process: str, level: int = logging.INFO) -> None:
    """Routes structlog and the standard library to one JSON stream on stderr."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for noisy in ("httpx2", "httpcore2", "uvicorn.access", "temporalio.activity"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
