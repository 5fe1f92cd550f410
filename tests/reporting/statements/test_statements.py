from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from tests.make import Status
from tests.reporting.statements.ledger_entries import (
    STATEMENTS,
    account_of,
    ask,
    deposit_many,
    moved,
    pay,
    pay_out,
    receive,
    statement,
)
from tests.tenants import Tenant, fund, held, make_swap, make_transfer, make_user, run_due


def _shown(account: dict[str, Any]) -> list[tuple[str, str | None, str | None, str]]:
    return [(each["type"], each["in"], each["out"], each["balance"]) for each in account["lines"]]


async def test_a_statement_shows_movements_between_two_balances(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    swap = await make_swap(org, ada, "10", status=SwapStatus.COMPLETED)
    transfer = await make_transfer(org, ada, bob, "5.5")
    await run_due(org)
    found = await statement(org, ada)
    assert found["organisation"] == "Test"
    assert found["user"] == {"id": ada, "name": "Ada Example"}
    assert found["timeZone"] == "UTC"
    usdc, usdt = found["accounts"]
    assert (usdc["currency"], usdt["currency"]) == ("usdc", "usdt")
    assert usdc["wallet"]["chain"] == "POLYGON"
    assert _shown(usdc) == [
        ("WALLET.DEPOSIT", "100", None, "100"),
        ("WALLET.SWAP", None, "10", "90"),
        ("WALLET.TRANSFER", None, "5.5", "84.5"),
    ]
    assert (usdc["openingBalance"], usdc["closingBalance"]) == ("0", "84.5")
    assert (usdc["totalIn"], usdc["totalOut"]) == ("100", "15.5")
    assert usdc["closingBalance"] == await held(org, ada)
    assert usdt["closingBalance"] == await held(org, ada, "usdt")
    lines = usdc["lines"]
    assert [each["recordId"] for each in lines[1:]] == [swap["id"], transfer["id"]]
    assert lines[2]["requestId"] == transfer["requestId"]
    assert [each["status"] for each in lines] == ["COMPLETED", "COMPLETED", "COMPLETED"]


async def test_held_money_is_part_of_the_balance(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    await make_transfer(org, ada, bob, "5", requireApproval=True)
    (account,) = (await statement(org, ada))["accounts"]
    assert _shown(account) == [("WALLET.DEPOSIT", "100", None, "100")]
    assert account["closingBalance"] == "100"


async def test_held_money_is_debited_at_settlement(org: Tenant) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 8)]
    await receive(org, account, 10_000_000, at[0])
    await pay(org, account, 4_000_000, at[1:3], Status.SETTLED)
    await pay(org, account, 1_000_000, at[3:5], Status.RETURNED)
    (found,) = (await statement(org, user))["accounts"]
    assert [(each["time"][:10], each["status"], each["balance"]) for each in found["lines"]] == [
        ("2026-01-01", "FUNDED", "10"),
        ("2026-01-03", "SETTLED", "6"),
    ]


async def test_a_returned_payment_is_one_line_and_its_movements_on_request(org: Tenant) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 5)]
    await receive(org, account, 10_000_000, at[0])
    await pay_out(org, account, 4_000_000, at[1], returned_at=at[3])
    await receive(org, account, 1_000_000, at[2])
    (found,) = (await statement(org, user))["accounts"]
    assert _shown(found) == [
        ("TEST.PAYMENT", "10", None, "10"),
        ("TEST.PAYMENT", "1", None, "11"),
        ("TEST.PAYMENT", "4", "4", "11"),
    ]
    assert found["lines"][2]["status"] == "RETURNED"
    (steps,) = (await statement(org, user, detail="steps"))["accounts"]
    assert _shown(steps) == [
        ("TEST.PAYMENT", "10", None, "10"),
        ("TEST.PAYMENT", None, "4", "6"),
        ("TEST.PAYMENT", "1", None, "7"),
        ("TEST.PAYMENT", "4", None, "11"),
    ]
    for total in ("openingBalance", "totalIn", "totalOut", "closingBalance"):
        assert found[total] == steps[total]
    assert (found["totalIn"], found["totalOut"], found["closingBalance"]) == ("15", "4", "11")
    assert found["closingBalance"] == await held(org, user)


async def test_a_payment_returned_in_another_period_is_a_line_in_both(org: Tenant) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    at = [datetime(2026, month, 10, tzinfo=UTC) for month in (1, 2)]
    await receive(org, account, 10_000_000, at[0])
    await pay_out(org, account, 4_000_000, at[0] + timedelta(days=1), returned_at=at[1])
    january = await statement(org, user, createdAfter="2026-01-01", createdBefore="2026-02-01")
    february = await statement(org, user, createdAfter="2026-02-01", createdBefore="2026-03-01")
    assert _shown(january["accounts"][0]) == [
        ("TEST.PAYMENT", "10", None, "10"),
        ("TEST.PAYMENT", None, "4", "6"),
    ]
    assert _shown(february["accounts"][0]) == [("TEST.PAYMENT", "4", None, "10")]


async def test_adjacent_statements_share_a_balance(org: Tenant) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    for day in range(1, 10):
        await receive(org, account, day * 1_000_000, datetime(2026, 1, day, 12, tzinfo=UTC))
    balance = "0"
    ends = ["2025-12-01", "2026-01-02", "2026-01-05T12:00:00Z", "2026-01-06", "2026-02-01"]
    total = 0
    for begin, end in pairwise(ends):
        (found,) = (await statement(org, user, createdAfter=begin, createdBefore=end))["accounts"]
        assert found["openingBalance"] == balance
        balance = found["closingBalance"]
        total += len(found["lines"])
    assert (balance, total) == ("45", 9)


async def test_local_days_may_have_23_or_25_hours(org: Tenant) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    moments = [
        datetime(2026, 3, 28, 22, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 28, 23, tzinfo=UTC),
        datetime(2026, 3, 29, 1, tzinfo=UTC),
        datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 29, 22, tzinfo=UTC),
    ]
    for at in moments:
        await receive(org, account, 1_000_000, at)
    found = await statement(
        org,
        user,
        createdAfter="2026-03-29",
        createdBefore="2026-03-30",
        timeZone="Europe/Berlin",
    )
    (berlin,) = found["accounts"]
    assert [each["time"] for each in berlin["lines"]] == [
        "2026-03-29T00:00:00.000000+01:00",
        "2026-03-29T03:00:00.000000+02:00",
        "2026-03-29T23:59:59.000000+02:00",
    ]
    assert (berlin["openingBalance"], berlin["closingBalance"]) == ("1", "4")
    assert found["createdAfter"] == "2026-03-29T00:00:00.000000+01:00"
    assert found["createdBefore"] == "2026-03-30T00:00:00.000000+02:00"


async def test_a_statement_can_be_filtered_by_wallet_and_currency(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    await fund(org, user, "7", chain="ETHEREUM")
    await fund(org, user, "8", currency="usdt", chain="ETHEREUM")
    accounts = (await statement(org, user))["accounts"]
    assert [(each["wallet"]["chain"], each["currency"]) for each in accounts] == [
        ("ETHEREUM", "usdc"),
        ("ETHEREUM", "usdt"),
        ("POLYGON", "usdc"),
    ]
    wallet = accounts[0]["wallet"]["id"]
    assert (await statement(org, user, walletId=wallet))["accounts"] == accounts[:2]
    usdc = (await statement(org, user, currency="usdc"))["accounts"]
    assert usdc == [accounts[0], accounts[2]]
    both = await statement(org, user, currency="usdt", walletId=wallet)
    assert both["accounts"] == [accounts[1]]


async def test_without_money_there_are_no_accounts(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    assert (await statement(org, user, createdBefore="2021-01-01"))["accounts"] == []


async def test_an_account_that_only_held_something_is_shown(org: Tenant) -> None:
    user = await make_user(org)
    await receive(org, await account_of(org, user), 5, datetime(2025, 1, 1, tzinfo=UTC))
    (found,) = (await statement(org, user, createdAfter="2026-01-01"))["accounts"]
    assert (found["openingBalance"], found["closingBalance"]) == ("0.000005", "0.000005")
    assert found["lines"] == []


async def test_frozen_and_erased_users_have_statements(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="5"), await make_user(org)
    await make_transfer(org, ada, bob, "5")
    await run_due(org)
    await org.post(f"/v2/users/{ada}/freeze", {"reason": "left"})
    assert (await statement(org, ada))["user"]["name"] == "Ada Example"
    assert (await org.send("DELETE", f"/v2/users/{ada}/personal-data")).status_code == 200
    found = await statement(org, ada)
    assert found["user"] == {"id": ada, "name": ""}
    assert len(found["accounts"][0]["lines"]) == 2


async def test_another_organisations_user_is_not_found(org: Tenant, other_org: Tenant) -> None:
    theirs = await make_user(other_org, funds="5")
    mine = await make_user(org)
    for user in (theirs, str(uuid4())):
        assert (await ask(org, user)).status_code == 404
    wallet = (await statement(other_org, theirs))["accounts"][0]["wallet"]["id"]
    for each in (wallet, str(uuid4())):
        answer = await ask(org, mine, walletId=each)
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "WALLET_NOT_FOUND"


async def test_all_problems_are_reported_at_once(org: Tenant) -> None:
    answer = await org.send(
        "GET",
        STATEMENTS,
        walletId="x",
        currency="eur",
        createdAfter="yesterday",
        timeZone="Mars/Olympus",
        format="xls",
        detail="sums",
    )
    assert answer.status_code == 400
    assert set(answer.json()["error"]["details"]) == {
        *("userId", "walletId", "currency", "createdAfter", "createdBefore", "timeZone"),
        *("format", "detail"),
    }


async def test_invalid_bounds_are_refused(still_org: Tenant, still_clock: FrozenClock) -> None:
    user = await make_user(still_org)
    today = still_clock.at.date()
    ahead = today.year + 2
    for after, before, field in (
        ("2026-01-02", "2026-01-02", "createdBefore"),
        ("2026-01-02", "2026-01-01", "createdBefore"),
        ("2026-01-01", f"{ahead}-01-01", "createdBefore"),
        (f"{ahead}-01-01", f"{ahead}-01-02", "createdAfter"),
        ("0001-01-01T00:00:00Z", "2026-01-01", "createdAfter"),
        ("2026-01-01", "9999-12-31T23:59:59Z", "createdBefore"),
    ):
        answer = await ask(
            still_org,
            user,
            createdAfter=after,
            createdBefore=before,
            timeZone="America/New_York",
        )
        assert answer.status_code == 400, (after, before)
        assert field in answer.json()["error"]["details"], answer.text
    assert (await ask(still_org, user, createdBefore=str(today))).status_code == 200


async def test_the_last_bound_is_the_end_of_the_day_of_the_zone(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    user = await make_user(still_org)
    still_clock.at = still_clock.at.replace(hour=20, minute=0, second=0) + timedelta(days=1)
    day = still_clock.at.date()
    # In Auckland, 12 or 13 hours ahead, it is already tomorrow.
    auckland = ZoneInfo("Pacific/Auckland")
    end = datetime.combine(day + timedelta(days=2), time(), auckland).astimezone(UTC)
    good = await ask(still_org, user, timeZone="Pacific/Auckland", createdBefore=end.isoformat())
    assert good.status_code == 200, good.text
    late = await ask(
        still_org,
        user,
        timeZone="Pacific/Auckland",
        createdBefore=end.replace(microsecond=1).isoformat(),
    )
    assert late.status_code == 400


async def test_zones_are_location_names(org: Tenant) -> None:
    user = await make_user(org)
    for zone in ("", "localtime", "../etc/passwd", "Europe", "europe/berlin", "UTC+1", "x" * 5000):
        answer = await ask(org, user, timeZone=zone)
        assert answer.status_code == 400, zone
        assert set(answer.json()["error"]["details"]) == {"timeZone"}


async def test_long_statements_are_available_as_csv(org: Tenant) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 10_001, datetime(2026, 1, 1, tzinfo=UTC))
    for written_as in ("json", "pdf"):
        answer = await ask(org, user, format=written_as)
        assert answer.status_code == 400
        assert "request csv" in answer.json()["error"]["details"]["format"]
    table = await ask(org, user, format="csv")
    assert table.status_code == 200
    assert len(table.text.splitlines()) == 10_001 + 3
    assert table.text.splitlines()[-1].endswith(",0.010001,0,0.010001,")


async def test_lines_equal_the_ledger_entries(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    for amount in ("1", "2", "3"):
        await make_transfer(org, ada, bob, amount)
        await run_due(org)
        await make_transfer(org, bob, ada, "0.5")
    await run_due(org)
    for user in (ada, bob):
        (found,) = (await statement(org, user))["accounts"]
        books = await moved(org, await account_of(org, user))
        assert [UUID(each["recordId"]) for each in found["lines"]] == [each[1] for each in books]
        assert len(found["lines"]) == len(books)
