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
# Counts are deleted after this time, when the decayed count is negligible.
_MEMORY = timedelta(days=3)
_HOUR, _LONG = timedelta(hours=1), timedelta(hours=6)
_NOWHERE: Final = "unknown"
# Prefix length of an IPv6 network of one customer (RFC 6177), who has all addresses in it.
_PREFIX: Final = 64


class AttemptSubject(StrEnum):
    """Subject by which attempts are counted."""

    ADDRESS = "address"  # passwords for an e-mail address, registered or not
    BROWSER = "browser"  # passwords from a browser that a member has signed in from before
    NETWORK = "network"  # passwords from an IP address, which a whole office may share
    PASSKEY = "passkey"  # sign-ins with a passkey from an IP address
    CHALLENGE = "challenge"  # requests for a passkey challenge from an IP address
    RESET = "reset"  # requests for a password reset link from an IP address
    SECOND = "second"  # codes for a member's second factor
    OWN = "own"  # passwords of a signed-in member who confirms a change
    MAILS = "mails"  # e-mails with a reset link to one address
    INVITATION = "invitation"  # an organisation's invitations to addresses that belong to members
    INVITED = "invited"  # e-mails with an invitation to one address
    KYC_LINK = "kyc_link"  # an organisation's e-mails with a KYC link to one address
    LINK = "link"  # passwords submitted by a member's link, of which only the first one is set


# Number of attempts without delay, by subject.
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
# Subjects that many people share; their counts decay sooner.
_SHARED: Final = {
    AttemptSubject.NETWORK,
    AttemptSubject.PASSKEY,
    AttemptSubject.CHALLENGE,
    AttemptSubject.RESET,
}


class LoginRateLimit:
    """Counts login attempts of all organisations."""

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
        """Delete the count of attempts after a successful one."""
        hashed = _hash(subject, identifier)
        await self._database.single(lambda tx: login_attempt_store.forget(tx, hashed))

    async def give_back(self, subject: AttemptSubject, identifier: str) -> None:
        """Subtract a successful attempt; earlier ones still count."""
        at, hashed = self._clock.stamp(), _hash(subject, identifier)
        await self._database.single(lambda tx: login_attempt_store.give_back(tx, hashed, at))

    async def sweep(self) -> None:
        """Delete old counts."""
        before = self._clock.now() - _MEMORY
        await self._database.single(lambda tx: login_attempt_store.sweep(tx, before))


def network_of(host: str | None) -> str:
    """Return the network of an IP address: itself for IPv4, its /64 network for IPv6."""
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
