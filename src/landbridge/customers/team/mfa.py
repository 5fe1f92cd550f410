"""Second factors: time-based one-time passwords (RFC 6238), and recovery codes.

Guarantees:
- the secret is encrypted with the member's data key; recovery codes are stored as hashes;
- each code is accepted once, even if submitted twice concurrently, and only if it is at most one
  time step away from the present one; attempts are counted before they are made;
- a verified second factor changes the session's secret, so that the previous secret gives no
  access.
"""

import hmac
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote
from uuid import UUID

import pyotp
from pyotp.totp import TOTP

from landbridge.customers.team import mfa_store, store
from landbridge.customers.team.errors import CodeRefused, SignInRefused
from landbridge.customers.team.login_rate_limit import AttemptSubject, LoginRateLimit
from landbridge.customers.team.model import (
    ChangeAuthor,
    SignedInSession,
    TeamMember,
    digest,
    new_recovery_code,
)
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller

RECOVERY_CODES: Final = 10
_ISSUER: Final = "Landbridge"
_STEP_S: Final = 30
_WINDOW: Final = 1
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class MfaStatus:
    """Second factors of a member."""

    has_totp: bool
    recovery_codes: int


@dataclass(frozen=True, slots=True)
class Mfa:
    """Second factors of all members; codes are valid by real time, which phones use too."""

    database: Database
    clock: Clock
    vault: Vault
    sessions: Sessions
    members: Team
    throttle: LoginRateLimit

    async def factors(self, caller: Caller) -> MfaStatus:
        """Return the configured second factors."""

        async def work(tx: Tx) -> MfaStatus:
            return MfaStatus(
                await mfa_store.has(tx, caller.org_id, caller.id),
                await mfa_store.codes_left(tx, caller.org_id, caller.id),
            )

        return await self.database.transact(work)

    async def begin(self, caller: Caller) -> tuple[str, str]:
        """Create a new secret; return it as text and as `otpauth` address for an app.

        It is active after `confirm` with one of its codes; until then another may be created.
        """
        secret, now = pyotp.random_base32(), self.clock.now()

        async def work(tx: Tx) -> str:
            account = await store.lock(tx, caller.org_id, caller.id)
            if account is None:
                raise SignInRefused
            key = await self.vault.make(tx, caller.org_id, caller.id)
            sealed = key.seal(secret, context=_context(caller.id))
            if not await mfa_store.put(tx, caller.org_id, caller.id, sealed, now):
                raise ResourceConflict("codes are asked for already; take them away first")
            return account.person.email

        email = await self.database.transact(work)
        return secret, _uri(secret, email)

    async def begun(self, caller: Caller) -> tuple[str, str] | None:
        """Return the unconfirmed secret in the form of `begin`; None if there is none."""

        async def work(tx: Tx) -> tuple[str, str] | None:
            account = await store.lock(tx, caller.org_id, caller.id)
            found = await mfa_store.find(tx, caller.org_id, caller.id)
            key = await self.vault.find(tx, caller.org_id, caller.id)
            if account is None or found is None or key is None or found.confirmed_at is not None:
                return None
            secret = key.open(found.secret, context=_context(caller.id), type=str)
            return secret, _uri(secret, account.person.email)

        return await self.database.transact(work)

    async def confirm(self, signed: SignedInSession, code: str) -> tuple[Sequence[str], str]:
        """Confirm the new secret with a code; from then on, sign-ins require codes.

        Other sessions end. Returns the recovery codes, which are shown only once, and the new value
        of this session's cookie.
        """
        caller = signed.caller
        await self.throttle.take(AttemptSubject.SECOND, str(caller.id))
        codes, by = (
            [new_recovery_code() for _ in range(RECOVERY_CODES)],
            ChangeAuthor.caller(caller),
        )

        async def work(tx: Tx) -> str:
            account = await store.lock(tx, by.org_id, caller.id)
            if account is None:
                raise SignInRefused
            found = await mfa_store.find(tx, caller.org_id, caller.id)
            if found is None or found.confirmed_at is not None:
                raise ResourceConflict("there is nothing to confirm; begin anew")
            if not await self._take_totp(tx, by.org_id, caller.id, code):
                raise CodeRefused(field="code")
            await self._put_codes(tx, by.org_id, caller.id, codes)
            await self.sessions.end_all(tx, by, caller.id, but=signed.session_id)
            await self.members.record_own_change(tx, by, caller.id, "totp_on")
            await self.members.warn(tx, account.person, "totp_on")
            return await self.sessions.verify(tx, signed)

        secret = await self.database.transact(work)
        await self.throttle.succeed(AttemptSubject.SECOND, str(caller.id))
        return codes, secret

    async def verify(self, signed: SignedInSession, code: str) -> str:
        """Verify the second factor; return the new value of the session's cookie."""
        by, member_id = ChangeAuthor.caller(signed.caller), signed.person.id
        await self.throttle.take(AttemptSubject.SECOND, str(member_id))

        async def work(tx: Tx) -> str:
            account = await store.lock(tx, by.org_id, member_id)
            if account is None:
                raise SignInRefused
            if not await self._take(tx, by, account.person, code):
                raise CodeRefused(field="code")
            return await self.sessions.verify(tx, signed)

        secret = await self.database.transact(work)
        await self.throttle.succeed(AttemptSubject.SECOND, str(member_id))
        return secret

    async def remove(self, caller: Caller, code: str) -> None:
        """Stop requiring codes; needs a valid code or recovery code."""
        await self._prove(
            caller,
            code,
            "totp_off",
            lambda tx: mfa_store.drop(tx, caller.org_id, caller.id),
        )

    async def new_recovery_codes(self, caller: Caller, code: str) -> Sequence[str]:
        """Replace the recovery codes and return the new ones, which are not returned again."""
        codes = [new_recovery_code() for _ in range(RECOVERY_CODES)]
        await self._prove(
            caller,
            code,
            "recovery_codes",
            lambda tx: self._put_codes(tx, caller.org_id, caller.id, codes),
        )
        return codes

    async def _prove(
        self, caller: Caller, code: str, change_type: str, change: Callable[[Tx], Awaitable[None]]
    ) -> None:
        await self.throttle.take(AttemptSubject.SECOND, str(caller.id))
        by = ChangeAuthor.caller(caller)

        async def work(tx: Tx) -> None:
            account = await store.lock(tx, by.org_id, caller.id)
            if account is None:
                raise SignInRefused
            if not await self._take(tx, by, account.person, code):
                raise CodeRefused(field="code")
            await change(tx)
            await self.members.record_own_change(tx, by, caller.id, change_type)
            await self.members.warn(tx, account.person, change_type)

        await self.database.transact(work)
        await self.throttle.succeed(AttemptSubject.SECOND, str(caller.id))

    async def _take(self, tx: Tx, by: ChangeAuthor, person: TeamMember, code: str) -> bool:
        """Consume a one-time or recovery code of a locked member; False if it is not valid."""
        if await self._take_totp(tx, by.org_id, person.id, code, only_confirmed=True):
            return True
        hashed = digest(_tidied(code))
        if not await mfa_store.take_code(tx, by.org_id, person.id, hashed):
            return False
        await self.members.record_own_change(tx, by, person.id, "recovery_code")
        await self.members.warn(tx, person, "recovery_code")
        return True

    async def _take_totp(
        self, tx: Tx, org_id: UUID, member_id: UUID, code: str, *, only_confirmed: bool = False
    ) -> bool:
        found = await mfa_store.find(tx, org_id, member_id)
        key = await self.vault.find(tx, org_id, member_id)
        if found is None or key is None or (only_confirmed and found.confirmed_at is None):
            return False
        totp = TOTP(key.open(found.secret, context=_context(member_id), type=str))
        now = self.clock.now()
        step = _step_of(totp, "".join(code.split()), int(now.timestamp()) // _STEP_S)
        return step is not None and await mfa_store.take(tx, org_id, member_id, step, now)

    async def _put_codes(self, tx: Tx, org_id: UUID, member_id: UUID, codes: Sequence[str]) -> None:
        hashes = [digest(_tidied(each)) for each in codes]
        await mfa_store.put_codes(tx, org_id, member_id, hashes)


def _step_of(totp: TOTP, code: str, step: int) -> int | None:
    """Return the time step of this code, at most one from `step`; None for a wrong code."""
    if len(code) != _DIGITS or not (code.isascii() and code.isdigit()):
        return None
    for each in range(step - _WINDOW, step + _WINDOW + 1):
        if hmac.compare_digest(totp.generate_otp(each), code):
            return each
    return None


def _uri(secret: str, email: str) -> str:
    """Return the `otpauth` URI for an authenticator app."""
    label = f"{_ISSUER}:{quote(email)}"
    return f"otpauth://totp/{label}?secret={secret}&issuer={_ISSUER}"


def _tidied(code: str) -> str:
    """Return a recovery code in the form that is hashed, without case and separators."""
    normalized = code[:100].encode("ascii", "ignore").decode().lower()
    return "".join(each for each in normalized if each.isalnum())


def _context(member_id: UUID) -> str:
    return f"totp_secrets.secret:{member_id}"
