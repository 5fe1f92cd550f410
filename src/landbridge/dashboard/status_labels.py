"""Labels and tones of statuses: the one table that every page uses. The API keeps the codes.

A page shows the label, translated, in the tone's colour, and the code in a tooltip
(`formatting.status`). A status that is not listed is shown as its code. A test compares the table
with the statuses of every flow: a final one is good or bad, never under way.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _


class Tone(StrEnum):
    """What a status means for the reader; the class of its colour. The label says it too."""

    GOOD = "good"  # as intended; nothing to do
    BAD = "bad"  # ended otherwise, or not usable
    NOW = "now"  # waits for a person
    BUSY = "busy"  # under way


class StatusDisplay(NamedTuple):
    """Label of a status, to be translated, and its tone."""

    label: str
    tone: Tone


STATUSES: Final[Mapping[str, StatusDisplay]] = {
    # Payments.
    "PENDING_APPROVAL": StatusDisplay(_("Awaiting approval"), Tone.NOW),
    "OPEN_QUOTE": StatusDisplay(_("Quote open"), Tone.NOW),
    "CREATED": StatusDisplay(_("Created"), Tone.BUSY),
    "INITIATED": StatusDisplay(_("Initiated"), Tone.BUSY),
    "PENDING": StatusDisplay(_("Pending"), Tone.BUSY),
    "UNKNOWN": StatusDisplay(_("Outcome unknown"), Tone.BUSY),
    "AWAITING_FUNDS": StatusDisplay(_("Awaiting funds"), Tone.BUSY),
    "AWAITING_ACCEPT": StatusDisplay(_("Awaiting acceptance"), Tone.NOW),
    "IN_REVIEW": StatusDisplay(_("In review"), Tone.NOW),
    "IN_COMPLIANCE_REVIEW": StatusDisplay(_("In compliance review"), Tone.NOW),
    "CRYPTO_INITIATED": StatusDisplay(_("Chain transfer initiated"), Tone.BUSY),
    "CRYPTO_PENDING": StatusDisplay(_("Chain transfer pending"), Tone.BUSY),
    "CRYPTO_PROCESSED": StatusDisplay(_("Confirmed on chain"), Tone.BUSY),
    "CRYPTO_FAILED": StatusDisplay(_("Failed on chain"), Tone.BAD),
    "CRYPTO_RETURNED": StatusDisplay(_("Returned on chain"), Tone.BAD),
    "FIAT_INITIATED": StatusDisplay(_("Bank transfer initiated"), Tone.BUSY),
    "FIAT_PENDING": StatusDisplay(_("Bank transfer pending"), Tone.BUSY),
    "FIAT_PROCESSED": StatusDisplay(_("Bank transfer processed"), Tone.BUSY),
    "FIAT_FAILED": StatusDisplay(_("Bank transfer failed"), Tone.BAD),
    "FIAT_RETURNED": StatusDisplay(_("Bank transfer returned"), Tone.BAD),
    "SOURCE_INITIATED": StatusDisplay(_("Source transfer initiated"), Tone.BUSY),
    "SOURCE_PENDING": StatusDisplay(_("Source transfer pending"), Tone.BUSY),
    "SOURCE_PROCESSED": StatusDisplay(_("Confirmed on source chain"), Tone.BUSY),
    "SOURCE_FAILED": StatusDisplay(_("Failed on source chain"), Tone.BAD),
    "DESTINATION_INITIATED": StatusDisplay(_("Destination transfer initiated"), Tone.BUSY),
    "DESTINATION_PENDING": StatusDisplay(_("Destination transfer pending"), Tone.BUSY),
    "DESTINATION_FAILED": StatusDisplay(_("Failed on destination chain"), Tone.BAD),
    "COMPLETED": StatusDisplay(_("Completed"), Tone.GOOD),
    "FAILED": StatusDisplay(_("Failed"), Tone.BAD),
    "QUOTE_FAILED": StatusDisplay(_("Quote failed"), Tone.BAD),
    "NOT_INITIATED": StatusDisplay(_("Not initiated"), Tone.BAD),
    "CANCELLED": StatusDisplay(_("Cancelled"), Tone.BAD),
    "REJECTED": StatusDisplay(_("Rejected"), Tone.BAD),
    "EXPIRED": StatusDisplay(_("Expired"), Tone.BAD),
    # Orders on chains.
    "SIGNED": StatusDisplay(_("Signed"), Tone.BUSY),
    "SENT": StatusDisplay(_("Sent"), Tone.BUSY),
    "MINED": StatusDisplay(_("In a block"), Tone.BUSY),
    "FINAL": StatusDisplay(_("Final"), Tone.GOOD),
    "REVERTED": StatusDisplay(_("Reverted"), Tone.BAD),
    # Incoming payments, deposits and bank statement lines.
    "CONFIRMED": StatusDisplay(_("Confirmed"), Tone.BUSY),
    "SCREENING": StatusDisplay(_("In screening"), Tone.BUSY),
    "IN_SCREENING": StatusDisplay(_("In screening"), Tone.BUSY),
    "HELD": StatusDisplay(_("Held"), Tone.BAD),
    "RELEASED": StatusDisplay(_("Released"), Tone.GOOD),
    "NEW": StatusDisplay(_("New"), Tone.BUSY),
    "MATCHED": StatusDisplay(_("Matched"), Tone.GOOD),
    "UNMATCHED": StatusDisplay(_("Unmatched"), Tone.BUSY),
    "RETURNING": StatusDisplay(_("Return in progress"), Tone.BUSY),
    "RETURNED": StatusDisplay(_("Returned"), Tone.BAD),
    "RESOLVED": StatusDisplay(_("Resolved"), Tone.GOOD),
    "PROPOSED": StatusDisplay(_("Awaiting second person"), Tone.NOW),
    "PREPARED": StatusDisplay(_("Awaiting confirmation"), Tone.NOW),
    "HALTED": StatusDisplay(_("Halted"), Tone.BAD),
    "LIFTED": StatusDisplay(_("Lifted"), Tone.GOOD),
    "CLEARED": StatusDisplay(_("Over"), Tone.GOOD),
    "TIMING": StatusDisplay(_("Other side may follow"), Tone.BUSY),
    "QUEUED": StatusDisplay(_("Queued"), Tone.BUSY),
    "WRITTEN": StatusDisplay(_("Written to bank file"), Tone.BUSY),
    "SETTLED": StatusDisplay(_("Settled"), Tone.GOOD),
    # How a bank statement line was resolved.
    "NO_ACTION": StatusDisplay(_("No action"), Tone.BUSY),
    "HANDLED": StatusDisplay(_("Corrected elsewhere"), Tone.BUSY),
    "DUPLICATE": StatusDisplay(_("Duplicate"), Tone.BUSY),
    "SETTLE": StatusDisplay(_("Payment settled"), Tone.BUSY),
    "FAIL": StatusDisplay(_("Payment failed"), Tone.BUSY),
    "RETURN": StatusDisplay(_("Payment returned"), Tone.BUSY),
    "REVERSAL": StatusDisplay(_("Deposit reversed"), Tone.BUSY),
    "DEPOSIT": StatusDisplay(_("Deposit created"), Tone.BUSY),
    # Approvals, resolutions, requests for information and receivables.
    "APPROVED": StatusDisplay(_("Approved"), Tone.GOOD),
    "APPROVE": StatusDisplay(_("Approved"), Tone.BUSY),
    "REJECT": StatusDisplay(_("Rejected"), Tone.BUSY),
    "VOID": StatusDisplay(_("Void"), Tone.BAD),
    "OPEN": StatusDisplay(_("Open"), Tone.BUSY),
    "ANSWERED": StatusDisplay(_("Answered"), Tone.BUSY),
    "CLOSED": StatusDisplay(_("Closed"), Tone.BUSY),
    "RECOVERED": StatusDisplay(_("Recovered"), Tone.GOOD),
    "WRITTEN_OFF": StatusDisplay(_("Written off"), Tone.BAD),
    "LOST": StatusDisplay(_("Lost in reorganisation"), Tone.BAD),
    "ORPHANED": StatusDisplay(_("Lost in reorganisation"), Tone.BAD),
    "REVERSED": StatusDisplay(_("Taken back"), Tone.BAD),
    # Verifications, users and accounts.
    "ACTIVE": StatusDisplay(_("Active"), Tone.GOOD),
    "INACTIVE": StatusDisplay(_("Inactive"), Tone.BAD),
    "MANUAL_REVIEW": StatusDisplay(_("Manual review"), Tone.NOW),
    "RFI_PENDING": StatusDisplay(_("Information requested"), Tone.NOW),
    "INCOMPLETE": StatusDisplay(_("Incomplete"), Tone.NOW),
    "CONTACT_SUPPORT": StatusDisplay(_("Contact support"), Tone.NOW),
    "REVOKED": StatusDisplay(_("Revoked"), Tone.BAD),
    "DECLINED": StatusDisplay(_("Declined"), Tone.BAD),
    "FROZEN": StatusDisplay(_("Frozen"), Tone.BAD),
    "UNFROZEN": StatusDisplay(_("Unfrozen"), Tone.GOOD),
    "ACCEPTED": StatusDisplay(_("Accepted"), Tone.GOOD),
    "ERASED": StatusDisplay(_("Erased"), Tone.BAD),
    "DELETED": StatusDisplay(_("Deleted"), Tone.BUSY),
    "activated": StatusDisplay(_("Active"), Tone.GOOD),
    "deactivated": StatusDisplay(_("Deactivated"), Tone.BAD),
    # Webhooks, API keys, files and schedules.
    "PAUSED": StatusDisplay(_("Paused"), Tone.NOW),
    "DELIVERED": StatusDisplay(_("Delivered"), Tone.GOOD),
    "REFUSED": StatusDisplay(_("Rejected by endpoint"), Tone.BAD),
    "GIVEN_UP": StatusDisplay(_("Retries exhausted"), Tone.BAD),
    "REPLACED": StatusDisplay(_("Replaced"), Tone.BUSY),
    "ENDED": StatusDisplay(_("Deleted"), Tone.BUSY),
    "UPLOADING": StatusDisplay(_("Uploading"), Tone.BUSY),
    "STORED": StatusDisplay(_("Stored"), Tone.BUSY),
    "READY": StatusDisplay(_("Ready"), Tone.GOOD),
    "active": StatusDisplay(_("Active"), Tone.GOOD),
    "expired": StatusDisplay(_("Expired"), Tone.BAD),
    "revoked": StatusDisplay(_("Revoked"), Tone.BAD),
    "enabled": StatusDisplay(_("Enabled"), Tone.GOOD),
    "disabled": StatusDisplay(_("Disabled"), Tone.BAD),
    "frozen": StatusDisplay(_("Frozen"), Tone.BAD),
    "paused": StatusDisplay(_("Paused"), Tone.NOW),
}


def status_label(code: str, language: str) -> str:
    """Return the label of a status in a language; a status without a label keeps its code."""
    found = STATUSES.get(code)
    return code if found is None else catalogue(language).gettext(found.label)


def status_tone(code: str) -> Tone:
    """Return the tone of a status; an unknown one is under way."""
    found = STATUSES.get(code)
    return Tone.BUSY if found is None else found.tone
