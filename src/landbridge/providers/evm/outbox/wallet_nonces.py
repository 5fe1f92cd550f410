"""Nonces of wallets, which their own transactions use, and delegations that they sign (EIP-7702).

Guarantees:
- a wallet never has a transaction of its own and one that delegates it under way together, because
  each would use up the nonce of the other;
- nonces that delegations of ours have used are passed over. Other nonces that the chain counts, and
  we did not sign, are left to `tracking_step.py`, which stops the account;
- an address that is new in the database, but has transactions on the chain, sends nothing until an
  admin resumes it. After the restore of an older backup, one of them may have paid the order.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import structlog

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import Plan, PlanWait, TransactionPlan
from landbridge.providers.evm.signing.model import UnsignedTransaction

_log = structlog.stdlib.get_logger()

_OTHER = "waits for another transaction of the paying address"


def uses_nonce(plan: Plan) -> bool:
    """Return whether a plan uses a nonce of the paying address."""
    return isinstance(plan, TransactionPlan) and (plan.sender is not None or bool(plan.delegations))


async def without_conflicts(
    tx: Tx, chain: str, orders: Sequence[OutboxOrder], plans: Sequence[Plan]
) -> list[Plan]:
    """Return the plans; a plan that would take another one's nonce becomes a wait."""
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


async def take_nonces(tx: Tx, order: OutboxOrder, counted: int, at: datetime) -> None:
    """Advance the paying address to the nonce that the chain counts.

    Only if our delegations have used the nonces before it. An address that is new in the database
    and has used other nonces is stopped.
    """
    chain, address = order.chain, order.source
    is_new = await attempt_store.add_account(
        tx, chain, address, relayer_index=None, next_nonce=counted
    )
    account = (await attempt_store.lock_accounts(tx, chain, [address]))[address]
    passed = range(0 if is_new else account.next_nonce, counted)
    if not passed or account.stopped_at is not None:
        return
    requests = await attempt_store.mined_delegations(tx, order.org_id, chain, address)
    used = {
        each.nonce
        for request in requests
        for each in msgspec.json.decode(request, type=UnsignedTransaction).delegations
    }
    if used.issuperset(passed):
        await attempt_store.set_nonces(tx, chain, {address: counted})
    elif is_new:
        await attempt_store.stop(
            tx, chain, address, at, attempt_store.SENT_BEFORE, next_nonce=counted
        )
        _log.error(
            "chain.account.stopped", chain=chain, account=address, reason=attempt_store.SENT_BEFORE
        )
