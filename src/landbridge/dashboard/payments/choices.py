"""Options of payment forms: wallets, recipients, currencies and purposes."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from landbridge.customers.bank_accounts.schemas import ListedAccount
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.wallet_api import ExternalWalletReply
from landbridge.dashboard.number_formats import plain_number
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.payment_lines import chain_name, currency_name, masked
from landbridge.dashboard.payments.holdings import (
    UserHoldings,
    accounts_of,
    coins_of,
    externals_of,
    rails_of,
)
from landbridge.dashboard.payments.kinds import PaymentFormKind
from landbridge.dashboard.payments.request_bodies import FEES_MAX
from landbridge.dashboard.payments.submission import outcomes
from landbridge.dashboard.payments.user_search import candidates, resolve_user
from landbridge.dashboard.status_labels import status_label
from landbridge.dashboard.users.account_labels import rail_label
from landbridge.dashboard.users.balances import CoinBalance
from landbridge.payments.offramps.references import DOCUMENT_TYPES, GLOBAL_PURPOSES, PURPOSES
from landbridge.payments.onramps.request import COINS, KYC_RAILS
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.chains.tokens import TOKENS, Network
from landbridge.sandbox.outcomes_api import OutcomeReply

Choice: TypeAlias = tuple[str, str]

_BRIDGED = ("usdc", "usdt")
_SWAPPED: Final = ("usdc", "usdt", "usdg")


async def choices_for(
    interface: InternalClient,
    kind: PaymentFormKind,
    user: UserReply,
    form: Form,
    *,
    language: str,
    is_sandbox: bool,
) -> Mapping[str, object]:
    """Return the template values of a payment form."""
    payee_id = await _payee_id(interface, form) if kind.name == "offramp" else None
    holdings, found, sandbox_outcomes = await asyncio.gather(
        _holdings(interface, kind, user, payee_id),
        candidates(interface, form, "toUser"),
        outcomes(interface, kind) if is_sandbox else _no_outcomes(),
    )
    return {
        "user": user,
        "wallets": [_wallet(each, language) for each in holdings.coins]
        + (_outside(holdings.externals) if kind.name == "offramp" else []),
        "address_options": [
            (f"external:{each.id}", _external(each)) for each in holdings.externals
        ],
        "accounts": [
            (_account_code(each, kind), account_text(each, language)) for each in holdings.accounts
        ],
        "verified": [each for each, rail in KYC_RAILS.items() if rail in holdings.rails],
        "unverified": [each for each, rail in KYC_RAILS.items() if rail not in holdings.rails],
        "found": found,
        "outcomes": sandbox_outcomes,
        **_lists(kind, form),
    }


def _lists(kind: PaymentFormKind, form: Form) -> Mapping[str, object]:
    """Return the options that do not depend on the user."""
    filled = [n for n in range(1, FEES_MAX + 1) if form.text(f"fee{n}")]
    purposes = [*PURPOSES, *(GLOBAL_PURPOSES if kind.name == "offramp" else ())]
    return {
        "networks": [(each.value, chain_name(each.value)) for each in Network],
        "swapped": [(each, currency_name(each)) for each in _SWAPPED],
        "coins": [
            (f"{chain}:{coin}", f"{chain_name(chain)} · {coin.upper()}")
            for chain, coin in TOKENS
            if coin in COINS
        ],
        "purposes": [(each, PURPOSE_LABELS[each]) for each in purposes],
        "document_types": [(each, DOCUMENT_TYPE_LABELS[each]) for each in DOCUMENT_TYPES],
        "fee_rows": range(1, min(max(filled, default=0) + 2, FEES_MAX + 1)),
    }


async def _holdings(
    interface: InternalClient, kind: PaymentFormKind, user: UserReply, payee_id: str | None
) -> UserHoldings:
    """Return the holdings that this kind of payment uses."""
    user_id = str(user.id)
    match kind.name:
        case "onramp":
            externals, accounts, rails = await asyncio.gather(
                externals_of(interface, user_id),
                accounts_of(interface, user_id, "onramp"),
                rails_of(interface, user_id),
            )
            return UserHoldings(externals=externals, accounts=accounts, rails=rails)
        case "offramp":
            coins, externals, accounts = await asyncio.gather(
                coins_of(interface, user),
                externals_of(interface, user_id),
                accounts_of(interface, payee_id or user_id, "offramp"),
            )
            return UserHoldings(coins=coins, externals=externals, accounts=accounts)
        case _:
            currencies = {"bridge": _BRIDGED, "swap": _SWAPPED}.get(kind.name, ())
            coins, externals = await asyncio.gather(
                coins_of(interface, user, currencies), externals_of(interface, user_id)
            )
            return UserHoldings(coins=coins, externals=externals)


async def _payee_id(interface: InternalClient, form: Form) -> str | None:
    """Return the recipient whose bank accounts are offered, if known and not the payer."""
    if not form.text("toUser"):
        return None
    try:
        return str((await resolve_user(interface, form, "toUser")).id)
    except Refused:
        return None


async def _no_outcomes() -> Mapping[str, Sequence[OutcomeReply]]:
    return {}


def _wallet(coins: CoinBalance, language: str) -> Choice:
    available = plain_number(coins.available, language)
    return coins.code, f"{chain_name(coins.chain)} · {available} {coins.currency.upper()}"


def _outside(externals: Sequence[ExternalWalletReply]) -> list[Choice]:
    return [
        (f"external:{each.id}:{chain}:{coin}", f"{_external(each)} · {coin.upper()}")
        for each in externals
        for chain, coin in TOKENS
        if chain == each.chain
    ]


def _external(wallet: ExternalWalletReply) -> str:
    address = wallet.address
    return f"{wallet.name} · {chain_name(wallet.chain)} · {address[:6]}…{address[-4:]}"


def _account_code(account: ListedAccount, kind: PaymentFormKind) -> str:
    if kind.name == "offramp":
        return f"{account.account_id}:{account.rail.currency}"
    return str(account.account_id)


def account_text(account: ListedAccount, language: str) -> str:
    """Return a bank account as one line of text."""
    rail = rail_label((account.rail.payment_rail or "").lower())
    parts = (
        account.rail.currency.upper(),
        catalogue(language).gettext(rail) if rail else None,
        account.bank_name,
        masked(account.account_number),
        account.account_holder_name,
        None if account.status == "ACTIVE" else status_label(account.status, language),
    )
    return " · ".join(each for each in parts if each)


PURPOSE_LABELS: Final[Mapping[str, str]] = {
    "gift": _("Gift"),
    "bills": _("Bills"),
    "groceries": _("Groceries"),
    "travel": _("Travel"),
    "health": _("Health"),
    "entertainment": _("Entertainment"),
    "housing": _("Housing"),
    "school-fees": _("School fees"),
    "other": _("Other"),
    "invoice_payments": _("Payment of invoices"),
    "payment_for_services": _("Payment for services"),
    "payment_for_software": _("Payment for software"),
    "payment_for_imported_goods": _("Payment for imported goods"),
    "travel_services": _("Travel services"),
    "transfer_to_own_account": _("Transfer to own account"),
    "repayment_of_loans": _("Repayment of loans"),
    "payroll": _("Payroll"),
    "payment_of_property_rental": _("Rent of property"),
    "information_service_charges": _("Information services"),
    "advertising_and_public_relations": _("Advertising and public relations"),
    "royalty_and_ip_fees": _("Royalties and fees for intellectual property"),
    "financial_service_fees": _("Fees of financial services"),
    "advisory_and_consulting_fees": _("Advisory and consulting fees"),
    "representative_office_expenses": _("Expenses of a representative office"),
    "tax_payment": _("Tax payment"),
    "transportation_fees": _("Transportation fees"),
    "construction_costs": _("Construction costs"),
    "insurance_premium": _("Insurance premium"),
    "offline_goods_trade": _("Trade of goods"),
    "insurance_claims": _("Insurance claims"),
    "remittance_to_family_or_friends": _("Remittance to family or friends"),
    "education_expenses": _("Education expenses"),
    "medical_treatment": _("Medical treatment"),
    "donations": _("Donations"),
    "mutual_fund_investment": _("Investment in mutual funds"),
    "currency_exchange": _("Currency exchange"),
    "advance_payment_for_goods": _("Advance payment for goods"),
    "merchant_settlement": _("Settlement with a merchant"),
    "repatriation_fund_settlement": _("Repatriation of funds"),
}
DOCUMENT_TYPE_LABELS: Final[Mapping[str, str]] = {
    "billing_document": _("Billing document"),
    "order_document": _("Order"),
    "shipment_document": _("Shipping document"),
    "regulatory_document": _("Regulatory document"),
    "transport_document": _("Transport document"),
    "other_document": _("Other document"),
}
