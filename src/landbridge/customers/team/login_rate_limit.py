"""Rate limit against guessing passwords and codes, and against many e-mails to one address.

Guarantees: an attempt is counted before it is made, in a table that all processes share, so that
concurrency does not bypass the limit; delays double up to a quarter of an hour; counts decay by
half in each half-life; in real time. An attacker can delay a member, but lock no one out: passkeys
need no address, and are counted separately from passwords, and so are attempts from a browser with
an earlier sign-in.
"""

import hashlib
import math
from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from landbridge.customers.team import login_attempt_store
from landbridge.customers.team.errors import TooManyAttempts
from landbridge.customers.team.login_attempt_store import AttemptBackoff
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database

_PAUSE, _PAUSE_MAX = timedelta(seconds=2), timedelta(minutes=15)
# Long enough for the remaining count to be negligible.
_MEMORY = timedelta(days=3)
_HOUR, _LONG = timedelta(hours=1), timedelta(hours=6)
_NOWHERE: Final = "unknown"
# Network of one customer of a provider (RFC 6177): single addresses in it cost nothing.
_PREFIX: Final = 64


class AttemptSubject(StrEnum):
    """Subject by which attempts are counted."""

    ADDRESS = "address"  # of an e-mail address, registered or not
    BROWSER = "browser"  # one that a member has signed in from before: passwords
    NETWORK = "network"  # an address that a whole office may be behind: passwords
    PASSKEY = "passkey"  # the same: passkeys
    CHALLENGE = "challenge"  # the same: requests for a passkey challenge
    RESET = "reset"  # the same: requests for a link
    SECOND = "second"  # codes of a member's second factor
    OWN = "own"  # a member's password, required again
    MAILS = "mails"  # with a link, to one address
    INVITATION = "invitation"  # of an organisation, to an address that is a member's
    INVITED = "invited"  # with an invitation, to one address
    KYC_LINK = "kyc_link"  # with a KYC link, of an organisation to one address
    LINK = "link"  # passwords chosen by a member's link: each is hashed, and one counts


# Number of attempts without delay.
FREE: Final = {
    AttemptSubject.ADDRESS: 5,
    AttemptSubject.BROWSER: 5,
    AttemptSubject.NETWORK: 30,
    AttemptSubject.PASSKEY: 30,
    AttemptSubject.CHALLENGE: 100,
    AttemptSubject.RESET: 30,
    AttemptSubject.SECOND: 4,
    AttemptSubject.OWN: 5,
    AttemptSubject.MAILS: 3,
    AttemptSubject.INVITATION: 10,
    AttemptSubject.INVITED: 5,
    AttemptSubject.KYC_LINK: 5,
    AttemptSubject.LINK: 3,
}
# Shared subjects decay sooner than those of one person.
_SHARED: Final = {
    AttemptSubject.NETWORK,
    AttemptSubject.PASSKEY,
    AttemptSubject.CHALLENGE,
    AttemptSubject.RESET,
}


class LoginRateLimit:
    """Tries of all organisations."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, subject: AttemptSubject, identifier: str) -> None:
        """Count an attempt before it is made; raise `TooManyAttempts` if it is too early."""
        at, hashed = self._clock.stamp(), _hash(subject, identifier)
        slowing = AttemptBackoff(
            FREE[subject], _HOUR if subject in _SHARED else _LONG, _PAUSE, _PAUSE_MAX
        )
        is_free = await self._database.single(
            lambda tx: login_attempt_store.take(tx, hashed, at=at, slowing=slowing)
        )
        if is_free:
            return
        free_at = await self._database.single(lambda tx: login_attempt_store.free_at(tx, hashed))
        left_s = 0.0 if free_at is None else (free_at - at).total_seconds()
        raise TooManyAttempts(max(1, math.ceil(left_s)))

    async def succeed(self, subject: AttemptSubject, identifier: str) -> None:
        """Forget the failed attempts: this one was right."""
        hashed = _hash(subject, identifier)
        await self._database.single(lambda tx: login_attempt_store.forget(tx, hashed))

    async def give_back(self, subject: AttemptSubject, identifier: str) -> None:
        """Uncount a successful attempt, without effect on earlier ones."""
        at, hashed = self._clock.stamp(), _hash(subject, identifier)
        await self._database.single(lambda tx: login_attempt_store.give_back(tx, hashed, at))

    async def sweep(self) -> None:
        """Delete old counts."""
        before = self._clock.now() - _MEMORY
        await self._database.single(lambda tx: login_attempt_store.sweep(tx, before))


def network_of(host: str | None) -> str:
    """Return the network of an address: the address of IPv4, or the /64 around one of IPv6."""
    try:
        found = ip_address(host or "")
    except ValueError:
        return host or _NOWHERE
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _PREFIX), strict=False))


def _hash(subject: AttemptSubject, identifier: str) -> bytes:
    return hashlib.sha256(f"{subject}:{identifier}".encode("utf-8", "replace")).digest()
