"""Overview page: balances, 30-day volume, latest transactions and items that need attention."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.dashboard.attention_items import attention_items
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.payment_lines import read_lines
from landbridge.dashboard.reports.calculation import calculate_report, read_template
from landbridge.dashboard.reports.comparison import ReportComparison, ReportReader
from landbridge.dashboard.reports.report_query import params_of, query_of
from landbridge.dashboard.reports.results import ReportView
from landbridge.dashboard.usd_values import total_usd
from landbridge.payments.transactions.balance_schemas import BalancesReply
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.platform.core.errors import Refused
from landbridge.providers.rates.valuation import Valuation

_ITEMS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class VolumeCard:
    """Volume of 30 days, and the path of its report; both values are None if unavailable."""

    path: str
    report: ReportView | None
    comparison: ReportComparison | None


class OverviewPages(Controller):
    """`/dashboard`."""

    @get("/")
    async def show(
        self,
        request: PageRequest,
        valuation: NamedDependency[Valuation],
        reader: NamedDependency[ReportReader],
    ) -> Response[str]:
        """Show the overview."""
        now = request.now()
        usd_rates, balances, volume, latest, attention = await asyncio.gather(
            valuation.rates(CURRENCIES, now.date()),
            request.interface.read(BalancesReply, "/v2/balances"),
            _volume(reader, now, request),
            read_lines(request.interface, limit=_ITEMS_MAX),
            attention_items(request.interface, now, request.user.zone),
        )
        return request.page(
            "overview.html",
            balances=balances,
            balance_usd=total_usd(
                (
                    (Decimal(each.available) + Decimal(each.held), each.currency)
                    for each in balances.users
                ),
                usd_rates,
            ),
            usd_rates=usd_rates,
            volume=volume,
            latest=latest.data,
            attention=attention,
        )

    @get("/shortcuts")
    async def shortcuts(self, request: PageRequest) -> Response[str]:
        """List the keyboard shortcuts; scripts show the same list for `?`."""
        return request.page("shortcuts.html")


async def _volume(reader: ReportReader, now: datetime, request: PageRequest) -> VolumeCard:
    """Return the volume of onramps, offramps and transfers of 30 days."""
    template = await read_template(reader.interface, "GROSS_VOLUME")
    submitted = {
        "breakdowns": ["transactionType"],
        "transactionTypes": ["onramp", "offramp", "transfer"],
    }
    params = params_of(template.params, submitted, now, request.user.zone)
    path = f"/dashboard/reports/explore?{query_of(template.name, params)}"
    try:
        report = await calculate_report(reader.interface, template, params, "")
    except Refused:
        return VolumeCard(path, None, None)
    return VolumeCard(path, report, await reader.compare(template, params, report))
