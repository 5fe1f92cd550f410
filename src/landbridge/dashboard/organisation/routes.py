"""Page controllers of the organisation section."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.organisation.address_pages import AddressPolicyPages
from landbridge.dashboard.organisation.audit_pages import AuditLogPages
from landbridge.dashboard.organisation.chain_pages import ChainPages
from landbridge.dashboard.organisation.exchange_pages import ExchangeSettingPages
from landbridge.dashboard.organisation.fee_pages import FeePages
from landbridge.dashboard.organisation.limit_pages import LimitPages
from landbridge.dashboard.organisation.provider_pages import ProviderPages
from landbridge.dashboard.organisation.sandbox_pages import SandboxPages
from landbridge.dashboard.organisation.settings_pages import SettingsPages
from landbridge.dashboard.organisation.swap_providers import SwapProviderPages
from landbridge.dashboard.organisation.travel_rule_pages import TravelRuleSettingPages

PAGES: Sequence[ControllerRouterHandler] = [
    AddressPolicyPages,
    AuditLogPages,
    ChainPages,
    ExchangeSettingPages,
    FeePages,
    SwapProviderPages,
    LimitPages,
    ProviderPages,
    SandboxPages,
    SettingsPages,
    TravelRuleSettingPages,
]
