"""Payment requests as existing clients send them: every published variant of each create.

Source: contract, interface/* (`Create...`). Each of two exclusive parties has its own variant, and
so has each reference, because an account is paid by one rail.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from landbridge.customers.kyc.model import Rail
from tests.onramps import ONRAMPS, make_african_account
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    deposit_body,
    fixed,
    percentage,
    tiered,
)
from tests.payouts import OFFRAMPS, OUTSIDE, make_account, way
from tests.tenants import BATCHES, BRIDGES, TRANSFERS, Tenant, register

AFRICA = (Rail.AFRICA_GENERAL, Rail.AFRICA_NIGERIA)
SOUTH_AMERICA = (Rail.SOUTH_AMERICA_STANDARD,)
FEE = {"type": "PERCENT", "value": 0.01}
FEES = {
    "fees": [
        {"type": "PERCENTAGE", "value": "0.005", "walletAddress": OUTSIDE},
        {"type": "FLAT", "value": "0.5", "walletAddress": OUTSIDE},
    ]
}
DOCUMENTED = {
    "supportingDocumentType": "billing_document",
    "supportingDocumentUrl": "https://example.com/bill.pdf",
    "description": "Rent of November",
}


@dataclass(frozen=True)
class Scene:
    """Organisation with a funded user and a recipient."""

    org: Tenant
    user: str
    payee: str


Request = dict[str, Any]
Maker = Callable[[Scene], Awaitable[Request]]


@dataclass(frozen=True)
class Variant:
    """Published request: its route, its body, and the rails the user must be verified for."""

    route: str
    body: Maker
    rails: tuple[Rail, ...] = ()


def sent(amount: Any = 10, **changes: Any) -> Maker:
    """Build a wallet transfer."""

    async def body(scene: Scene) -> Request:
        return {
            "source": {"userId": scene.user},
            "destination": {"userId": scene.payee},
            "amount": amount,
            "currency": "usdc",
            "chain": "POLYGON",
            **changes,
        }

    return body


async def outside(scene: Scene) -> Request:
    await register(scene.org, scene.user, OUTSIDE)
    return await sent(destination={"walletAddress": OUTSIDE})(scene)


async def batch(scene: Scene) -> Request:
    await register(scene.org, scene.user, OUTSIDE)
    items = [
        {"userId": scene.payee, "amount": "1.5"},
        {"walletAddress": OUTSIDE, "amount": "2"},
    ]
    body = await sent(destination={"batch": items}, requireApproval=False)(scene)
    return {name: value for name, value in body.items() if name != "amount"}


def bridged(**to: Any) -> Maker:
    async def body(scene: Scene) -> Request:
        if "walletAddress" in to:
            await register(scene.org, scene.user, to["walletAddress"], chain="BASE")
        ends = to or {"userId": scene.payee}
        return {
            "amount": 10.25,
            "source": {"userId": scene.user, "chain": "POLYGON", "currency": "usdc"},
            "destination": {"chain": "BASE", "currency": "usdc", **ends},
        }

    return body


def ramped_on(
    currency: str, *, source: Request | None = None, country: str | None = None, **changes: Any
) -> Maker:
    """An onramp; `country` is of the African account that pays."""

    async def body(scene: Scene) -> Request:
        account: Request = {}
        if country is not None:
            created = await make_african_account(scene.org, scene.user, currency, country)
            account = {"accountId": created}
        ends = source or {"amount": 10000}
        return {
            "source": {"userId": scene.user, "currency": currency, **ends, **account},
            "destination": {"currency": "usdc", "chain": "POLYGON", "userId": scene.user},
            **changes,
        }

    return body


async def ramped_on_outside(scene: Scene) -> Request:
    wallet = await register(scene.org, scene.user, OUTSIDE)
    body = await ramped_on("usd", source={"transferType": "wire"})(scene)
    return {**body, "destination": {"externalWalletId": wallet, "amount": 100.5}, "fee": None}


def paid_out(
    table: str,
    currency: str,
    *,
    by: str | None = None,
    destination: Request | None = None,
    source: Request | None = None,
    **changes: Any,
) -> Maker:
    """An offramp to an account of this type."""

    async def body(scene: Scene) -> Request:
        case = way(table, by, currency)
        account = await make_account(
            scene.org, scene.user, case, currency=None if "currency" in case.words else currency
        )
        ends = source or {"amount": 20.5}
        payer = {} if "externalWalletId" in ends else {"userId": scene.user}
        return {
            "source": {"currency": "usdc", "chain": "POLYGON", **payer, **ends},
            "destination": {
                "currency": currency,
                "accountId": account,
                "userId": scene.user,
                **(destination or {}),
            },
            **changes,
        }

    return body


async def paid_out_from_outside(scene: Scene) -> Request:
    wallet = await register(scene.org, scene.user, OUTSIDE)
    source = {"externalWalletId": wallet, "amount": 20, "returnAddress": OUTSIDE}
    return await paid_out("us", "usd", by="wire", source=source)(scene)


def account_to(**ends: Any) -> Maker:
    async def body(scene: Scene) -> Request:
        parties = ends
        if "externalWalletId" in ends:
            parties = {"externalWalletId": await register(scene.org, scene.user, OUTSIDE)}
        return {"sourceCurrency": "usd", "destinationCurrency": "usdc", **parties}

    return body


def plain(body: Request) -> Maker:
    async def fixed_request(_: Scene) -> Request:
        return body

    return fixed_request


GLOBAL = (Rail.GLOBAL_NETWORK,)
_ACCOUNTS = "/v2/users/{userId}/virtual-accounts"
_RULE = {"chain": "POLYGON", "includeHIFIFee": False}
_GLOBAL: Request = {
    "destination": {"paymentReference": "invoice 17"},
    "purposeOfPayment": "payroll",
    "description": "Pay of November",
    # Published without members, with the variants that have no developer fees.
    "fee": None,
}
_GENERAL: Request = {"purposeOfPayment": "gift", "description": "Birthday", "fee": None}
_USD: Request = {"purposeOfPayment": "other", **DOCUMENTED, "developerFee": FEES}

VARIANTS = {
    "transfer": Variant(TRANSFERS, sent(requireApproval=False, fee=FEE)),
    "transfer, whole number": Variant(TRANSFERS, sent(7)),
    "transfer, fixed fee": Variant(TRANSFERS, sent(1.25, fee={"type": "FIX", "value": 0.5})),
    "transfer, outside": Variant(TRANSFERS, outside),
    "transfer, to approve": Variant(TRANSFERS, sent(requireApproval=True)),
    "batch": Variant(BATCHES, batch),
    "bridge": Variant(BRIDGES, bridged()),
    "bridge, outside": Variant(BRIDGES, bridged(walletAddress=OUTSIDE)),
    "CreateOnramp": Variant(
        ONRAMPS,
        ramped_on(
            "usd",
            source={"amount": 100.5, "transferType": "ach"},
            purposeOfPayment="gift",
            isInstant=False,
            fee=FEE,
        ),
        (Rail.USD,),
    ),
    "CreateUsdOnramp": Variant(
        ONRAMPS,
        ramped_on(
            "usd",
            source={"amount": 100, "transferType": "wire"},
            fee={"type": "FIX", "value": 0.25},
        ),
        (Rail.USD,),
    ),
    "CreateUsdOnramp, outside": Variant(ONRAMPS, ramped_on_outside, (Rail.USD,)),
    **{
        f"Create{currency.title()}Onramp": Variant(
            ONRAMPS,
            ramped_on(currency, purposeOfPayment="bills", isInstant=True, fee=None),
            SOUTH_AMERICA,
        )
        for currency in ("brl", "mxn")
    },
    "CreateAfricaOnramp": Variant(
        ONRAMPS,
        ramped_on("ngn", country="NGA", purposeOfPayment="housing", isInstant=False, fee=None),
        AFRICA,
    ),
    "CreateOfframp, fee in an array": Variant(
        OFFRAMPS,
        paid_out("us", "usd", by="wire", purposeOfPayment="other", developerFee=[FEES]),
        (Rail.USD,),
    ),
    "CreateOfframp, no fees in an array": Variant(
        OFFRAMPS, paid_out("us", "usd", by="wire", developerFee=[]), (Rail.USD,)
    ),
    "CreateOfframp, sepa": Variant(
        OFFRAMPS,
        paid_out(
            *("europeGlobalNetwork", "eur"),
            by="sepa",
            destination={"sepaReference": "invoice 17", "sameDayAch": False},
            purposeOfPayment="payroll",
            developerFee=None,
        ),
        GLOBAL,
    ),
    "CreateOfframp, outside": Variant(OFFRAMPS, paid_out_from_outside, (Rail.USD,)),
    "CreateOfframp, exact out": Variant(
        OFFRAMPS,
        paid_out(
            *("brazil", "brl"),
            destination={"amount": 100.25},
            source={"amount": None},
        ),
        SOUTH_AMERICA,
    ),
    "CreateUsdOfframp, ach": Variant(
        OFFRAMPS,
        paid_out(
            *("us", "usd"),
            by="ach",
            destination={"sameDayAch": True, "achReference": "INV 17"},
            **_USD,
        ),
        (Rail.USD,),
    ),
    "CreateUsdOfframp, wire": Variant(
        OFFRAMPS,
        paid_out(
            *("us", "usd"),
            by="wire",
            destination={"sameDayAch": False, "wireMessage": "Invoice 17\nNovember"},
            **_USD,
        ),
        (Rail.USD,),
    ),
    "CreateUsdOfframp, swift": Variant(
        OFFRAMPS,
        paid_out(
            *("us", "usd"),
            by="swift",
            destination={"swiftReference": "Invoice 17", "swiftCharges": "our"},
            **_USD,
        ),
        (Rail.USD,),
    ),
    **{
        f"Create{currency.title()}Offramp": Variant(
            OFFRAMPS, paid_out(table, currency, destination=reference, **_GENERAL), SOUTH_AMERICA
        )
        for table, currency, reference in (
            ("brazil", "brl", {"paymentReference": "invoice 17"}),
            ("colombia", "cop", {}),
            ("mexico", "mxn", {"paymentReference": "invoice 17"}),
            ("argentina", "ars", {}),
        )
    },
    "CreateAfricaOfframp": Variant(OFFRAMPS, paid_out("africa", "kes", **_GENERAL), AFRICA),
    **{
        f"Create {table} ({currency}) Offramp": Variant(
            OFFRAMPS, paid_out(table, currency, **_GLOBAL), GLOBAL
        )
        for table, currency in (
            ("brazilGlobalNetwork", "brl"),
            ("mexicoGlobalNetwork", "mxn"),
            ("nigeriaGlobalNetwork", "ngn"),
            ("hongKongGlobalNetwork", "hkd"),
            ("hongKongGlobalNetwork", "usd"),
            ("chinaGlobalNetwork", "usd"),
            ("chinaGlobalNetwork", "cny"),
        )
    },
    "virtual account": Variant(_ACCOUNTS, account_to(destinationChain="POLYGON"), (Rail.USD,)),
    "virtual account, outside": Variant(
        _ACCOUNTS, account_to(externalWalletId="registered"), (Rail.USD,)
    ),
    "virtual account, updated": Variant(
        f"{_ACCOUNTS}/{{accountId}}/update", account_to(destinationChain="POLYGON"), (Rail.USD,)
    ),
    "virtual account, deposit": Variant(
        f"{_ACCOUNTS}/{{accountId}}/simulate-deposit",
        plain(deposit_body("10", paymentRail="WIRE", reference="rent", description="flat 4")),
        (Rail.USD,),
    ),
    "settlement rule": Variant(
        RULES,
        plain(
            {
                **_RULE,
                "rules": [
                    {**percentage(0.015), "tiers": None},
                    {**fixed(1), "tiers": None},
                    {**tiered(("", "100", 0.01), ("100", "", 0.005)), "value": None},
                ],
            }
        ),
    ),
}
