"""Nonces of wallets, which their own transactions use, and delegations that they sign (EIP-7702).

Guarantees:
- a wallet has no transaction of its own under way while one that delegates it is, and vice versa:
  either would use up the nonce of the other;
- nonces that delegations of ours have used are passed over. Any other that the chain counts, and we
  did not sign, is left to `tracking_step.py`, which stops the account.
"""

from collections.abc import Sequence

import msgspec

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import Plan, PlanWait, TransactionPlan
from landbridge.providers.evm.signing.model import UnsignedTransaction

_OTHER = "waits for another transaction of the paying address"


def uses_nonce(plan: Plan) -> bool:
    """Whether a plan uses a nonce of the paying address."""
    return isinstance(plan, TransactionPlan) and (plan.sender is not None or bool(plan.delegations))


async def without_conflicts(
    tx: Tx, chain: str, orders: Sequence[OutboxOrder], plans: Sequence[Plan]
) -> list[Plan]:
    """Return the plans; one that would take the nonce of another waits."""
    sources = {order.source for order, plan in zip(orders, plans, strict=True) if uses_nonce(plan)}
    own, delegating = await attempt_store.nonces_in_flight(tx, chain, sources)
    found: list[Plan] = []
    for order, plan in zip(orders, plans, strict=True):
        if not isinstance(plan, TransactionPlan) or not uses_nonce(plan):
            found.append(plan)
            continue
        mine, others = (own, delegating) if plan.sender is not None else (delegating, own)
        if order.source in others:
            found.append(PlanWait(_OTHER))
            continue
        mine.add(order.source)
        found.append(plan)
    return found


async def pass_over_delegations(tx: Tx, chain: str, order: OutboxOrder, counted: int) -> None:
    """Let the paying address go on at the nonce that the chain counts.

    Only if delegations of ours have used those before it.
    """
    account = (await attempt_store.lock_accounts(tx, chain, [order.source]))[order.source]
    passed = range(account.next_nonce, counted)
    if not passed or account.stopped_at is not None:
        return
    requests = await attempt_store.mined_delegations(tx, order.org_id, chain, order.source)
    used = {
        each.nonce
        for request in requests
        for each in msgspec.json.decode(request, type=UnsignedTransaction).delegations
    }
    if used.issuperset(passed):
        await attempt_store.set_nonces(tx, chain, {order.source: counted})
