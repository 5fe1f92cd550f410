"""Page controllers of the users section."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.users.account_pages import AccountPages
from landbridge.dashboard.users.list_pages import UserListPages
from landbridge.dashboard.users.new_pages import NewUserPages
from landbridge.dashboard.users.overview_pages import UserPages
from landbridge.dashboard.users.rule_pages import SettlementRulePages
from landbridge.dashboard.users.transaction_pages import UserTransactionPages
from landbridge.dashboard.users.virtual_account_pages import VirtualAccountPages
from landbridge.dashboard.users.wallet_pages import WalletPages

PAGES: Sequence[ControllerRouterHandler] = [
    UserListPages,
    NewUserPages,
    UserPages,
    WalletPages,
    AccountPages,
    VirtualAccountPages,
    UserTransactionPages,
    SettlementRulePages,
]
