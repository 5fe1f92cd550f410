"""Connected providers: what each serves, its health, and what waits for it."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_API: Final = "/v2/providers"

KINDS: Mapping[str, str] = {
    "SIDECAR": _("Sidecar"),
    "PACKAGE": _("Python package"),
    "FILES": _("Bank files"),
    "MANUAL": _("Reviewers"),
    "SANDBOX": _("Sandbox"),
}
SERVICES: Mapping[str, str] = {
    "PAYOUTS": _("Payouts"),
    "DEPOSITS": _("Deposits"),
    "IDENTITY": _("Verification of users"),
    "SCREENING": _("Screening of deposits"),
    "PAYMENT_SCREENING": _("Screening of payments"),
}
FAILURES: Mapping[str, str] = {
    "UNREACHABLE": _("No connection"),
    "NO_ANSWER": _("No answer in time"),
    "ANSWER_INVALID": _("Invalid answer"),
    "NOT_NOW": _("Temporarily refused"),
}
# An order's problem, as its provider caused it; docs/reference/providers-file.md.
PROBLEMS: Mapping[str, str] = {
    "ANSWER_INVALID": _("Invalid answer"),
    "KEY_CONFLICT": _("Key known with another payment"),
    "AMOUNT_DIFFERS": _("Another amount"),
    "CONTRADICTION": _("Contradicting answers"),
    "RETURNED_LATE": _("Returned after settlement"),
}


class ProviderPages(Controller):
    """`/dashboard/providers`."""

    path = "/providers"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """List the connected providers."""
        found = (await interface.get(_API))["providers"]
        return renderer.page(
            request,
            "organisation/providers.html",
            providers=[(each, error_rate(each["calls"])) for each in found],
            kinds=KINDS,
            services=SERVICES,
            failures=FAILURES,
            problems=PROBLEMS,
        )


def error_rate(calls: Mapping[str, Any] | None) -> int | None:
    """Return the share of failed calls in per cent, rounded up; None without calls."""
    if not calls or not calls["count"]:
        return None
    return -(-calls["failed"] * 100 // calls["count"])
