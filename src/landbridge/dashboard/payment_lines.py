"""Line of a payment, in the same words on every page: what leaves, what arrives, and where.

A line is made from a summary of `GET /v2/transactions?expand=parties`. The template
`transactions/lines.html` makes cells, tables and the head of a payment's page from it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from msgspec import UnsetType
from msgspec.structs import replace

from landbridge.dashboard.change_labels import KIND_LABELS
from landbridge.dashboard.number_formats import number_markup
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.users.account_labels import rail_label
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.payments.transactions.schemas import (
    EndReply,
    RecipientReply,
    TransactionPageReply,
    TransactionReply,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

# Coins with a mark of their own in the style sheet; fiat currencies have none.
_MARKED: Final = frozenset({"usdc", "usdt", "usdg", "usdhifi"})
_SHORT_HEAD, _SHORT_TAIL = 6, 4
_IDS_MAX: Final = 100
_API: Final = "/v2/transactions"
_TO: Final = _("%(source)s to %(target)s")
_TO_NAME: Final = _("%(source)s to %(target)s, %(name)s")


async def payment_lines(
    interface: InternalClient, ids: Collection[UUID]
) -> Mapping[UUID, TransactionReply]:
    """Return the summaries of these payments by id; what is no payment is left out."""
    if not ids:
        return {}
    found = await read_lines(interface, id=sorted(map(str, ids))[:_IDS_MAX], limit=_IDS_MAX)
    return {each.id: each for each in found.data}


async def read_lines(
    interface: InternalClient, **query: str | int | Sequence[str] | None
) -> TransactionPageReply:
    """Return a page of payments with their parties; raises `FieldInvalid`."""
    return await interface.read(TransactionPageReply, _API, expand="parties", **query)


def recipient_of(line: TransactionReply) -> RecipientReply:
    """Return who is paid; a line has its parties."""
    if isinstance(line.recipient, UnsetType):
        raise InvariantBroken(f"the recipient of {line.id} was not looked up")
    return line.recipient


def coin(currency: str) -> Markup:
    """Return a currency as people write it, with the mark of its coin; other units unchanged."""
    is_known = currency in CURRENCIES
    return Markup('<span class="unit{}">{}</span>').format(
        f" coin {currency.lower()}" if is_known and currency.lower() in _MARKED else "",
        currency_name(currency),
    )


def currency_name(currency: str) -> str:
    """Return a currency as people write it, `USDC`; other units unchanged."""
    return currency.upper() if currency in CURRENCIES else currency


def chain_name(chain: str) -> str:
    """Return the name of a chain: `Polygon` of `POLYGON`."""
    return chain.title() if chain.isupper() else chain


def money_unit(unit: str) -> Markup:
    """Return the unit of an amount: a currency, and its chain if one follows (`usdc POLYGON`)."""
    currency, _space, chain = unit.partition(" ")
    if not chain:
        return coin(currency)
    return coin(currency) + Markup(' <span class="unit">{}</span>').format(chain_name(chain))


@pass_context
def kind_label(context: Context, kind: str) -> str:
    """Return the label of a kind of payment, or of another record in the ledger."""
    known = KIND_NAMES.get(kind) or KIND_LABELS.get(kind)
    return kind if known is None else catalogue(str(context["locale"])).gettext(known)


@pass_context
def rail(context: Context, value: str | None) -> str:
    """Return the label of a payment rail; a dash for None."""
    if not value:
        return "–"  # noqa: RUF001  an en dash, for a missing value
    return catalogue(str(context["locale"])).gettext(rail_label(value.lower()))


def masked(number: str | None) -> str:
    """Return a masked number with dots: `••6789` of `****6789`."""
    return (number or "").replace("****", "••")


@pass_context
def recipient_name(context: Context, line: TransactionReply) -> str:
    """Return who or what is paid: a bank account, a user, an address, or how many."""
    words = catalogue(str(context["locale"]))
    to = recipient_of(line)
    if to.count > 1:
        return words.ngettext("%(count)s recipient", "%(count)s recipients", to.count) % {
            "count": to.count
        }
    if to.account_id:
        bank = to.bank_name or words.gettext("Bank account")
        return f"{bank}\u00a0{masked(to.account_number)}".strip()
    if to.user_id:
        return to.user_name or words.gettext("Erased user")
    return _short_address(to.address or "")


@pass_context
def route(context: Context, line: TransactionReply) -> Markup:
    """Return the line: `846.35 USDC on Polygon to 843.79 USD, Chase ••6789`."""
    words = catalogue(str(context["locale"]))
    source, destination, to = line.source, line.destination, recipient_of(line)
    is_whole = source.amount == destination.amount
    is_moved = is_whole and source.currency == destination.currency
    stays = source.chain == destination.chain
    name = recipient_name(context, line)
    if is_moved and stays:
        target, name = name, ""
    elif is_moved:
        target = chain_name(destination.chain or "")
    else:
        target = _amount(context, destination)
    if to.user_id == line.user_id and not to.account_id:
        name = ""
    # A swap stays on its chain, which is said once.
    sent = _amount(context, source if is_moved or not stays else replace(source, chain=None))
    values = {"source": sent, "target": target, "name": name}
    return Markup(words.gettext(_TO_NAME if name else _TO)) % values  # noqa: S704  a text of the catalogue


def _amount(context: Context, end: EndReply) -> Markup:
    """Return the amount of one side, with its chain."""
    locale = str(context["locale"])
    number = number_markup(end.amount, locale)
    text = Markup('<span class="nowrap">{} {}</span>').format(number, coin(end.currency))
    if not end.chain:
        return text
    phrase = catalogue(locale).gettext("%(amount)s on %(chain)s")
    return Markup(phrase) % {"amount": text, "chain": chain_name(end.chain)}  # noqa: S704  a text of the catalogue


def _short_address(address: str) -> str:
    return f"{address[:_SHORT_HEAD]}…{address[-_SHORT_TAIL:]}"


LINE_FILTERS: Final[Mapping[str, Callable[..., str]]] = {
    "route": route,
    "recipient_name": recipient_name,
    "coin": coin,
    "currency_name": currency_name,
    "chain_name": chain_name,
    "kind_label": kind_label,
    "rail": rail,
    "masked": masked,
}
