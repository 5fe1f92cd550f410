"""Slows down whoever guesses: passwords, codes, links by mail.

Guarantees: a try is counted before it is made, in a table that all processes share, so that many at
once are no way around; pauses double up to a quarter of an hour; tries fade, half of them in each
half-life; by real time. Who guesses can make somebody wait, and lock nobody out: passkeys are asked
for no address, and are counted apart from passwords.
"""

import hashlib
import math
from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.members import tries_store
from landbridge.members.errors import TooManyTries
from landbridge.members.tries_store import Slowing

_PAUSE, _PAUSE_MAX = timedelta(seconds=2), timedelta(minutes=15)
# Long enough for what is left of tries to be next to nothing.
_MEMORY = timedelta(days=3)
_HOUR, _LONG = timedelta(hours=1), timedelta(hours=6)
_NOWHERE: Final = "unknown"
# What one customer of a provider has (RFC 6177): single addresses in it cost nothing.
_PREFIX: Final = 64


class Subject(StrEnum):
    """What tries are counted by."""

    ADDRESS = "address"  # of e-mail, whether it is somebody's or not
    NETWORK = "network"  # an address that a whole office may be behind: passwords
    PASSKEY = "passkey"  # the same: passkeys
    CHALLENGE = "challenge"  # the same: asking what a passkey is to sign
    RESET = "reset"  # the same: asking for a link
    SECOND = "second"  # codes of a member's second factor
    OWN = "own"  # somebody's password, asked for once more
    MAILS = "mails"  # with a link, to one address


# How many are free before each takes a pause.
FREE: Final = {
    Subject.ADDRESS: 5,
    Subject.NETWORK: 30,
    Subject.PASSKEY: 30,
    Subject.CHALLENGE: 100,
    Subject.RESET: 30,
    Subject.SECOND: 4,
    Subject.OWN: 5,
    Subject.MAILS: 3,
}
# What many people share is forgotten sooner than what is one person's.
_SHARED: Final = {Subject.NETWORK, Subject.PASSKEY, Subject.CHALLENGE, Subject.RESET}


class Throttle:
    """Tries of all organisations."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, subject: Subject, whose: str) -> None:
        """Count a try that is about to be made; raises `TooManyTries` if it comes too soon."""
        at, hashed = self._clock.stamp(), _hash(subject, whose)
        slowing = Slowing(FREE[subject], _HOUR if subject in _SHARED else _LONG, _PAUSE, _PAUSE_MAX)
        is_free = await self._database.single(
            lambda tx: tries_store.take(tx, hashed, at=at, slowing=slowing)
        )
        if is_free:
            return
        free_at = await self._database.single(lambda tx: tries_store.free_at(tx, hashed))
        left_s = 0.0 if free_at is None else (free_at - at).total_seconds()
        raise TooManyTries(max(1, math.ceil(left_s)))

    async def succeed(self, subject: Subject, whose: str) -> None:
        """Forget the tries before: this one was right."""
        hashed = _hash(subject, whose)
        await self._database.single(lambda tx: tries_store.forget(tx, hashed))

    async def give_back(self, subject: Subject, whose: str) -> None:
        """Do not count this one: it was right, which says nothing of those before."""
        at, hashed = self._clock.stamp(), _hash(subject, whose)
        await self._database.single(lambda tx: tries_store.give_back(tx, hashed, at))

    async def sweep(self) -> None:
        """Forget what is old."""
        before = self._clock.now() - _MEMORY
        await self._database.single(lambda tx: tries_store.sweep(tx, before))


def network_of(host: str | None) -> str:
    """Whose tries from there are: an address of IPv4, or the /64 around one of IPv6."""
    try:
        found = ip_address(host or "")
    except ValueError:
        return host or _NOWHERE
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _PREFIX), strict=False))


def _hash(subject: Subject, whose: str) -> bytes:
    return hashlib.sha256(f"{subject}:{whose}".encode("utf-8", "replace")).digest()
