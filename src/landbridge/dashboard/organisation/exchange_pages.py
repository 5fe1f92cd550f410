"""Setting of the exchange of travel rule data: our travel address, providers and coins."""

from typing import Final

from litestar import Controller, get, post

from landbridge.customers.travel_exchanges.api import ExchangeSettingReply
from landbridge.customers.travel_exchanges.model import AmountUnit, InquiryPolicy
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_is_admin
from landbridge.dashboard.payment_lines import currency_name
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.providers.chains.tokens import TOKENS, Network

_API: Final = "/v2/organization/travel-rule-exchange"
_HOME: Final = "/dashboard/settings/travel-rule-exchange"
_TEMPLATE: Final = "organisation/travel_rule_exchange.html"
_COINS: Final = sorted({currency for _chain, currency in TOKENS})
UNITS: Final = {
    AmountUnit.WHOLE: _("Coins, with decimals"),
    AmountUnit.SMALLEST: _("Smallest units of the coin"),
}
POLICIES: Final = {
    InquiryPolicy.REVIEW: _("People answer each inquiry"),
    InquiryPolicy.APPROVE: _("Approve if a certificate proves who asks"),
}


class ExchangeSettingPages(Controller):
    """`/dashboard/settings/travel-rule-exchange`."""

    path = "/settings/travel-rule-exchange"

    @get("/")
    async def show(self, request: PageRequest) -> Page:
        """Show the setting, and the organisation's own travel address."""
        check_is_admin(request.user)
        return request.page(
            _TEMPLATE, **_values(await request.interface.read(ExchangeSettingReply, _API), {})
        )

    @post("/", fresh=_HOME)
    async def save(self, request: PageRequest) -> Page:
        """Change one part of the setting: the switches, a provider or a coin."""
        check_is_admin(request.user)
        form = Form()
        try:
            form = await read_form(request)
            found = await request.interface.read(ExchangeSettingReply, _API)
            await request.interface.put(_API, _changed(found, form))
        except Refused as problem:
            entered = {name: form.text(name) for name in ("host", "name", "identifier", "currency")}
            values = _values(await request.interface.read(ExchangeSettingReply, _API), entered)
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(_HOME, notice=_("Exchange of travel rule data saved"))


def _changed(found: ExchangeSettingReply, form: Form) -> dict[str, object]:
    """Return the setting after what the form does to it."""
    providers: list[object] = [*found.counterparties]
    coins: list[object] = [*found.assets]
    is_on, requires = found.is_on, found.requires_travel_address
    match form.text("action"):
        case "add-provider":
            providers.append(
                {
                    "host": form.text("host"),
                    "name": form.text("name"),
                    "amountUnit": form.text("amountUnit"),
                    "policy": form.text("policy"),
                }
            )
        case "remove-provider":
            providers = [each for each in found.counterparties if each.host != form.text("host")]
        case "add-coin":
            coins.append({name: form.text(name) for name in ("chain", "currency", "identifier")})
        case "remove-coin":
            coins = [each for each in found.assets if each.identifier != form.text("identifier")]
        case _:
            is_on = form.text("isOn") == "yes"
            requires = form.text("requiresTravelAddress") == "yes"
    return {
        "isOn": is_on,
        "requiresTravelAddress": requires,
        "assets": coins,
        "counterparties": providers,
        "version": found.version or None,
    }


def _values(found: ExchangeSettingReply, entered: dict[str, str]) -> dict[str, object]:
    return {
        "found": found,
        "entered": entered,
        "units": UNITS,
        "policies": POLICIES,
        "networks": list(Network),
        "currencies": [(each, currency_name(each)) for each in _COINS],
    }
