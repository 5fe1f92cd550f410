"""Setting of the travel rule: the jurisdiction of the organisation."""

from typing import Final

from litestar import Controller, get, post

from landbridge.customers.travel_rule.api import TravelRuleReply
from landbridge.customers.travel_rule.jurisdictions import Jurisdiction
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_is_admin
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _

_API: Final = "/v2/organization/travel-rule"
_HOME: Final = "/dashboard/settings/travel-rule"
_TEMPLATE: Final = "organisation/travel_rule.html"
_NONE: Final = "NONE"
JURISDICTIONS: Final = {
    _NONE: _("None: no payment or deposit waits for data"),
    Jurisdiction.EU: _("European Union"),
    Jurisdiction.GB: _("United Kingdom"),
    Jurisdiction.US: _("United States"),
    Jurisdiction.SG: _("Singapore"),
    Jurisdiction.CH: _("Switzerland"),
}


class TravelRuleSettingPages(Controller):
    """`/dashboard/settings/travel-rule`."""

    path = "/settings/travel-rule"

    @get("/")
    async def show(self, request: PageRequest) -> Page:
        """Show the jurisdiction, and whether the installation applies the travel rule."""
        check_is_admin(request.user)
        found = await request.interface.read(TravelRuleReply, _API)
        return request.page(_TEMPLATE, **_values(found, found.jurisdiction))

    @post("/", fresh=_HOME)
    async def save(self, request: PageRequest) -> Page:
        """Set the jurisdiction."""
        check_is_admin(request.user)
        form = Form()
        try:
            form = await read_form(request)
            chosen = form.text("jurisdiction")
            await request.interface.put(_API, {"jurisdiction": None if chosen == _NONE else chosen})
        except Refused as problem:
            values = _values(
                await request.interface.read(TravelRuleReply, _API), form.text("jurisdiction")
            )
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(_HOME, notice=_("Jurisdiction saved"))


def _values(found: TravelRuleReply, chosen: str | None) -> dict[str, object]:
    return {"found": found, "chosen": chosen or _NONE, "jurisdictions": JURISDICTIONS}
