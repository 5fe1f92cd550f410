"""Every kind of record with the moves that are allowed to it, and every asset of the books."""

from collections.abc import Mapping
from typing import Any

from landbridge.chains import tokens
from landbridge.core.money import Asset
from landbridge.core.states import Moves
from landbridge.flows.batches import model as batches
from landbridge.flows.batches import spending as batch_spending
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges import spending as bridge_spending
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps import spending as offramp_spending
from landbridge.flows.onramps import model as onramps
from landbridge.flows.onramps import spending as onramp_spending
from landbridge.flows.receivables import model as receivables
from landbridge.flows.swaps import model as swaps
from landbridge.flows.swaps import spending as swap_spending
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.flows.wallet_transfers import spending as transfer_spending
from landbridge.ledger import corrections
from landbridge.limits.model import Kind
from landbridge.payments import remittances
from landbridge.payments.waits import Waits
from landbridge.rails import currencies
from landbridge.virtual_accounts import model as virtual_accounts
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
    virtual_accounts.MICRO_DEPOSIT_KIND: virtual_accounts.MICRO_DEPOSIT_MOVES,
    corrections.KIND: corrections.MOVES,
}

# Whom the records of each flow wait for.
WAITS: Mapping[str, Waits] = {
    swaps.KIND: swaps.WAITS,
    wallet_transfers.KIND: remittances.WAITS,
    batches.KIND: remittances.WAITS,
    bridges.KIND: bridges.WAITS,
    offramps.KIND: offramps.WAITS,
    onramps.KIND: onramps.WAITS,
    receivables.KIND: receivables.WAITS,
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
