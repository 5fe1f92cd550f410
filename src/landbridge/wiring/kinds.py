"""Every kind of record with the moves that are allowed to it, and every asset of the books."""

from collections.abc import Mapping
from typing import Any

from landbridge.chains import tokens
from landbridge.core.money import Asset
from landbridge.core.states import Moves
from landbridge.flows.batches import audit as batch_audit
from landbridge.flows.batches import model as batches
from landbridge.flows.batches import spending as batch_spending
from landbridge.flows.bridges import audit as bridge_audit
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges import spending as bridge_spending
from landbridge.flows.disbursements import audit as disbursement_audit
from landbridge.flows.disbursements import model as disbursements
from landbridge.flows.offramps import audit as offramp_audit
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps import spending as offramp_spending
from landbridge.flows.onramps import audit as onramp_audit
from landbridge.flows.onramps import model as onramps
from landbridge.flows.onramps import spending as onramp_spending
from landbridge.flows.receivables import audit as receivable_audit
from landbridge.flows.receivables import model as receivables
from landbridge.flows.resolutions import audit as resolution_audit
from landbridge.flows.resolutions import model as resolutions
from landbridge.flows.swaps import audit as swap_audit
from landbridge.flows.swaps import model as swaps
from landbridge.flows.swaps import spending as swap_spending
from landbridge.flows.wallet_transfers import audit as transfer_audit
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.flows.wallet_transfers import spending as transfer_spending
from landbridge.ledger import corrections
from landbridge.ledger.audit_rules import AuditRules
from landbridge.limits.model import Kind
from landbridge.payments import remittances
from landbridge.payments.waits import Waits
from landbridge.rails import currencies
from landbridge.virtual_accounts import audit as micro_deposit_audit
from landbridge.virtual_accounts import model as virtual_accounts
from landbridge.wallets import audit as deposit_audit
from landbridge.wallets import model as wallets

# Stablecoins on their chains and fiat at banks, by code.
ASSETS: Mapping[str, Asset] = {**tokens.ASSETS, **currencies.FIAT_ASSETS}

MOVES: Mapping[str, Moves[Any]] = {
    wallets.DEPOSIT_KIND: wallets.DEPOSIT_MOVES,
    swaps.KIND: swaps.MOVES,
    wallet_transfers.KIND: remittances.MOVES,
    batches.KIND: remittances.MOVES,
    bridges.KIND: bridges.MOVES,
    offramps.KIND: offramps.MOVES,
    onramps.KIND: onramps.MOVES,
    receivables.KIND: receivables.MOVES,
    disbursements.KIND: disbursements.MOVES,
    virtual_accounts.MICRO_DEPOSIT_KIND: virtual_accounts.MICRO_DEPOSIT_MOVES,
    corrections.KIND: corrections.MOVES,
    resolutions.KIND: resolutions.MOVES,
}

# How `landbridge check` verifies the records of each kind. Corrections are verified by SQL, against
# the journals that they reverse (ledger/correction_store.py).
AUDIT_RULES: Mapping[str, AuditRules] = {
    wallets.DEPOSIT_KIND: deposit_audit.RULES,
    swaps.KIND: swap_audit.RULES,
    wallet_transfers.KIND: transfer_audit.RULES,
    batches.KIND: batch_audit.RULES,
    bridges.KIND: bridge_audit.RULES,
    offramps.KIND: offramp_audit.RULES,
    onramps.KIND: onramp_audit.RULES,
    virtual_accounts.MICRO_DEPOSIT_KIND: micro_deposit_audit.RULES,
    disbursements.KIND: disbursement_audit.RULES,
    receivables.KIND: receivable_audit.RULES,
    resolutions.KIND: resolution_audit.RULES,
}

# Whom the records of each flow wait for.
WAITS: Mapping[str, Waits] = {
    swaps.KIND: swaps.WAITS,
    wallet_transfers.KIND: remittances.WAITS,
    batches.KIND: remittances.WAITS,
    bridges.KIND: bridges.WAITS,
    offramps.KIND: offramps.WAITS,
    onramps.KIND: onramps.WAITS,
    resolutions.KIND: resolutions.WAITS,
    receivables.KIND: receivables.WAITS,
    disbursements.KIND: disbursements.WAITS,
}

# The kinds of record that limits are for.
LIMITED: Mapping[str, Kind] = {
    swaps.KIND: Kind(swap_spending.as_spending, swaps.MOVES),
    wallet_transfers.KIND: Kind(transfer_spending.as_spending, remittances.MOVES),
    batches.KIND: Kind(batch_spending.as_spending, remittances.MOVES),
    bridges.KIND: Kind(bridge_spending.as_spending, bridges.MOVES),
    offramps.KIND: Kind(offramp_spending.as_spending, offramps.MOVES),
    onramps.KIND: Kind(onramp_spending.as_spending, onramps.MOVES),
}
