"""Style guide of the sandbox: tokens of the style sheet with their contrast, and all components."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Final
from uuid import UUID

from litestar import Controller, Response, get
from litestar.exceptions import NotFoundException

from landbridge.dashboard.assets import asset_text
from landbridge.dashboard.attention_items import AttentionItem
from landbridge.dashboard.charts import ChartKind, ChartSeries, build_chart, sparkline
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.reports.comparison import ReportComparison
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


STYLE: Final = "style.css"
_BLOCK: Final = re.compile(r"(:root[^{]*)\{([^}]*)\}")
_TOKEN: Final = re.compile(r"--([a-z0-9-]+):\s*([^;]+);")
_HEX: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_HEX_SHORT: Final = 4
# Below it a channel is linear.
_LINEAR_MAX: Final = 0.04045
# WCAG 2.2: of text, and of what is no text, against what is behind it.
TEXT_CONTRAST_MIN: Final = 4.5
SHAPE_CONTRAST_MIN: Final = 3.0
# Which color is shown on which.
TEXT_PAIRS: Final = (
    *((text, behind) for text in ("ink", "soft", "link") for behind in ("page", "card", "row")),
    *((tone, f"{tone}-soft") for tone in ("good", "bad", "now", "busy")),
    *(("bad", "card"), ("now", "card"), ("act", "act-soft"), ("on-sand", "sand")),
    *(("on-act", "act"), ("on-act", "act-down")),
)
SHAPE_PAIRS: Final = (
    *((shape, behind) for shape in ("line", "focus") for behind in ("page", "card")),
    *((f"c{number}", "card") for number in range(1, 7)),
)


@dataclass(frozen=True, slots=True)
class ColorPair:
    """A color in front of another, and their contrast from 1 to 21, in both themes."""

    front: str
    behind: str
    light: tuple[str, str]
    dark: tuple[str, str]
    light_contrast: float
    dark_contrast: float
    minimum: float


@cache
def light_tokens() -> Mapping[str, str]:
    """Return the tokens of the light theme, among them those that no theme changes."""
    return _blocks()[0]


@cache
def dark_tokens() -> Mapping[str, str]:
    """Return the tokens that the dark theme changes."""
    return _blocks()[-1]


def color_pairs() -> Sequence[ColorPair]:
    """Return all pairs in which the pages show colors."""
    return [
        *(_pair(front, behind, TEXT_CONTRAST_MIN) for front, behind in TEXT_PAIRS),
        *(_pair(front, behind, SHAPE_CONTRAST_MIN) for front, behind in SHAPE_PAIRS),
    ]


def tokens_of(prefix: str) -> Sequence[tuple[str, str]]:
    """Return the numbered tokens of a scale, such as `t` for type, smallest first."""
    name = re.compile(rf"{prefix}\d+")
    return [each for each in light_tokens().items() if name.fullmatch(each[0])]


def rem_px(value: str) -> float:
    """Return the pixels of a length in rem, at the default size of text."""
    return float(value.removesuffix("rem")) * 16


def _blocks() -> Sequence[Mapping[str, str]]:
    """Return the tokens of each block: light, dark by the system, dark by choice."""
    return [dict(_TOKEN.findall(body)) for _selector, body in _BLOCK.findall(asset_text(STYLE))]


def _pair(front: str, behind: str, minimum: float) -> ColorPair:
    light = light_tokens()[front], light_tokens()[behind]
    dark = dark_tokens()[front], dark_tokens()[behind]
    return ColorPair(front, behind, light, dark, _contrast(*light), _contrast(*dark), minimum)


def _contrast(front: str, behind: str) -> float:
    """Return the contrast of two colors. Source: WCAG 2.2, contrast ratio."""
    low, high = sorted((_luminance(front), _luminance(behind)))
    return round((high + 0.05) / (low + 0.05), 2)


def _luminance(color: str) -> float:
    """Return the relative luminance of `#rgb` or `#rrggbb`. Source: WCAG 2.2."""
    if not _HEX.fullmatch(color):
        raise ValueError(f"{color} is no color in hexadecimal")
    digits = color[1:] if len(color) > _HEX_SHORT else "".join(each * 2 for each in color[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        each / 12.92 if each <= _LINEAR_MAX else ((each + 0.055) / 1.055) ** 2.4
        for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
