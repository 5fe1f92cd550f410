"""Causes of stuck payments: what each waits for, to group them for the team."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from landbridge.customers.chain_deposits.treasury_reversals import KIND as LOST_TREASURY_DEPOSIT
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.platform.core.pagination import PagePosition

# Status of onramps and offramps with an open request for information.
_IN_REVIEW: Final = "IN_REVIEW"


class StuckCause(StrEnum):
    """What a stuck record waits for."""

    CHAIN = "CHAIN"  # the confirmation of a chain
    TREASURY = "TREASURY"  # coins that the treasury has to deliver, or has lost
    BANK = "BANK"
    PROVIDER = "PROVIDER"  # a provider of identity checks or of screening
    APPROVAL = "APPROVAL"
    INFORMATION = "INFORMATION"  # a request for information
    DECISION = "DECISION"  # a person, to resolve, match or review it
    CUSTOMER = "CUSTOMER"  # the customer, to accept a quote or to send the money
    PLATFORM = "PLATFORM"  # Landbridge's own worker


_BY_PARTY: Final = {
    WaitParty.CLIENT: StuckCause.CUSTOMER,
    WaitParty.SENDER: StuckCause.CUSTOMER,
    WaitParty.ADMIN: StuckCause.APPROVAL,
    WaitParty.REVIEWER: StuckCause.DECISION,
    WaitParty.CHAIN: StuckCause.CHAIN,
    WaitParty.BANK: StuckCause.BANK,
    WaitParty.IDENTITY_PROVIDER: StuckCause.PROVIDER,
    WaitParty.SCREENING_PROVIDER: StuckCause.PROVIDER,
    WaitParty.WORKER: StuckCause.PLATFORM,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckFilter:
    """Filter of stuck records by cause and kind; None includes all.

    `after` is the position after which the list continues: the time since which a record waits, and
    its id.
    """

    causes: Collection[StuckCause] | None = None
    kinds: Collection[str] | None = None
    after: PagePosition | None = None


EVERYTHING: Final = StuckFilter()


def cause_of(
    kind: str, status: str, party: WaitParty, owed_by_treasury: Collection[tuple[str, str]]
) -> StuckCause:
    """Return the cause of a stuck record without an attention mark, by its status."""
    if kind == LOST_TREASURY_DEPOSIT:
        return StuckCause.TREASURY
    if party is WaitParty.CHAIN and (kind, status) in owed_by_treasury:
        return StuckCause.TREASURY
    if party is WaitParty.REVIEWER and status == _IN_REVIEW:
        return StuckCause.INFORMATION
    return _BY_PARTY[party]
