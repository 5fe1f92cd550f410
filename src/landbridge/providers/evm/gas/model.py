"""Gas costs: records that book the cost of an order's transactions in the ledger.

    created      GAS to OUTSIDE: native coins were paid to validators
                 or the opposite: a reorganisation has removed transactions that were booked

The relayers' native coins are not in the ledger: they have no account, so GAS and OUTSIDE are
opposite in each native coin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.model import CreateTransfer, HouseRole, Posting
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import NATIVE_ASSETS, Network

KIND = "CHAIN.GAS"
ACTOR = "worker"
ASSETS = {asset.code: asset for asset in NATIVE_ASSETS.values()}


class GasCostStatus(StrEnum):
    """Status of a gas cost."""

    COMPLETED = "COMPLETED"  # posted; the only status


TRANSITIONS: Transitions[GasCostStatus] = Transitions(
    start=frozenset({GasCostStatus.COMPLETED}), table={GasCostStatus.COMPLETED: frozenset()}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GasCost:
    """Gas of all mined transactions of a final order, in wei of its chain's native coin.

    Of it, `booked_wei` is booked already, by `number` records before this one. `key` is the order's
    key, `record_id` its payment, and `user_id` the payment's user.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    user_id: UUID
    chain: str
    wei: int
    booked_wei: int = 0
    number: int = 0

    @property
    def asset(self) -> Asset:
        """Return the native coin of the chain."""
        return NATIVE_ASSETS[Network(self.chain)]


def gas_cost_id(key: UUID, number: int = 0) -> UUID:
    """Return the id of a gas record, derived from the order's key, so that it exists only once."""
    return derived_id(key, f"gas/{number}" if number else "gas")


def build_booking(cost: GasCost, at: datetime) -> CreateTransfer:
    """Build the record of the gas that is not booked yet, which is not zero.

    Its request id is random: a client could derive the same id and use it first.
    """
    difference = cost.wei - cost.booked_wei
    money, is_undone = Money(abs(difference), cost.asset), difference < 0
    return CreateTransfer(
        org_id=cost.org_id,
        id=gas_cost_id(cost.key, cost.number),
        kind=KIND,
        user_id=cost.user_id,
        request_id=new_id(),
        request={"chain": cost.chain, "orderKey": str(cost.key)},
        path=(GasCostStatus.COMPLETED,),
        source=money,
        destination=money,
        details={"order_key": str(cost.key), "record_id": str(cost.record_id)}
        | ({"is_undone": True} if is_undone else {}),
        due_at=None,
        at=at,
        actor=ACTOR,
        journals={0: gas_postings(money, is_undone=is_undone)},
    )


def gas_postings(money: Money, *, is_undone: bool) -> Sequence[Posting]:
    """Return the journal of native coins paid for gas; with `is_undone`, its reversal."""
    paid = -money if is_undone else money
    return [Posting(HouseRole.GAS, -paid), Posting(HouseRole.OUTSIDE, paid)]
