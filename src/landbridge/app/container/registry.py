"""Registry: all kinds of record with their transitions, and all assets of the ledger."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from landbridge.customers.bank_accounts import model as bank_accounts
from landbridge.customers.bank_accounts.model import BankAccountStatus
from landbridge.customers.chain_deposits import audit as reversal_audit
from landbridge.customers.chain_deposits import reversals, treasury_audit, treasury_reversals
from landbridge.customers.deposit_screening import audit as screening_audit
from landbridge.customers.deposit_screening import model as screenings
from landbridge.customers.payment_screening import model as payment_screenings
from landbridge.customers.verification import model as verification
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.wallets import audit as deposit_audit
from landbridge.customers.wallets import model as wallets
from landbridge.ledger import corrections
from landbridge.ledger.audit_rules import POSTS_NOTHING, AuditRules
from landbridge.payments.approvals import model as approvals
from landbridge.payments.batches import audit as batch_audit
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import audit as bridge_audit
from landbridge.payments.bridges import model as bridges
from landbridge.payments.disbursements import audit as disbursement_audit
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.engine.state_machines import StateMachines
from landbridge.payments.engine.timelines import INCOMING_PAYMENT_WAITS
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.incoming_payments import model as incoming_payments
from landbridge.payments.limits.model import LimitedKind
from landbridge.payments.offramps import audit as offramp_audit
from landbridge.payments.offramps import limit_usage as offramp_spending
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import audit as onramp_audit
from landbridge.payments.onramps import model as onramps
from landbridge.payments.receivables import audit as receivable_audit
from landbridge.payments.receivables import model as receivables
from landbridge.payments.resolutions import model as resolutions
from landbridge.payments.swaps import audit as swap_audit
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import audit as transfer_audit
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.payments.virtual_accounts import audit as micro_deposit_audit
from landbridge.payments.virtual_accounts import model as virtual_accounts
from landbridge.platform.core.money import Asset
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains import tokens
from landbridge.providers.evm.gas import audit as gas_cost_audit
from landbridge.providers.evm.gas import model as gas_costs
from landbridge.providers.kyt.port import SCREENED_WITHIN
from landbridge.providers.rails import currencies
from landbridge.reporting.reconciliation import adjustment_audit, adjustments

# Stablecoins and native coins on their chains, and fiat at banks, by code.
ASSETS: Mapping[str, Asset] = {
    **tokens.ASSETS,
    **{each.code: each for each in tokens.NATIVE_ASSETS.values()},
    **currencies.FIAT_ASSETS,
}

# Every (kind, status) of a payment that the treasury still has to deliver.
OWED_BY_TREASURY = [
    *((swaps.KIND, status) for status in swaps.OWING),
    *((onramps.KIND, status) for status in onramps.OWING),
]

TRANSITIONS: Mapping[str, Transitions[Any]] = {
    wallets.DEPOSIT_KIND: wallets.DEPOSIT_MOVES,
    reversals.KIND: reversals.TRANSITIONS,
    treasury_reversals.KIND: treasury_reversals.TRANSITIONS,
    gas_costs.KIND: gas_costs.TRANSITIONS,
    swaps.KIND: swaps.TRANSITIONS,
    wallet_transfers.KIND: outgoing_transfers.TRANSITIONS,
    batches.KIND: outgoing_transfers.TRANSITIONS,
    bridges.KIND: bridges.TRANSITIONS,
    offramps.KIND: offramps.TRANSITIONS,
    onramps.KIND: onramps.TRANSITIONS,
    receivables.KIND: receivables.TRANSITIONS,
    disbursements.KIND: disbursements.TRANSITIONS,
    virtual_accounts.MICRO_DEPOSIT_KIND: virtual_accounts.MICRO_DEPOSIT_TRANSITIONS,
    corrections.KIND: corrections.TRANSITIONS,
    adjustments.KIND: adjustments.TRANSITIONS,
    resolutions.KIND: resolutions.TRANSITIONS,
    screenings.KIND: screenings.TRANSITIONS,
    payment_screenings.KIND: payment_screenings.TRANSITIONS,
}

# How `landbridge check` verifies the records of each kind. Corrections are verified by SQL, against
# the journals that they reverse (ledger/correction_store.py).
AUDIT_RULES: Mapping[str, AuditRules] = {
    wallets.DEPOSIT_KIND: deposit_audit.RULES,
    reversals.KIND: reversal_audit.RULES,
    treasury_reversals.KIND: treasury_audit.RULES,
    gas_costs.KIND: gas_cost_audit.RULES,
    swaps.KIND: swap_audit.RULES,
    wallet_transfers.KIND: transfer_audit.RULES,
    batches.KIND: batch_audit.RULES,
    bridges.KIND: bridge_audit.RULES,
    offramps.KIND: offramp_audit.RULES,
    onramps.KIND: onramp_audit.RULES,
    virtual_accounts.MICRO_DEPOSIT_KIND: micro_deposit_audit.RULES,
    disbursements.KIND: disbursement_audit.RULES,
    receivables.KIND: receivable_audit.RULES,
    adjustments.KIND: adjustment_audit.RULES,
    resolutions.KIND: POSTS_NOTHING,
    screenings.KIND: screening_audit.RULES,
    payment_screenings.KIND: POSTS_NOTHING,
}

# Wait states of the records of each flow.
WAITS: Mapping[str, WaitStates] = {
    swaps.KIND: swaps.WAITS,
    wallet_transfers.KIND: outgoing_transfers.WAITS,
    batches.KIND: outgoing_transfers.WAITS,
    bridges.KIND: bridges.WAITS,
    offramps.KIND: offramps.WAITS,
    onramps.KIND: onramps.WAITS,
    resolutions.KIND: resolutions.WAITS,
    receivables.KIND: receivables.WAITS,
    disbursements.KIND: disbursements.WAITS,
    screenings.KIND: WaitStates(
        screenings.TRANSITIONS,
        {
            screenings.ScreeningStatus.IN_SCREENING: WaitState(
                WaitParty.SCREENING_PROVIDER, SCREENED_WITHIN
            ),
            screenings.ScreeningStatus.HELD: WaitState(
                WaitParty.REVIEWER, screenings.DECIDED_WITHIN
            ),
        },
    ),
    payment_screenings.KIND: WaitStates(
        payment_screenings.TRANSITIONS,
        {
            payment_screenings.PaymentScreeningStatus.IN_SCREENING: WaitState(
                WaitParty.SCREENING_PROVIDER, SCREENED_WITHIN
            ),
            payment_screenings.PaymentScreeningStatus.HELD: WaitState(
                WaitParty.REVIEWER, screenings.DECIDED_WITHIN
            ),
        },
    ),
    # A reviewer looks at it at once: its user is frozen, and owes money.
    reversals.KIND: WaitStates(
        reversals.TRANSITIONS,
        {reversals.ReversalStatus.OPEN: WaitState(WaitParty.REVIEWER, timedelta())},
    ),
    treasury_reversals.KIND: WaitStates(
        treasury_reversals.TRANSITIONS,
        {
            treasury_reversals.TreasuryReversalStatus.OPEN: WaitState(
                WaitParty.REVIEWER, timedelta()
            )
        },
    ),
}

# Bank accounts have one state machine for both of their kinds.
BANK_ACCOUNT = "ACCOUNT"

# State machines of all records, also of those that are not in the ledger.
STATE_MACHINES = StateMachines(
    transitions={
        **TRANSITIONS,
        approvals.KIND: approvals.TRANSITIONS,
        incoming_payments.KIND: incoming_payments.TRANSITIONS,
        verification.KIND: verification.TRANSITIONS,
        BANK_ACCOUNT: bank_accounts.TRANSITIONS,
    },
    waits={
        **WAITS,
        approvals.KIND: WaitStates(
            approvals.TRANSITIONS, {approvals.ApprovalStatus.PENDING: WaitState(WaitParty.ADMIN)}
        ),
        incoming_payments.KIND: INCOMING_PAYMENT_WAITS,
        verification.KIND: WaitStates(
            verification.TRANSITIONS,
            {
                KycStatus.INACTIVE: WaitState(WaitParty.CLIENT),
                KycStatus.CREATED: WaitState(WaitParty.WORKER),
                KycStatus.PENDING: WaitState(WaitParty.IDENTITY_PROVIDER),
                KycStatus.MANUAL_REVIEW: WaitState(WaitParty.REVIEWER),
                **dict.fromkeys(verification.WAIT_FOR_USER, WaitState(WaitParty.CLIENT)),
            },
            at_rest={KycStatus.ACTIVE},
        ),
        BANK_ACCOUNT: WaitStates(
            bank_accounts.TRANSITIONS,
            {BankAccountStatus.PENDING: WaitState(WaitParty.REVIEWER)},
            at_rest={BankAccountStatus.ACTIVE, BankAccountStatus.REJECTED},
        ),
    },
)

# Kinds of record to which limits apply.
LIMITED: Mapping[str, LimitedKind] = {
    swaps.KIND: LimitedKind(swaps.as_limit_usage, swaps.TRANSITIONS),
    wallet_transfers.KIND: LimitedKind(
        wallet_transfers.as_limit_usage, outgoing_transfers.TRANSITIONS
    ),
    batches.KIND: LimitedKind(batches.as_limit_usage, outgoing_transfers.TRANSITIONS),
    bridges.KIND: LimitedKind(bridges.as_limit_usage, bridges.TRANSITIONS),
    offramps.KIND: LimitedKind(offramp_spending.as_limit_usage, offramps.TRANSITIONS),
    onramps.KIND: LimitedKind(onramps.as_limit_usage, onramps.TRANSITIONS),
}
