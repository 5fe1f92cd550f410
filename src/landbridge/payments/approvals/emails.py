"""Builds the approval data of e-mails."""

from landbridge.customers.team.approval_emails import ApprovalNotice
from landbridge.ledger.model import CreateTransfer, Transfer
from landbridge.payments.approvals.model import Approval
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rails.currencies import FIAT_ASSETS


def email_details(approval: Approval, amount: Money) -> ApprovalNotice:
    """Build the email data of an approval."""
    return copy_fields(
        approval,
        ApprovalNotice,
        approval_id=approval.id,
        kind=approval.transfer_kind,
        amount=amount,
    )


def email_destination(opening: CreateTransfer) -> str:
    """Return the address that a record pays, or the number of its recipients; "" for neither."""
    if payees := opening.details.get("items"):
        return f"{len(payees)} recipients"
    address = opening.details.get("destination_address")
    return f"{address} on {opening.destination.asset.chain.title()}" if address else ""


def email_amount(record: Transfer) -> Money:
    """Return the amount of a record: coins, or fiat for a fiat refund."""
    asset = ASSETS.get(record.source_asset) or FIAT_ASSETS[record.source_asset]
    return Money(record.source_units, asset)
