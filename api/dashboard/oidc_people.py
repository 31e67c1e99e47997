"""Which of our people somebody from the identity provider is, and with which role: the first time by verified address,
then by issuer and subject alone."""

from collections.abc import Mapping
from typing import Any

from adapters.oidc_settings import OidcSettings
from adapters.postgres import Transaction
from api.dashboard.people import PeopleRefused, audit, keep_an_admin, set_role
from domain.identity import Identity, IdentityRefused, identity_of, role_of

ACTOR = "identity provider"


async def admitted(tx: Transaction, settings: OidcSettings, claims: Mapping[str, Any]) -> Any:
    """The user's row as it is now; IdentityRefused for whoever may not come in."""
    identity = identity_of(claims, settings.oidc_issuer)
    if settings.oidc_email_domains and identity.domain not in settings.oidc_email_domains:
        raise IdentityRefused("domain")
    role = role_of(claims, settings.oidc_role_claim, settings.oidc_roles, settings.oidc_default_role)
    user = await tx.one("people_identity", identity.issuer, identity.subject, identity.email)
    if user is None:
        user = await _first_time(tx, settings, identity, role)
    if user["disabled_at"] is not None:
        raise IdentityRefused("disabled")
    return await _with_role(tx, settings, user, role)


async def _first_time(tx: Transaction, settings: OidcSettings, identity: Identity, role: str) -> Any:
    """Joins a known person, or adds a new one where a domain is allowed and gives a role."""
    user = await tx.one("people_by_email", identity.email, identity.issuer)
    if user is None:
        user = await _new_person(tx, settings, identity, role)
    elif user["linked"]:
        raise IdentityRefused("other_identity")
    elif user["disabled_at"] is not None:
        raise IdentityRefused("disabled")
    await tx.run("people_identity_add", identity.issuer, identity.subject, user["id"], identity.email)
    await audit(tx, ACTOR, "identity_linked", user["id"], None, {"issuer": identity.issuer})
    return await tx.must("people_identity", identity.issuer, identity.subject, identity.email)


async def _new_person(tx: Transaction, settings: OidcSettings, identity: Identity, role: str) -> Any:
    if not settings.oidc_email_domains:
        raise IdentityRefused("unknown")
    if not role:
        raise IdentityRefused("no_role")
    organisation = await tx.value("people_organisation")
    row = await tx.one("people_add", organisation, identity.email, identity.name, role)
    if row is None:
        raise IdentityRefused("unknown")
    await audit(tx, ACTOR, "user_added", row["id"], None, {"email": identity.email, "role": role})
    return row


async def _with_role(tx: Transaction, settings: OidcSettings, user: Any, role: str) -> Any:
    """With a role claim the provider decides at every sign-in, but never takes the last administrator away."""
    if not settings.oidc_role_claim or role == user["role"]:
        return user
    if not role:
        raise IdentityRefused("no_role")
    if user["role"] == "admin":
        try:
            await keep_an_admin(tx, user["organisation_id"], user["id"])
        except PeopleRefused:
            return user
    await set_role(tx, ACTOR, user, role)
    return {**dict(user), "role": role}
