"""The settings of signing in through an identity provider of the organisation's own; all empty means: not offered."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from domain.identity import is_loopback_url

Role = Literal["viewer", "reviewer", "admin"]


def _issuer(value: str) -> str:
    if value and not value.startswith("https://") and not is_loopback_url(value):
        raise ValueError("an identity provider has to be reached over https")
    if "?" in value or "#" in value or "@" in value:
        raise ValueError("an issuer has no query, no fragment and no user name")
    return value


def _names(value: Any) -> Any:
    return tuple(n.strip().lower() for n in value.split(",") if n.strip()) if isinstance(value, str) else value


def _mapping(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("this is no JSON") from None


class OidcSettings(BaseSettings):
    """Part of the settings of Deskhand, see there."""

    model_config = SettingsConfigDict(use_attribute_docstrings=True)

    oidc_issuer: Annotated[str, AfterValidator(_issuer)] = ""
    """https://HOST[/PATH] exactly as the identity provider names itself; http on this machine only"""
    oidc_client_id: str = ""
    """the client id that the identity provider gave Deskhand"""
    oidc_client_secret: SecretStr = SecretStr("")
    """the client secret, if the provider gave one"""
    oidc_name: str = ""
    """what the button of the sign-in page calls the provider; unset means its host name"""
    oidc_email_domains: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = ()
    """domains such as example.org,example.com whose people may come in without an invitation"""
    oidc_role_claim: str = ""
    """the claim that holds roles or groups; set, it decides the role at every sign-in"""
    oidc_roles: Annotated[dict[str, Role], NoDecode, BeforeValidator(_mapping)] = Field(default_factory=dict)
    """JSON such as {"support-leads": "admin"}: viewer, reviewer or admin by a value of OIDC_ROLE_CLAIM"""
    oidc_default_role: Literal["", "viewer", "reviewer"] = ""
    """viewer or reviewer for people without a role by their claim; unset keeps them out"""
