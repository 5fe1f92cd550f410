"""Page controllers of the lists across an organisation."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.lists.bank_account_pages import BankAccountListPages
from landbridge.dashboard.lists.deposit_pages import DepositListPages
from landbridge.dashboard.lists.external_wallet_pages import ExternalWalletListPages
from landbridge.dashboard.lists.virtual_account_pages import VirtualAccountListPages

PAGES: Sequence[ControllerRouterHandler] = [
    BankAccountListPages,
    VirtualAccountListPages,
    DepositListPages,
    ExternalWalletListPages,
]
