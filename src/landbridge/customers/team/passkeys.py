"""Passkeys: a device that the member unlocks signs a challenge (WebAuthn, level 3).

Guarantees:
- a passkey counts as both factors: it is rejected unless the device has verified the person;
- a challenge is 512 random bits, stored as a hash, valid for five minutes, once, and only for the
  browser that requested it; the site is defined by the settings, never by a request;
- a signature counter that decreases is rejected, because it indicates a copied key.

The worker removes obsolete data of members periodically, expired challenges among them.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address as parse_ip
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit
from uuid import UUID

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509 import InvalidVersion
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    parse_authentication_credential_json,
    parse_client_data_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from landbridge.customers.team import link_store, passkey_store, session_store, store
from landbridge.customers.team.errors import PasskeyRefused, SignInRefused
from landbridge.customers.team.login_rate_limit import AttemptSubject, LoginRateLimit, network_of
from landbridge.customers.team.model import ChangeAuthor, email_hash
from landbridge.customers.team.passkey_store import Passkey, PasskeyCredential
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller

__all__ = ["Passkey", "Passkeys"]

_LIFETIME: Final = timedelta(minutes=5)
_PASSKEYS_MAX: Final = 20
# Longest credential id (WebAuthn level 3, section 4).
_ID_BYTES_MAX: Final = 1023
_RP_NAME: Final = "Landbridge"
_PORTS: Final = {"http": 80, "https": 443}
# Exceptions of the library, its JSON parser and its certificate parser for malformed input.
_INVALID: Final = (
    WebAuthnException,
    UnsupportedAlgorithm,
    InvalidVersion,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RecursionError,
)


class Passkeys:
    """Passkeys of all members."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        members: Team,
        sessions: Sessions,
        throttle: LoginRateLimit,
        base_url: str,
    ) -> None:
        self._database = database
        self._clock = clock
        self._members = members
        self._sessions = sessions
        self._throttle = throttle
        parts = urlsplit(base_url)
        self._rp_id = parts.hostname or ""
        self._origin = _origin(parts)
        self._is_secure = parts.scheme == "https" or self._rp_id == "localhost"

    @property
    def are_possible(self) -> bool:
        """Return whether browsers permit passkeys: needs a host name, https or `localhost`."""
        return self._is_secure and not _is_ip(self._rp_id)

    async def of(self, caller: Caller) -> Sequence[Passkey]:
        """Return the caller's own passkeys, oldest first."""
        return await self._database.single(
            lambda tx: passkey_store.of(tx, caller.org_id, caller.id)
        )

    async def registration(self, caller: Caller, *, browser: str) -> Mapping[str, Any]:
        """Return options for `navigator.credentials.create`; `browser` is the browser's secret."""
        person = await self._members.get(caller.org_id, caller.id)
        known = await self.of(caller)
        _check_many(known)
        options = generate_registration_options(
            rp_id=self._rp_id,
            rp_name=_RP_NAME,
            user_id=caller.id.bytes,
            user_name=person.email,
            user_display_name=person.name,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=each.credential_id) for each in known
            ],
        )
        await self._note(options.challenge, browser)
        return json.loads(options_to_json(options))

    async def register(
        self, caller: Caller, credential: Mapping[str, Any], *, name: str, browser: str
    ) -> Passkey:
        """Store a passkey that a device has created; raise `PasskeyRefused` if it is invalid."""
        checked, by = check_text("name", name), ChangeAuthor.caller(caller)
        try:
            parsed = parse_registration_credential_json(dict(credential))
            challenge = parse_client_data_json(parsed.response.client_data_json).challenge
            await self._take(challenge, browser)
            verified = verify_registration_response(
                credential=parsed,
                expected_challenge=challenge,
                expected_rp_id=self._rp_id,
                expected_origin=self._origin,
                require_user_verification=True,
            )
        except _INVALID as error:
            raise PasskeyRefused from error
        if len(verified.credential_id) > _ID_BYTES_MAX:
            raise PasskeyRefused
        now, passkey_id = self._clock.now(), new_id()
        found = PasskeyCredential(
            by.org_id, passkey_id, caller.id, verified.credential_public_key, verified.sign_count
        )

        async def work(tx: Tx) -> None:
            account = await store.lock(tx, by.org_id, caller.id)
            if account is None:
                raise SignInRefused
            _check_many(await passkey_store.of(tx, by.org_id, caller.id))
            credential_id = verified.credential_id
            if not await passkey_store.add(
                tx, found, credential_id=credential_id, name=checked, at=now
            ):
                raise PasskeyRefused("this passkey is here already")
            await self._members.record_own_change(tx, by, caller.id, "passkey_add")
            await self._members.warn(tx, account.person, "passkey_add")

        await self._database.transact(work)
        return Passkey(passkey_id, checked, verified.credential_id, now, None)

    async def rename(self, caller: Caller, passkey_id: UUID, name: str) -> None:
        """Rename one of the member's own passkeys."""
        checked = check_text("name", name)
        await self._change(
            caller,
            "passkey_rename",
            lambda tx: passkey_store.rename(tx, caller.org_id, passkey_id, caller.id, checked),
        )

    async def remove(self, caller: Caller, passkey_id: UUID) -> None:
        """Delete one of the caller's own passkeys."""
        await self._change(
            caller,
            "passkey_remove",
            lambda tx: passkey_store.remove(tx, caller.org_id, passkey_id, caller.id),
        )

    async def authentication(self, *, browser: str, ip_address: str | None) -> Mapping[str, Any]:
        """Return options for `navigator.credentials.get`, for any visitor.

        Raises `TooManyAttempts`.
        """
        await self._throttle.take(AttemptSubject.CHALLENGE, network_of(ip_address))
        options = generate_authentication_options(
            rp_id=self._rp_id, user_verification=UserVerificationRequirement.REQUIRED
        )
        await self._note(options.challenge, browser)
        return json.loads(options_to_json(options))

    async def sign_in(
        self,
        credential: Mapping[str, Any],
        *,
        browser: str,
        ip_address: str | None,
        browser_name: str | None,
    ) -> str:
        """Start a session with both factors verified; return the value of its cookie.

        Raises `PasskeyRefused` and `TooManyAttempts`.
        """
        network = network_of(ip_address)
        await self._throttle.take(AttemptSubject.PASSKEY, network)
        now = self._clock.now()
        found, sign_count = await self._verified(credential, browser)

        async def work(tx: Tx) -> str:
            account = await store.lock(tx, found.org_id, found.member_id)
            if account is None or not await passkey_store.use(tx, found, sign_count, now):
                raise PasskeyRefused
            return await self._sessions.begin(
                tx,
                found.org_id,
                found.member_id,
                is_verified=True,
                ip_address=ip_address,
                browser=browser_name,
                clock_offset=account.clock_offset,
            )

        secret = await self._database.transact(work)
        await self._throttle.give_back(AttemptSubject.PASSKEY, network)
        await self._throttle.give_back(AttemptSubject.CHALLENGE, network)
        return secret

    async def sweep(self) -> None:
        """Delete expired challenges."""
        now = self._clock.now()
        await self._database.single(lambda tx: passkey_store.sweep(tx, now))

    async def _verified(
        self, credential: Mapping[str, Any], browser: str
    ) -> tuple[PasskeyCredential, int]:
        try:
            parsed = parse_authentication_credential_json(dict(credential))
            challenge = parse_client_data_json(parsed.response.client_data_json).challenge
            await self._take(challenge, browser)
            found = await self._database.single(lambda tx: passkey_store.find(tx, parsed.raw_id))
            if found is None:
                raise PasskeyRefused
            user_handle = parsed.response.user_handle
            if user_handle is not None and user_handle != found.member_id.bytes:
                raise PasskeyRefused
            verified = verify_authentication_response(
                credential=parsed,
                expected_challenge=challenge,
                expected_rp_id=self._rp_id,
                expected_origin=self._origin,
                credential_public_key=found.public_key,
                credential_current_sign_count=found.sign_count,
                require_user_verification=True,
            )
        except _INVALID as error:
            raise PasskeyRefused from error
        return found, verified.new_sign_count

    async def _note(self, challenge: bytes, browser: str) -> None:
        expires_at = self._clock.now() + _LIFETIME
        hashes = sha256(challenge).digest(), sha256(browser.encode()).digest()
        await self._database.single(lambda tx: passkey_store.add_challenge(tx, *hashes, expires_at))

    async def _take(self, challenge: bytes, browser: str) -> None:
        """Consume a challenge before its response is verified; raise `PasskeyRefused`."""
        at = self._clock.stamp()
        hashes = sha256(challenge).digest(), sha256(browser.encode()).digest()
        if not await self._database.single(
            lambda tx: passkey_store.take_challenge(tx, *hashes, at)
        ):
            raise PasskeyRefused

    async def _change(
        self, caller: Caller, change_type: str, change: Callable[[Tx], Awaitable[bool]]
    ) -> None:
        by = ChangeAuthor.caller(caller)

        async def work(tx: Tx) -> None:
            account = await store.lock(tx, by.org_id, caller.id)
            if account is None or not await change(tx):
                raise ResourceNotFound("there is no such passkey of yours")
            await self._members.record_own_change(tx, by, caller.id, change_type)
            await self._members.warn(tx, account.person, change_type)

        await self._database.transact(work)


def _origin(parts: SplitResult) -> str:
    """Return the origin as browsers send it: lower case, without the default port."""
    host = parts.hostname or ""
    host_part = f"[{host}]" if ":" in host else host
    has_port = parts.port not in {None, _PORTS.get(parts.scheme)}
    return (
        f"{parts.scheme}://{host_part}:{parts.port}"
        if has_port
        else f"{parts.scheme}://{host_part}"
    )


def _check_many(known: Sequence[Passkey]) -> None:
    if len(known) >= _PASSKEYS_MAX:
        raise ResourceConflict("these are enough passkeys; remove one first")


def _is_ip(host: str) -> bool:
    try:
        parse_ip(host)
    except ValueError:
        return False
    return True


# Time that a session is kept after the expiry that every session has.
SESSIONS_KEPT: Final = timedelta(days=90)
# Time that a removed member's address and name are kept, for questions after the removal.
REMOVED_KEPT: Final = timedelta(days=30)
_BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class TeamCleanup:
    """Deletes old sessions, links, challenges and login attempts; blanks removed members."""

    database: Database
    clock: Clock
    passkeys: Passkeys
    throttle: LoginRateLimit
    vault: Vault

    async def sweep(self, org_ids: Collection[UUID]) -> bool:
        """Delete or blank one batch of old rows; return whether more may remain."""
        now = self.clock.now()
        await self.passkeys.sweep()
        await self.throttle.sweep()
        await self.database.single(lambda tx: link_store.sweep(tx, org_ids, now))
        blanked = await self.database.transact(
            lambda tx: self._blank(tx, org_ids, now - REMOVED_KEPT)
        )
        swept = await self.database.single(
            lambda tx: session_store.sweep(tx, org_ids, now - SESSIONS_KEPT, limit=_BATCH_SIZE)
        )
        return _BATCH_SIZE in (swept, blanked)

    async def _blank(self, tx: Tx, org_ids: Collection[UUID], before: datetime) -> int:
        """Blank members who were removed before the cutoff; return their number."""
        found = await store.removed(tx, org_ids, before, limit=_BATCH_SIZE)
        for org_id, member_id, email in found:
            key = await self.vault.make(tx, org_id, org_id)
            await store.blank(tx, org_id, member_id, email_hash(key, email))
        return len(found)
