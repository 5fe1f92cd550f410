"""What mails about an approval are told of it."""

from landbridge.approvals.model import Approval
from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Money
from landbridge.ledger.model import Transfer
from landbridge.members.approval_mails import Asked
from landbridge.rails.currencies import FIAT_ASSETS


def asked_of(approval: Approval, amount: Money) -> Asked:
    """An approval as mails tell of it."""
    return Asked(
        org_id=approval.org_id,
        approval_id=approval.id,
        kind=approval.transfer_kind,
        amount=amount,
        initiator_id=approval.initiator_id,
        is_from_dashboard=approval.is_from_dashboard,
        expires_at=approval.expires_at,
    )


def source_of(record: Transfer) -> Money:
    """What a record takes: coins, or fiat where a refund in fiat is decided on."""
    asset = ASSETS.get(record.source_asset) or FIAT_ASSETS[record.source_asset]
    return Money(record.source_units, asset)
