"""Style guide of the sandbox: the tokens of the style sheet, and every component in all states."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from litestar import Controller, Response, get
from litestar.exceptions import NotFoundException

from landbridge.dashboard.attention_items import AttentionItem
from landbridge.dashboard.charts import ChartKind, ChartSeries, build_chart, sparkline
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.reports.comparison import ReportComparison
from landbridge.dashboard.style_tokens import (
    color_pairs,
    dark_tokens,
    light_tokens,
    rem_px,
    tokens_of,
)
from landbridge.dashboard.transactions.milestones import Milestone
from landbridge.payments.transactions.schemas import EndReply, RecipientReply, TransactionReply
from landbridge.platform.formats.translations import later as _
from landbridge.providers.rates.reference import CrossRate
from landbridge.providers.rates.valuation import UsdRates

# Numbered scales of the style sheet by their prefix.
_SCALES: Final = (("t", _("Type")), ("s", _("Spacing")), ("r", _("Radius")))
_NAMED: Final = (
    *("regular", "medium", "strong", "bold", "title", "touch", "side"),
    *("lift", "float", "overlay", "scrim", "shade", "wait"),
)
_THEMES: Final = ("light", "dark")
# One status of each tone.
_STATUSES: Final = ("OPEN_QUOTE", "INITIATED", "COMPLETED", "FAILED")
_DAYS: Final = 8
_ID: Final = UUID("6fdc776a-083b-7000-8000-000000000001")
_USER_ID: Final = UUID("6fdc776a-083b-7000-8000-000000000002")


class StyleGuidePages(Controller):
    """`/dashboard/styleguide`, in a sandbox only."""

    path = "/styleguide"

    @get("/")
    async def show(self, request: PageRequest) -> Response[str]:
        """Show the tokens, and the components in both themes; raise `NotFoundException`."""
        if not request.installation.is_sandbox:
            raise NotFoundException
        now = request.now()
        return request.page(
            "styleguide.html",
            themes=_THEMES,
            pairs=color_pairs(),
            scales=[
                (title, [(name, value, rem_px(value)) for name, value in tokens_of(prefix)])
                for prefix, title in _SCALES
            ],
            named=[
                (name, light_tokens()[name], dark_tokens().get(name, light_tokens()[name]))
                for name in _NAMED
            ],
            statuses=_STATUSES,
            usd_rates=UsdRates({"mxn": CrossRate(Decimal("17.95"), Decimal(1))}),
            line=_payment_line(now),
            items=_items(now),
            steps=_steps(now),
            charts_of=_charts(now),
            comparison=ReportComparison(Decimal(1250), Decimal("156.25"), 8, Decimal(1000)),
            wrong_inputs={
                f"{theme}-wrong": "Enter an amount such as 1,250.50." for theme in _THEMES
            },
        )


def _payment_line(now: datetime) -> TransactionReply:
    """Return a payment as `GET /v2/transactions?expand=parties` describes one."""
    at = (now - timedelta(minutes=5)).isoformat()
    return TransactionReply(
        id=_ID,
        type="OFFRAMP",
        status="OPEN_QUOTE",
        user_id=_USER_ID,
        user_name="Ada Example",
        request_id=_ID,
        source=EndReply(amount="846.35", currency="usdc", chain="POLYGON"),
        destination=EndReply(amount="843.79", currency="usd", chain=None),
        fee=EndReply(amount="2.56", currency="usdc", chain="POLYGON"),
        recipient=RecipientReply(
            count=1,
            account_id=_ID,
            bank_name="Chase",
            account_number="****6789",
            user_id=None,
            user_name=None,
            address=None,
        ),
        created_at=at,
        updated_at=at,
    )


def _items(now: datetime) -> Sequence[AttentionItem]:
    return [
        AttentionItem(
            "#attention",
            _("Payments awaiting approval"),
            count=2,
            until=(now + timedelta(hours=23)).isoformat(),
        ),
        AttentionItem(
            "#attention",
            _("Unmatched deposits"),
            count=100,
            has_more=True,
            since=(now - timedelta(days=2)).isoformat(),
        ),
    ]


def _steps(now: datetime) -> Sequence[Milestone]:
    return [
        Milestone("CREATED", (now - timedelta(minutes=5)).isoformat()),
        Milestone("OPEN_QUOTE", now.isoformat(), is_current=True),
        Milestone(None, None),
    ]


def _charts(now: datetime) -> Mapping[str, object]:
    days = [str((now - timedelta(days=_DAYS - at)).date()) for at in range(_DAYS)]
    values = [Decimal(each) for each in (3, 5, 2, 8, 6, 9, 4, 7)]
    series = [
        ChartSeries("onramp", values),
        ChartSeries("offramp", list(reversed(values))),
    ]
    bars = build_chart(ChartKind.BARS, days, series, others="")
    lines = build_chart(ChartKind.LINES, days, series, others="")
    return {"bars": bars, "lines": lines, "spark": sparkline(bars)}
