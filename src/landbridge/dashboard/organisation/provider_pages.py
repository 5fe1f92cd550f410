"""Connected providers: what each serves, its health, and what waits for it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from litestar import Controller, Response, get

from landbridge.dashboard.page_request import PageRequest
from landbridge.payments.provider_operations.api import (
    ProviderCallsReply,
    ProviderList,
    ProviderReply,
)
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import DecimalText, WireStruct

_API: Final = "/v2/providers"

# Providers with names of their own.
_NAMED: Final = frozenset({"SIDECAR", "PACKAGE"})
KINDS: Mapping[str, str] = {
    "SIDECAR": _("Sidecar"),
    "PACKAGE": _("Python package"),
    "FILES": _("Bank files"),
    "MANUAL": _("Reviewers"),
    "SANDBOX": _("Sandbox"),
}
# A simulator is named by what it stands for; it has services of one of these kinds only.
_SIMULATORS: Mapping[str, str] = {
    "PAYOUTS": _("Simulated bank"),
    "DEPOSITS": _("Simulated bank"),
    "IDENTITY": _("Simulated identity provider"),
    "SCREENING": _("Simulated screening provider"),
    "PAYMENT_SCREENING": _("Simulated screening provider"),
}
SERVICES: Mapping[str, str] = {
    "PAYOUTS": _("Payouts"),
    "DEPOSITS": _("Deposits"),
    "IDENTITY": _("Verification of users"),
    "SCREENING": _("Screening of deposits"),
    "PAYMENT_SCREENING": _("Screening of payments"),
    "RATES": _("Market prices"),
    "TRAVEL_RULE": _("Travel rule"),
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
# Screenings of deposits and of payments share their ids, so one of these queues has it.
_SCREENING_QUEUES: Mapping[str, str] = {
    "deposit-screenings": _("Screened deposit"),
    "payment-screenings": _("Screened payment"),
}


@dataclass(frozen=True, slots=True)
class ScreeningLink:
    """Page of a screening that waits for a provider, and its amount."""

    path: str
    title: str
    amount: str
    currency: str


class _ScreenedAmount(WireStruct, frozen=True):
    """Amount of a screened deposit or payment."""

    amount: DecimalText
    currency: str


class ProviderPages(Controller):
    """`/dashboard/providers`."""

    path = "/providers"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List the connected providers."""
        found = (await request.interface.read(ProviderList, _API)).providers
        return request.page(
            "organisation/providers.html",
            providers=[(each, error_rate(each.calls)) for each in found],
            screenings=await screening_links(request.interface, found),
            titles=[provider_title(each) for each in found],
            kinds=KINDS,
            services=SERVICES,
            failures=FAILURES,
            problems=PROBLEMS,
        )


async def screening_links(
    interface: InternalClient, providers: Sequence[ProviderReply]
) -> Mapping[UUID, ScreeningLink]:
    """Return the link of each listed screening by id; without those that the visitor can't see."""
    ids = [item.screening_id for each in providers for item in each.waiting if item.screening_id]
    found = await asyncio.gather(*(_screening_link(interface, each) for each in ids))
    return {each: link for each, link in zip(ids, found, strict=True) if link is not None}


async def _screening_link(interface: InternalClient, screening_id: UUID) -> ScreeningLink | None:
    for queue, title in _SCREENING_QUEUES.items():
        try:
            found = await interface.read(_ScreenedAmount, f"/v2/reviews/{queue}/{screening_id}")
        except Refused:
            continue
        path = f"/dashboard/reviews/{queue}/{screening_id}"
        return ScreeningLink(path, title, found.amount, found.currency)
    return None


def provider_title(provider: ProviderReply) -> str:
    """Return the name of a provider's section: its own, or what it is, to be translated."""
    if provider.kind in _NAMED:
        return provider.name
    services = [each.service for each in provider.serves]
    if provider.kind == "SANDBOX" and services:
        return _SIMULATORS[services[0]]
    return KINDS[provider.kind]


def error_rate(calls: ProviderCallsReply | None) -> int | None:
    """Return the share of failed calls in per cent, rounded up; None without calls."""
    if not calls or not calls.count:
        return None
    return -(-calls.failed * 100 // calls.count)
