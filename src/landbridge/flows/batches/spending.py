"""A batch as limits see it: one payment to many."""

from landbridge.core.money import Money
from landbridge.flows.batches.model import as_batch
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed from the start, since its coins are held."""
    batch = as_batch(record)
    targets = tuple(
        Target(
            name=each.address,
            usd=batch.amount(each).decimal,
            user_ids=(record.user_id, *(() if each.user_id is None else (each.user_id,))),
            is_ours=each.account_id is not None,
        )
        for each in batch.details.items
    )
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=Money(record.source_units, batch.asset).decimal,
        rail=None,
        corridor=batch.asset.chain,
        targets=targets,
        at=record.created_at,
        is_committed=True,
    )
