"""Limit usage of batches: one payment to many recipients."""

from landbridge.ledger.model import Transfer
from landbridge.payments.batches.model import as_batch
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.platform.core.money import Money


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return its usage; committed from the start, because its coins are held."""
    batch = as_batch(record)
    targets = tuple(
        PaymentDestination.at(
            each.address,
            batch.amount(each),
            record.user_id,
            each.user_id,
            account_id=each.account_id,
        )
        for each in batch.details.items
    )
    return LimitUsage.of(
        record,
        Money(record.source_units, batch.asset),
        corridor=batch.asset.chain,
        targets=targets,
        is_committed=True,
    )
