"""Marketplace: payments into a seller's bank details are split on arrival.

The final ledger entries are readable: every cent of every deposit, from the bank to the wallets.
"""

from landbridge.platform.db.pool import Database
from tests.onramps import ONRAMPS, check_books, settle
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    apply,
    at,
    deposit_body,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    percentage,
    rule_body,
    tiered,
)
from tests.tenants import Tenant, held, make_user

# Entries at the end: (record, account, asset, debit -, credit +), in smallest units.
BOOKS = """
MICRO     outside     usd          -17
MICRO     liquidity   usd          +17
ONRAMP    outside     usd       -10000
ONRAMP    in_transit  usd       +10000
ONRAMP    in_transit  usd       -10000
ONRAMP    liquidity   usd       +10000
ONRAMP    liquidity   usdc  -100000000
ONRAMP    Market      usdc    +5000000
ONRAMP    Courier     usdc    +2500000
ONRAMP    Ada         usdc   +92500000
ONRAMP    outside     usd      -200000
ONRAMP    in_transit  usd      +200000
ONRAMP    in_transit  usd      -200000
ONRAMP    liquidity   usd      +200000
ONRAMP    liquidity   usdc -2000000000
ONRAMP    Market      usdc   +40000000
ONRAMP    Courier     usdc    +2500000
ONRAMP    Ada         usdc +1957500000
ONRAMP    outside     usd         -200
ONRAMP    in_transit  usd         +200
ONRAMP    in_transit  usd         -200
ONRAMP    liquidity   usd         +200
ONRAMP    liquidity   usdc    -2000000
ONRAMP    Market      usdc     +200000
ONRAMP    Courier     usdc    +1800000
"""

_ENTRIES = """
select t.kind, e.role, w.user_id, e.asset, e.available
from transfers t
join entries e on e.org_id = t.org_id and e.transfer_id = t.id
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
left join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where t.org_id = $1
order by t.created_at, e.seq, e.line
"""


async def test_a_seller_receives_the_rest_after_marketplace_and_delivery_fees(
    database: Database, org: Tenant
) -> None:
    ada = await make_receiver(org)
    names = {ada: "Ada"}
    wallets: dict[str, str] = {}
    for name in ("Market", "Courier"):
        user = await make_user(org, firstName=name, chains=["POLYGON"])
        names[user] = name
        found = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
        wallets[name] = found["POLYGON"]["address"]

    account = (await make_account(org, ada))["id"]
    market = tiered(("", "1000", 0.05), ("1000", "", 0.02), address=wallets["Market"])
    rule = (await make_rule(org, market, fixed(2.5, wallets["Courier"])))["id"]
    await apply(org, ada, account, rule)

    async def pay(amount: str) -> None:
        await org.post(at(ada, account, "simulate-deposit"), deposit_body(amount))
        await settle(org)

    # A payer's bank verifies the account; two customers pay.
    await pay("0.17")
    await pay("100")
    await pay("2000")
    # The rule changes; for such a small payment the delivery service gets the rest.
    terms = rule_body(percentage(0.1, wallets["Market"]), fixed(2.5, wallets["Courier"]))
    await org.post(f"{RULES}/{rule}/update", terms)
    await pay("2")

    one = await org.get(at(ada, account))
    assert [each["amount"] for each in one["microDeposits"]["data"]] == [17]
    paid = [each["transferDetails"] for each in (await org.get(ONRAMPS, userId=ada))["records"]]
    assert [each["status"] for each in paid] == ["COMPLETED"] * 3
    assert {each["virtualAccountId"] for each in paid} == {account}
    assert [await held(org, each) for each in names] == ["2050", "45.2", "6.8"]
    assert await _books(database, org, names) == _lines(BOOKS)
    await check_books(org)


async def _books(database: Database, org: Tenant, names: dict[str, str]) -> list[str]:
    rows = await database.rows(_ENTRIES, org.org_id)
    kinds = {"ACCOUNT.MICRO_DEPOSIT": "MICRO"}
    found: list[str] = []
    for row in rows:
        kind = kinds.get(row["kind"], row["kind"])
        owner_name = row["role"] or names[str(row["user_id"])]
        currency = row["asset"].partition(":")[0]
        found.append(f"{kind} {owner_name} {currency} {int(row['available']):+d}")
    return found


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]
