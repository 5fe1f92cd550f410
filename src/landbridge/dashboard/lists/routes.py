"""Page controllers of the lists across an organisation."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.lists.pages import (
    BankAccountListPages,
    DepositListPages,
    ExternalWalletListPages,
    VirtualAccountListPages,
)

PAGES: Sequence[ControllerRouterHandler] = [
    BankAccountListPages,
    VirtualAccountListPages,
    DepositListPages,
    ExternalWalletListPages,
]
