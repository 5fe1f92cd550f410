"""Line of a payment: the same words on every page."""

from typing import Any, cast
from uuid import UUID

import pytest
from msgspec.structs import replace

from landbridge.dashboard.formatting import FILTERS
from landbridge.payments.transactions.schemas import EndReply, RecipientReply, TransactionReply
from landbridge.platform.core.ids import short_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import Tenant, make_bridge, make_swap, make_transfer, make_user

_ADA, _BOB, _ACCOUNT = UUID(int=1), UUID(int=2), UUID(int=3)
NOBODY = RecipientReply(
    user_id=None,
    user_name=None,
    address=None,
    account_id=None,
    bank_name=None,
    account_number=None,
    count=1,
)
ADA = replace(NOBODY, user_id=_ADA, user_name="Ada", address="0xada")
BOB = replace(NOBODY, user_id=_BOB, user_name="Bob", address="0xbob")
CHASE = replace(NOBODY, user_id=_ADA, account_id=_ACCOUNT, bank_name="Chase")


def _end(text: str) -> EndReply:
    amount, currency, *chain = text.split()
    return EndReply(amount=amount, currency=currency, chain=chain[0] if chain else None)


def _text(source: str, destination: str, recipient: RecipientReply, locale: str = "en") -> str:
    at = "2026-01-01T00:00:00+00:00"
    line = TransactionReply(
        id=_ACCOUNT,
        type="OFFRAMP",
        status="COMPLETED",
        user_id=_ADA,
        user_name="Ada",
        request_id=_ACCOUNT,
        source=_end(source),
        destination=_end(destination),
        created_at=at,
        updated_at=at,
        recipient=recipient,
    )
    return cast("Any", FILTERS["route"])({"locale": locale}, line).striptags()


@pytest.mark.parametrize(
    ("source", "destination", "recipient", "text"),
    [
        ("5 usdc POLYGON", "5 usdc POLYGON", BOB, "5.00 USDC on Polygon to Bob"),
        (
            "5.5 usdc BASE",
            "5 usdc BASE",
            replace(NOBODY, address="0x8ba1f109551bD432803012645Ac136ddd64DBA72"),
            "5.50 USDC to 5.00 USDC on Base, 0x8ba1…BA72",
        ),
        ("5 usdc POLYGON", "5 usdc BASE", ADA, "5.00 USDC on Polygon to Base"),
        ("5 usdc POLYGON", "5 usdc BASE", BOB, "5.00 USDC on Polygon to Base, Bob"),
        ("5 usdc BASE", "4.99 usdt BASE", ADA, "5.00 USDC to 4.99 USDT on Base"),
        ("100 usd", "99.5 usdc POLYGON", ADA, "100.00 USD to 99.50 USDC on Polygon"),
        (
            "846.35 usdc POLYGON",
            "843.79 usd",
            replace(CHASE, account_number="****6789"),
            "846.35 USDC on Polygon to 843.79 USD, Chase ••6789",
        ),
        (
            "846.35 usdc POLYGON",
            "843.79 usd",
            replace(NOBODY, user_id=_ADA, account_id=_ACCOUNT),
            "846.35 USDC on Polygon to 843.79 USD, Bank account",
        ),
        (
            "30 usdc POLYGON",
            "30 usdc POLYGON",
            replace(NOBODY, count=3),
            "30.00 USDC on Polygon to 3 recipients",
        ),
    ],
)
def test_line_says_what_leaves_and_what_arrives(
    source: str, destination: str, recipient: RecipientReply, text: str
) -> None:
    assert _text(source, destination, recipient) == text


def test_line_is_translated() -> None:
    assert _text("1250.5 usdc POLYGON", "1250 usd", CHASE, "es") == (
        "1.250,50 USDC en Polygon a 1.250,00 USD, Chase"
    )


async def test_every_list_shows_the_same_line(org: Tenant) -> None:
    ada = await make_payee(org, chains=["POLYGON", "BASE"])
    bob = await make_user(org, firstName="Bob")
    account = await make_account(org, ada)
    payments = [
        (await make_swap(org, ada, "5"))["id"],
        (await make_transfer(org, ada, bob, "2"))["id"],
        (await make_bridge(org, ada, ada, 3))["id"],
        (await make_offramp(org, ada, account, 100))["id"],
    ]
    admin = await visit(org)
    for payment_id in payments:
        page = await admin.load(f"/dashboard/transactions/{payment_id}")
        (line,) = page.tree.xpath("//h1")
        for path in (
            "/dashboard",
            "/dashboard/transactions",
            f"/dashboard/users/{ada}",
            f"/dashboard/users/{ada}/transactions",
            f"/dashboard/search?q={short_id(payment_id)}",
        ):
            shown = (await admin.load(path)).tree.xpath(
                f"//th/a[@href='/dashboard/transactions/{payment_id}']"
            )
            assert [each.text_content() for each in shown] == [line.text_content()], path


async def test_approvals_show_the_line_of_the_payment(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    bob = await make_user(org, firstName="Bob")
    made = await make_transfer(org, ada, bob, "12.5", requireApproval=True)
    for role in MemberRole:
        visitor = await visit(org, role)
        approval = f"/dashboard/approvals/{made['approval']['id']}"
        for path in ("/dashboard/approvals", approval):
            page = await visitor.load(path)
            assert "12.50 USDC on Polygon to Bob Example" in page.text
            assert short_id(made["id"]) in page.text
