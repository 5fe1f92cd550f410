"""A batch as limits see it: one payment to many."""

from landbridge.core.money import Money
from landbridge.flows.batches.model import as_batch
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed from the start, since its coins are held."""
    batch = as_batch(record)
    targets = tuple(
        Target.at(
            each.address,
            batch.amount(each),
            *(record.user_id, each.user_id),
            account_id=each.account_id,
        )
        for each in batch.details.items
    )
    return Spending.of(
        record,
        Money(record.source_units, batch.asset),
        corridor=batch.asset.chain,
        targets=targets,
        is_committed=True,
    )
