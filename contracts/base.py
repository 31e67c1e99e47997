"""The base of every model that crosses a boundary, so that all of them are frozen and strict about unknown fields."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen value; unknown fields are refused, so that a renamed field fails at the boundary and not later."""

    model_config = ConfigDict(frozen=True, extra="forbid")
