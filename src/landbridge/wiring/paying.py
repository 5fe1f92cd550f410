"""What every payment needs, whichever flow it is of."""

from dataclasses import dataclass

from landbridge.approvals.service import Approvals
from landbridge.bank_files.answering import SandboxBank
from landbridge.bank_files.applying import Applying
from landbridge.bank_files.reading import Reading
from landbridge.members.approval_mails import ApprovalMails
from landbridge.orgs.model import Mode
from landbridge.payments.committing import Committing
from landbridge.payments.ends import Ends
from landbridge.payments.openings import Openings
from landbridge.receipts.service import Receipts
from landbridge.virtual_accounts.deposits import Deposits
from landbridge.virtual_accounts.destinations import Destinations
from landbridge.virtual_accounts.rules import SettlementRules
from landbridge.virtual_accounts.service import VirtualAccounts
from landbridge.wiring.foundation import members
from landbridge.wiring.people import People


@dataclass(frozen=True, slots=True, kw_only=True)
class Paying(People):
    """What every payment needs, whichever flow it is of."""

    approval_mails: ApprovalMails
    approvals: Approvals
    ends: Ends
    openings: Openings
    committing: Committing
    receipts: Receipts
    # What banks tell in files, where the rails are these.
    bank_reading: Reading
    sandbox_bank: SandboxBank
    virtual_deposits: Deposits
    virtual_accounts: VirtualAccounts
    settlement_rules: SettlementRules


def prepare_payments(on: People) -> Paying:
    """Wire what flows share."""
    settings, database, ledger = on.settings, on.database, on.ledger
    approval_mails = ApprovalMails(on.outbox, on.vault, base_url=settings.base_url)
    approvals = Approvals(database, ledger, on.vault, approval_mails)
    # No chain is connected in production yet: nothing could carry coins out of the platform.
    can_leave = settings.mode is Mode.SANDBOX
    receipts = Receipts(database, on.vault)
    virtual_deposits = Deposits(database, on.vault, ledger, on.clock)
    return Paying(
        **members(on),
        approval_mails=approval_mails,
        approvals=approvals,
        ends=Ends(
            *(ledger, on.orgs, on.users, on.wallets),
            can_leave=can_leave,
            needs_registration=settings.require_registered_wallets,
        ),
        committing=Committing(database, ledger, on.limits),
        openings=Openings(database, ledger, approvals, on.limits, on.forcing),
        receipts=receipts,
        bank_reading=Reading(
            *(database, on.vault, on.own_accounts),
            applying=Applying(
                *(database, on.vault, on.own_accounts, on.bank_payments, receipts, on.clock)
            ),
            clock=on.clock,
        ),
        sandbox_bank=SandboxBank(settings.mode, database, on.own_accounts, on.clock),
        virtual_deposits=virtual_deposits,
        virtual_accounts=VirtualAccounts(
            *(database, on.vault, on.clock),
            users=on.users,
            verified=on.verification,
            rails=on.rails,
            destinations=Destinations(on.wallets, on.rails, can_leave),
            deposits=virtual_deposits,
        ),
        settlement_rules=SettlementRules(database, on.wallets, on.clock, can_leave),
    )
