"""Every kind of record with the moves that are allowed to it, and every asset of the books."""

from collections.abc import Mapping
from typing import Any

from landbridge.chains import tokens
from landbridge.core.money import Asset
from landbridge.core.states import Moves
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.offramps import model as offramps
from landbridge.flows.onramps import model as onramps
from landbridge.flows.swaps import model as swaps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.ledger import corrections
from landbridge.payments import remittances
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
    virtual_accounts.MICRO_DEPOSIT_KIND: virtual_accounts.MICRO_DEPOSIT_MOVES,
    corrections.KIND: corrections.MOVES,
}
