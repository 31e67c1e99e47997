"""How long what serves nobody any more is kept; nothing an account or a budget rests on is among it."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class RetentionSettings(BaseSettings):
    """Part of the settings of Deskhand, see there."""

    model_config = SettingsConfigDict(use_attribute_docstrings=True)

    keep_metrics_days: int = Field(default=7, ge=1, le=366)
    """days from 1 to 366 for the numbers of the health page"""
    keep_wakes_days: int = Field(default=7, ge=1, le=366)
    """days from 1 to 366 for wakes that were delivered"""
    keep_errors_days: int = Field(default=90, ge=7, le=3660)
    """days from 7 to 3660 for the words of failures of mails that came to an end"""
    keep_sessions_days: int = Field(default=30, ge=1, le=366)
    """days from 1 to 366 for sessions that ended or were left"""

    def retention(self) -> dict[str, timedelta]:
        """How long each kind of row is kept, by the statement that deletes it."""
        day = timedelta(days=1)
        return {
            "retention_metrics": self.keep_metrics_days * day,
            "retention_wakes": self.keep_wakes_days * day,
            "retention_errors": self.keep_errors_days * day,
            "retention_sessions": self.keep_sessions_days * day,
            "retention_sign_ins": day,
            "retention_budgets": day,
            "retention_presence": day,
        }
