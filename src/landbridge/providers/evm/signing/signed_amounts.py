"""Amounts and rates of signatures, kept in memory; after a start they are restored from the log.

Guarantees:
- Of several signatures for one nonce of a chain, at most one can be carried out, so they count
  once: with the largest amount of each currency. This covers the same bytes, and replacements.
- The bound of a day is never exceeded; it may be reached exactly.
- A signature that is repeated on the same day or the next day counts once. Later, it counts as new.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.evm.signing.known_calls import Movement
from landbridge.providers.evm.signing.model import SignerUnavailable, SigningRefused

_NO_LIMITS = AmountLimits()


class NonceUse(msgspec.Struct, frozen=True):
    """Use of a nonce of an account on a chain, which only one of several signatures can have.

    `scope` distinguishes kinds of nonces: of transactions, of one token's authorizations, of calls,
    and of delegations.
    """

    chain: Network
    address: str
    scope: str
    nonce: str


class DayTotals:
    """Amounts signed in a day, by chain and currency. A day is a UTC date such as `2026-11-25`."""

    def __init__(self) -> None:
        self._day = ""
        self._totals: dict[tuple[Network, str], int] = defaultdict(int)
        # Amounts of each nonce signed on this day, and on the day before.
        self._amounts: dict[NonceUse, Mapping[str, int]] = {}
        self._amounts_before: dict[NonceUse, Mapping[str, int]] = {}

    def check(
        self,
        day: str,
        use: NonceUse,
        movements: Iterable[Movement],
        limits: Mapping[str, AmountLimits],
    ) -> None:
        """Raise `SigningRefused` if these movements would exceed the bound of the day."""
        self._begin(day)
        for currency, added in self._added(use, amounts_of(movements)).items():
            bound = limits.get(currency, _NO_LIMITS).day_max_units
            total = self._totals.get((use.chain, currency), 0) + added
            if bound is not None and added and total > bound:
                raise SigningRefused(
                    f"{total} units of {currency} on {use.chain} would be signed for on "
                    f"{self._day}, and at most {bound} may be"
                )

    def add(self, day: str, use: NonceUse, movements: Iterable[Movement]) -> None:
        """Count movements that are signed."""
        self._begin(day)
        amounts = amounts_of(movements)
        for currency, added in self._added(use, amounts).items():
            self._totals[use.chain, currency] += added
        known = self._known(use)
        names = amounts.keys() | known.keys()
        self._amounts[use] = {name: max(amounts.get(name, 0), known.get(name, 0)) for name in names}

    def total(self, day: str, chain: Network, currency: str) -> int:
        """Return the units that were signed on a day."""
        self._begin(day)
        return self._totals.get((chain, currency), 0)

    def _added(self, use: NonceUse, amounts: Mapping[str, int]) -> dict[str, int]:
        known = self._known(use)
        return {name: max(0, units - known.get(name, 0)) for name, units in amounts.items()}

    def _known(self, use: NonceUse) -> Mapping[str, int]:
        return self._amounts.get(use) or self._amounts_before.get(use) or {}

    def _begin(self, day: str) -> None:
        # A clock that is set back does not begin an earlier day again.
        if day > self._day:
            self._day = day
            self._totals.clear()
            self._amounts_before, self._amounts = self._amounts, {}


class SigningRates:
    """Signatures of one chain in the current second, by key and in total."""

    def __init__(self, *, per_key: int, in_all: int) -> None:
        self._per_key = per_key
        self._in_all = in_all
        self._second = 0
        self._counts: dict[str, int] = {}
        self._count = 0

    def take(self, second: int, address: str) -> None:
        """Count a signature; raises `SignerUnavailable` if there are too many in this second."""
        if second != self._second:
            self._second, self._count = second, 0
            self._counts.clear()
        count = self._counts.get(address, 0)
        if self._count >= self._in_all or count >= self._per_key:
            raise SignerUnavailable("the signer has reached its signatures per second")
        self._count += 1
        self._counts[address] = count + 1


def check_transaction_limits(
    movements: Iterable[Movement], limits: Mapping[str, AmountLimits]
) -> None:
    """Raise `SigningRefused` if a transaction moves more than its bound."""
    for currency, units in amounts_of(movements).items():
        bound = limits.get(currency, _NO_LIMITS).transaction_max_units
        if bound is not None and units > bound:
            raise SigningRefused(
                f"a transaction of {units} units of {currency}, and at most {bound} are signed for"
            )


def amounts_of(movements: Iterable[Movement]) -> dict[str, int]:
    """Return the sum of amounts for each currency."""
    sums: dict[str, int] = defaultdict(int)
    for movement in movements:
        sums[movement.currency] += movement.amount_units
    return dict(sums)


class RecentDigests:
    """Digests signed on this day and the day before: repeated ones add no line to the log."""

    def __init__(self) -> None:
        self._day = ""
        self._digests: set[bytes] = set()
        self._digests_before: set[bytes] = set()

    def add(self, day: str, digest: bytes) -> bool:
        """Store a digest; return whether it is new."""
        if day > self._day:
            self._day = day
            self._digests_before, self._digests = self._digests, set()
        if digest in self._digests or digest in self._digests_before:
            return False
        self._digests.add(digest)
        return True
