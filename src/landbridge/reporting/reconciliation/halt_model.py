"""Halts of new payments: types, and the pure rule that imposes them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS, Chain

# Consecutive runs that must find a shortfall, so that one wrong answer of a chain halts nothing.
SHORT_RUNS = 2


class HaltCause(StrEnum):
    """Cause of a halt."""

    SHORTFALL = "SHORTFALL"  # two runs found that more coins are missing than the threshold
    UNKNOWN_DEBIT = "UNKNOWN_DEBIT"  # coins have left that the ledger has not sent
    SOURCE_SILENT = "SOURCE_SILENT"  # the chain has not answered for longer than its patience


class HaltStatus(StrEnum):
    """Status of a halt. While it is HALTED or PROPOSED, payments wait."""

    HALTED = "HALTED"  # waits for two people
    PROPOSED = "PROPOSED"  # one person wants to lift it, a second one has to accept
    LIFTED = "LIFTED"  # two people have lifted it
    CLEARED = "CLEARED"  # the silent chain has answered again


IN_FORCE = frozenset({HaltStatus.HALTED, HaltStatus.PROPOSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """Halt of an asset on a chain, or of all assets there if `asset` is empty.

    `units` are those missing in the last run, without those missing when earlier halts were lifted.
    `proposed_by` gave `reason` to lift it; `lifted_by` is the second person.
    """

    id: UUID
    source: Chain
    asset: str
    cause: HaltCause
    status: HaltStatus
    units: int
    difference_id: UUID | None
    halted_at: datetime
    reason: str | None = None
    proposed_by: UUID | None = None
    proposed_at: datetime | None = None
    lifted_by: UUID | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MissingCoins:
    """Missing units of an asset: the sum of differences that timing does not explain.

    Units that were missing when people lifted a halt are not counted. `debit_id` is the oldest
    difference of coins that left without an entry.
    """

    asset: str
    units: int
    debit_id: UUID | None


def short_assets(missing: Iterable[MissingCoins], above: Decimal) -> list[str]:
    """Return the assets of which more coins are missing than the threshold."""
    return [
        each.asset for each in missing if each.units > Money.parse(above, ASSETS[each.asset]).units
    ]


def find_halts(
    missing: Iterable[MissingCoins], short_runs: Mapping[str, int], halted: Collection[str]
) -> list[tuple[MissingCoins, HaltCause]]:
    """Return the assets to halt, with causes; `short_runs` counts consecutive runs by asset."""
    found = [each for each in missing if each.asset not in halted]
    return [
        (each, HaltCause.SHORTFALL if each.debit_id is None else HaltCause.UNKNOWN_DEBIT)
        for each in found
        if each.debit_id is not None or short_runs.get(each.asset, 0) >= SHORT_RUNS
    ]
