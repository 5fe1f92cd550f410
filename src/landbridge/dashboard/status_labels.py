"""Labels of statuses: the one table that every page uses. The API keeps the codes.

A page shows the label, translated, and the code in a tooltip (`formatting.status`). A status that
is not listed is shown as its code. A test compares the table with the statuses of every flow.
"""

from collections.abc import Mapping
from typing import Final

from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _

STATUS_LABELS: Final[Mapping[str, str]] = {
    # Payments.
    "PENDING_APPROVAL": _("Awaiting approval"),
    "OPEN_QUOTE": _("Quote open"),
    "CREATED": _("Created"),
    "INITIATED": _("Initiated"),
    "PENDING": _("Pending"),
    "UNKNOWN": _("Outcome unknown"),
    "AWAITING_FUNDS": _("Awaiting funds"),
    "AWAITING_ACCEPT": _("Awaiting acceptance"),
    "IN_REVIEW": _("In review"),
    "IN_COMPLIANCE_REVIEW": _("In compliance review"),
    "CRYPTO_INITIATED": _("Chain transfer initiated"),
    "CRYPTO_PENDING": _("Chain transfer pending"),
    "CRYPTO_PROCESSED": _("Confirmed on chain"),
    "CRYPTO_FAILED": _("Failed on chain"),
    "CRYPTO_RETURNED": _("Returned on chain"),
    "FIAT_INITIATED": _("Bank transfer initiated"),
    "FIAT_PENDING": _("Bank transfer pending"),
    "FIAT_PROCESSED": _("Bank transfer processed"),
    "FIAT_FAILED": _("Bank transfer failed"),
    "FIAT_RETURNED": _("Bank transfer returned"),
    "SOURCE_INITIATED": _("Source transfer initiated"),
    "SOURCE_PENDING": _("Source transfer pending"),
    "SOURCE_PROCESSED": _("Confirmed on source chain"),
    "SOURCE_FAILED": _("Failed on source chain"),
    "DESTINATION_INITIATED": _("Destination transfer initiated"),
    "DESTINATION_PENDING": _("Destination transfer pending"),
    "DESTINATION_FAILED": _("Failed on destination chain"),
    "COMPLETED": _("Completed"),
    "FAILED": _("Failed"),
    "QUOTE_FAILED": _("Quote failed"),
    "NOT_INITIATED": _("Not initiated"),
    "CANCELLED": _("Cancelled"),
    "REJECTED": _("Rejected"),
    "EXPIRED": _("Expired"),
    # Orders on chains.
    "SIGNED": _("Signed"),
    "SENT": _("Sent"),
    "MINED": _("In a block"),
    "FINAL": _("Final"),
    "REVERTED": _("Reverted"),
    # Incoming payments, deposits and bank statement lines.
    "CONFIRMED": _("Confirmed"),
    "NEW": _("New"),
    "MATCHED": _("Matched"),
    "UNMATCHED": _("Unmatched"),
    "RETURNING": _("Return in progress"),
    "RETURNED": _("Returned"),
    "RESOLVED": _("Resolved"),
    "QUEUED": _("Queued"),
    "WRITTEN": _("Written to bank file"),
    "SETTLED": _("Settled"),
    # How a bank statement line was resolved.
    "NO_ACTION": _("No action"),
    "HANDLED": _("Corrected elsewhere"),
    "DUPLICATE": _("Duplicate"),
    "SETTLE": _("Payment settled"),
    "FAIL": _("Payment failed"),
    "RETURN": _("Payment returned"),
    "REVERSAL": _("Deposit reversed"),
    "DEPOSIT": _("Deposit created"),
    # Approvals, resolutions, requests for information and receivables.
    "APPROVED": _("Approved"),
    "APPROVE": _("Approved"),
    "REJECT": _("Rejected"),
    "VOID": _("Void"),
    "OPEN": _("Open"),
    "ANSWERED": _("Answered"),
    "CLOSED": _("Closed"),
    "RECOVERED": _("Recovered"),
    "WRITTEN_OFF": _("Written off"),
    "ORPHANED": _("Lost in reorganisation"),
    "REVERSED": _("Taken back"),
    # Verifications, users and accounts.
    "ACTIVE": _("Active"),
    "INACTIVE": _("Inactive"),
    "MANUAL_REVIEW": _("Manual review"),
    "RFI_PENDING": _("Information requested"),
    "INCOMPLETE": _("Incomplete"),
    "CONTACT_SUPPORT": _("Contact support"),
    "REVOKED": _("Revoked"),
    "DECLINED": _("Declined"),
    "FROZEN": _("Frozen"),
    "UNFROZEN": _("Unfrozen"),
    "ACCEPTED": _("Accepted"),
    "ERASED": _("Erased"),
    "DELETED": _("Deleted"),
    "activated": _("Active"),
    "deactivated": _("Deactivated"),
    # Webhooks, API keys, files and schedules.
    "PAUSED": _("Paused"),
    "DELIVERED": _("Delivered"),
    "REFUSED": _("Rejected by endpoint"),
    "GIVEN_UP": _("Retries exhausted"),
    "REPLACED": _("Replaced"),
    "ENDED": _("Deleted"),
    "UPLOADING": _("Uploading"),
    "STORED": _("Stored"),
    "READY": _("Ready"),
    "active": _("Active"),
    "expired": _("Expired"),
    "revoked": _("Revoked"),
    "enabled": _("Enabled"),
    "disabled": _("Disabled"),
    "frozen": _("Frozen"),
    "paused": _("Paused"),
}


def status_label(code: str, language: str) -> str:
    """Return the label of a status in a language; a status without a label keeps its code."""
    translated = STATUS_LABELS.get(code)
    return code if translated is None else catalogue(language).gettext(translated)
