"""Which settings the embedded stack decides, and how they reach its children and the dotenv file.

The stack decides addresses, ports and database URLs. Everything else is the operator's. The offline model endpoint
stands in only while neither LLM_API_KEY nor LLM_BASE_URL is set; its lines in the file carry a mark, so that the next
start knows them from the operator's own.
"""

import hashlib
import os
import secrets
from collections.abc import Mapping
from typing import Final

from adapters.settings import PROJECT_ROOT, Settings
from cli.stack.ports import LOOPBACK, StackPorts
from cli.stack.postgres import Postgres
from cli.stack.roles import APP, OWNER
from cli.stack.state import StateDir
from cli.stack.temporal import Temporal

OFFLINE_KEY: Final = "deskhand-offline"
MODEL_NAMES: Final = (
    "LLM_BASE_URL", "LLM_API_KEY", "DESKHAND_OFFLINE_MODEL", "LLM_MODEL_FAST", "LLM_MODEL_CAPABLE",
)  # fmt: skip
OFFLINE_MODELS: Final = ("deskhand-offline-fast", "deskhand-offline-capable")
ORGANISATION_KEY_BYTES: Final = 32
SOURCES: Final = ("contracts", "domain", "workflows", "activities", "adapters", "api", "offline", "worker.py")


def is_offline_mark(values: Mapping[str, str]) -> bool:
    """Whether the model settings of a dotenv file are those that the stack wrote for its own endpoint."""
    return (
        values.get("LLM_API_KEY") == OFFLINE_KEY
        and values.get("DESKHAND_OFFLINE_MODEL") == "true"
        and values.get("LLM_BASE_URL", "").startswith(f"http://{LOOPBACK}:")
    )


def wants_offline_model(file_values: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    """Whether neither the environment nor the operator's lines of the file name a model endpoint (empty is unset)."""
    own = {} if is_offline_mark(file_values) else file_values
    return not any(source.get(name) for source in (own, environment) for name in ("LLM_BASE_URL", "LLM_API_KEY"))


def model_settings(offline: bool, file_values: Mapping[str, str], port: int) -> dict[str, str | None]:
    """The model lines of the file: the offline endpoint, or None to drop lines of an earlier one."""
    if offline:
        values = (f"http://{LOOPBACK}:{port}/v1", OFFLINE_KEY, "true", *OFFLINE_MODELS)
        return dict(zip(MODEL_NAMES, values, strict=True))
    if not is_offline_mark(file_values):
        return {}
    own_models = [name for name in MODEL_NAMES[3:] if file_values.get(name) in OFFLINE_MODELS]
    return dict.fromkeys([*MODEL_NAMES[:3], *own_models])


def decided_settings(state: StateDir, ports: StackPorts, postgres: Postgres, temporal: Temporal) -> dict[str, str]:
    """What the stack decides by itself, by variable name; kept values of the file win where a change would harm."""
    kept = state.environment()
    return {
        **{name: str(port) for name, port in ports.named().items()},
        "DATABASE_URL": postgres.url(APP),
        "DATABASE_OWNER_URL": postgres.url(OWNER),
        "TEMPORAL_ADDRESS": temporal.address,
        "TEMPORAL_NAMESPACE": temporal.namespace,
        "TEMPORAL_UI_URL": f"http://{LOOPBACK}:{ports.temporal_ui_port}",
        "FILE_CHANNEL_DIR": kept.get("FILE_CHANNEL_DIR") or str(state.path / "outbox"),
        "ORGANISATION_KEY": kept.get("ORGANISATION_KEY") or secrets.token_hex(ORGANISATION_KEY_BYTES),
        "BUILD_ID": os.environ.get("BUILD_ID") or source_digest(),
    }


def child_environment(state: StateDir, decided: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of API, worker and offline endpoint: ours wins over the inherited one, the owner stays out."""
    values = {name: value for name, value in decided.items() if value is not None and name != "DATABASE_OWNER_URL"}
    fixed = {"API_HOST": LOOPBACK, "DESKHAND_ENV_FILE": str(state.env_file), "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **values, **fixed}


def checked_settings(state: StateDir, decided: Mapping[str, str | None]) -> Settings:
    """All settings as the children will see them; SettingsFault before anything starts."""
    values = {name.lower(): value for name, value in decided.items() if value is not None}
    return Settings(_env_file=state.env_file if state.env_file.is_file() else None, **values)


def source_digest() -> str:
    """A name of the code as it stands on disk, for the build fence (D8): 12 hex digits."""
    digest = hashlib.sha256()
    for name in SOURCES:
        root = PROJECT_ROOT / name
        for file in sorted([*root.rglob("*.py"), *root.rglob("*.sql")]) if root.is_dir() else [root]:
            if file.is_file():
                digest.update(file.relative_to(PROJECT_ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
