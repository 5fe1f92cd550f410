"""What the form of each kind offers: wallets, ways to be paid, currencies, purposes."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from landbridge.chains.tokens import TOKENS, Chain, Network
from landbridge.core.errors import Refused
from landbridge.dashboard.forms import Form
from landbridge.dashboard.looks import plain_number
from landbridge.dashboard.payments.bodies import FEES_MAX
from landbridge.dashboard.payments.creating import outcomes
from landbridge.dashboard.payments.holdings import (
    Coins,
    Holdings,
    accounts_of,
    coins_of,
    externals_of,
    rails_of,
)
from landbridge.dashboard.payments.kinds import Kind
from landbridge.dashboard.payments.user_search import candidates, meant_user
from landbridge.flows.offramps.references import DOCUMENT_TYPES, GLOBAL_PURPOSES, PURPOSES
from landbridge.flows.onramps.asked import COINS, KYC_RAILS
from landbridge.web.inside import Interface

Choice: TypeAlias = tuple[str, str]

_BRIDGED = ("usdc", "usdt")
_SWAPPED: Final = ("usdc", "usdt", "usdg")


async def choices_for(
    interface: Interface,
    kind: Kind,
    user: Mapping[str, Any],
    form: Form,
    *,
    language: str,
    is_sandbox: bool,
) -> Mapping[str, Any]:
    """What the template of this kind is given."""
    payee_id = await _payee_id(interface, form) if kind.name == "offramp" else None
    holdings, found, forced = await asyncio.gather(
        _holdings(interface, kind, user, payee_id),
        candidates(interface, form, "toUser"),
        outcomes(interface, kind) if is_sandbox else _nothing(),
    )
    return {
        "user": user,
        "wallets": [_wallet(each, language) for each in holdings.coins]
        + (_outside(holdings.externals) if kind.name == "offramp" else []),
        "ways": [(f"external:{each['id']}", _external(each)) for each in holdings.externals],
        "accounts": [(_account_code(each, kind), account_text(each)) for each in holdings.accounts],
        "verified": [each for each, rail in KYC_RAILS.items() if rail in holdings.rails],
        "unverified": [each for each, rail in KYC_RAILS.items() if rail not in holdings.rails],
        "found": found,
        "outcomes": forced,
        **_lists(kind, form),
    }


def _lists(kind: Kind, form: Form) -> Mapping[str, Any]:
    """What does not depend on the user."""
    filled = [n for n in range(1, FEES_MAX + 1) if form.text(f"fee{n}")]
    purposes = [*PURPOSES, *(GLOBAL_PURPOSES if kind.name == "offramp" else ())]
    return {
        "networks": _pairs(Network),
        "swapped": _pairs(_SWAPPED),
        "coins": [
            (f"{chain}:{coin}", f"{chain} · {coin}") for chain, coin in TOKENS if coin in COINS
        ],
        "purposes": _pairs(purposes),
        "document_types": _pairs(DOCUMENT_TYPES),
        "fee_rows": range(1, min(max(filled, default=0) + 2, FEES_MAX + 1)),
    }


async def _holdings(
    interface: Interface, kind: Kind, user: Mapping[str, Any], payee_id: str | None
) -> Holdings:
    """What fits this kind."""
    user_id = str(user["id"])
    match kind.name:
        case "onramp":
            externals, accounts, rails = await asyncio.gather(
                externals_of(interface, user_id),
                accounts_of(interface, user_id, "onramp"),
                rails_of(interface, user_id),
            )
            return Holdings(externals=externals, accounts=accounts, rails=rails)
        case "offramp":
            coins, externals, accounts = await asyncio.gather(
                coins_of(interface, user),
                externals_of(interface, user_id),
                accounts_of(interface, payee_id or user_id, "offramp"),
            )
            return Holdings(coins=coins, externals=externals, accounts=accounts)
        case _:
            wanted = {"bridge": _BRIDGED, "swap": _SWAPPED}.get(kind.name, ())
            coins, externals = await asyncio.gather(
                coins_of(interface, user, wanted), externals_of(interface, user_id)
            )
            return Holdings(coins=coins, externals=externals)


async def _payee_id(interface: Interface, form: Form) -> str | None:
    """Whose bank accounts are offered, if it is not the payer and is known."""
    if not form.text("toUser"):
        return None
    try:
        return str((await meant_user(interface, form, "toUser"))["id"])
    except Refused:
        return None


def _pairs(words: Iterable[str]) -> list[Choice]:
    return [(str(each), str(each)) for each in words]


async def _nothing() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return {}


def _wallet(coins: Coins, language: str) -> Choice:
    available = plain_number(coins.available, language)
    return coins.code, f"{coins.chain} · {available} {coins.currency}"


def _outside(externals: Sequence[Mapping[str, Any]]) -> list[Choice]:
    return [
        (f"external:{each['id']}:{chain}:{coin}", f"{_external(each)} · {coin}")
        for each in externals
        for chain, coin in TOKENS
        if chain == Chain(each["chain"])
    ]


def _external(told: Mapping[str, Any]) -> str:
    address = told["address"]
    return f"{told['name']} · {told['chain']} · {address[:6]}…{address[-4:]}"


def _account_code(account: Mapping[str, Any], kind: Kind) -> str:
    if kind.name == "offramp":
        return f"{account['accountId']}:{account['rail']['currency']}"
    return str(account["accountId"])


def account_text(account: Mapping[str, Any]) -> str:
    """A bank account in one line."""
    rail = account["rail"]
    parts = (
        rail["currency"],
        rail["paymentRail"],
        account["bankName"],
        account["accountNumber"],
        account["accountHolderName"],
        None if account["status"] == "ACTIVE" else account["status"],
    )
    return " · ".join(str(each) for each in parts if each)
