import asyncio
import json
from collections import Counter
from contextlib import AsyncExitStack, aclosing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from landbridge.app import build_app
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy
from landbridge.db.pool import Database
from landbridge.flows.swaps.model import Status
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.reporting.exports.model import Format
from landbridge.reporting.exports.transactions import BATCH_ROWS, COLUMNS
from landbridge.reporting.files import STREAMS_MAX
from landbridge.wiring import wire
from tests.onramps import ONRAMPS, make_onramp, make_payer
from tests.reporting.exports.things import (
    METRICS,
    PREVIEW,
    csv_rows,
    download,
    fill,
    params,
    parquet_table,
    today,
)
from tests.tenants import (
    SETTINGS,
    Tenant,
    make_batch,
    make_swap,
    make_transfer,
    make_user,
    run_due,
)

LONG_AGO = datetime(2026, 2, 1, tzinfo=UTC)
# Of what `fill` makes.
FILLED = {
    "createdAfter": "2026-02-01",
    "createdBefore": "2026-03-01",
    "calculationInterval": "month",
}


async def rows_of(
    org: Tenant, template: str, told: dict[str, Any] | None = None
) -> list[dict[str, str]]:
    return csv_rows(await download(org, template, told, content="transactions"))


async def make_some(org: Tenant) -> tuple[str, str]:
    """Two users; the first has sent what is completed, open and refused."""
    payer, payee = await make_user(org, funds="100"), await make_user(org, funds="10")
    await make_transfer(org, payee, payer, "1.25")
    await make_transfer(org, payer, payee, "2.509999")
    items = [{"userId": payee, "amount": amount} for amount in ("3", "4")]
    await make_batch(org, payer, *items)
    await run_due(org)
    await make_swap(org, payer, "5", status=Status.COMPLETED)
    await make_swap(org, payer, "6")
    await make_transfer(org, payer, payee, "7", requireApproval=True)
    return payer, payee


async def test_transactions_are_those_that_were_counted(org: Tenant) -> None:
    await make_some(org)
    told = params(org, breakdowns=["transactionType", "transactionStatus"])
    counted = await org.post(
        f"{METRICS}/preview", {"template": "TRANSACTION_COUNT", "params": told}
    )
    expected = {
        (each["transactionType"], each["transactionStatus"]): each["transactionCount"]
        for each in counted["data"]
        if each["transactionCount"]
    }
    found = await rows_of(org, "TRANSACTION_COUNT", told)
    assert Counter((row["transactionType"], row["transactionStatus"]) for row in found) == expected
    assert sum(expected.values()) == 4


async def test_the_dollars_of_transactions_are_the_volume(org: Tenant) -> None:
    payer, payee = await make_some(org)
    told = params(org, transactionTypes=["transfer"])
    (row,) = [
        each
        for each in csv_rows(await download(org, "GROSS_VOLUME", told))
        if Decimal(each["grossVolume"])
    ]
    found = await rows_of(org, "GROSS_VOLUME", told)
    assert {each["status"] for each in found} == {"COMPLETED"}
    assert sum(Decimal(each["amountUsd"]) for each in found) == Decimal(row["grossVolume"])
    assert [each["amountUsd"] for each in found] == ["1.25", "2.50", "7.00"]
    assert await rows_of(org, "GROSS_VOLUME") == []  # of ramps, as of themselves
    of_one = await rows_of(org, "GROSS_VOLUME", {**told, "userIds": [payee]})
    assert [(each["userId"], each["sourceAmount"]) for each in of_one] == [(payee, "1.25")]
    assert len(await rows_of(org, "GROSS_VOLUME", {**told, "userIds": [payee, payer]})) == 3


async def test_a_row_is_as_the_record_is_shown(org: Tenant) -> None:
    payer, _ = await make_some(org)
    told = params(org, createdBefore=today(org), createdAfter="2026-01-01")
    told["createdBefore"] = (
        org.house.clock.now(timedelta()).replace(hour=0, minute=0, second=0, microsecond=0)
        + timedelta(days=1)
    ).isoformat()
    (row,) = await rows_of(org, "SWAP_VOLUME", told)
    swap = (await org.get(f"/v2/wallets/swaps/{row['id']}"))["transferDetails"]
    assert row == {
        "id": swap["id"],
        "transferType": "WALLET.SWAP",
        "status": "COMPLETED",
        "userId": payer,
        "requestId": swap["requestId"],
        "createdAt": swap["createdAt"],
        "updatedAt": swap["updatedAt"],
        "sourceCurrency": "usdc",
        "sourceChain": "POLYGON",
        "sourceAmount": "5",
        "destinationCurrency": "usdt",
        "destinationChain": "POLYGON",
        "destinationAmount": swap["quoteInformation"]["receiveNet"]["amount"],
        "amountUsd": "5.00",
        "failedReason": "",
        "transactionType": "swap",
        "transactionStatus": "",
    }
    assert list(row) == [each.name for each in COLUMNS]
    pair = {"sourceCurrencies": ["usdc"], "destinationCurrencies": ["usdt"]}
    assert await rows_of(org, "SWAP_VOLUME", {**told, **pair, "chains": ["POLYGON"]}) == [row]
    assert await rows_of(org, "SWAP_VOLUME", {**told, "sourceCurrencies": ["usdt"]}) == []
    assert await rows_of(org, "SWAP_VOLUME", {**told, "chains": ["SOLANA"]}) == []
    done = await rows_of(org, "COMPLETION_TIME", {**told, "transactionTypes": ["swap"]})
    assert done == [row]


@pytest.mark.parametrize("template", ["NEW_USERS", "FEES", "BALANCES", "WEBHOOK_HEALTH"])
async def test_what_is_not_made_of_transactions_has_none(org: Tenant, template: str) -> None:
    answer = await download(org, template, FILLED, content="transactions")
    assert (answer.status_code, set(answer.json()["error"]["details"])) == (400, {"content"})


async def test_statuses_are_asked_for_as_they_are_counted(org: Tenant) -> None:
    await make_some(org)
    told = params(org, transactionStatuses=["PENDING_APPROVAL", "FAILED"])
    (row,) = await rows_of(org, "TRANSACTION_COUNT", told)
    assert (row["status"], row["sourceAmount"]) == ("PENDING_APPROVAL", "7")


async def test_failures_are_told_with_their_reason(org: Tenant) -> None:
    user = await make_user(org)
    await fill(org, user, 30, since=LONG_AGO, apart=timedelta(hours=1))
    reason = "the chain refused it, twice"
    found = await rows_of(org, "OUTCOMES", {**FILLED, "reasons": [reason, "another"]})
    assert [each["failedReason"] for each in found] == [reason] * 3
    assert await rows_of(org, "OUTCOMES", {**FILLED, "reasons": ["another"]}) == []
    assert len(await rows_of(org, "OUTCOMES", FILLED)) == 30


@pytest.mark.parametrize("apart", [timedelta(), timedelta(milliseconds=7), timedelta(hours=3)])
@pytest.mark.parametrize("by_user", [False, True])
async def test_every_record_is_told_once_and_in_order(
    org: Tenant, apart: timedelta, *, by_user: bool
) -> None:
    user = await make_user(org)
    # Of a burst, too, which is more than a batch, and sparsely over months.
    count = 200 if apart > timedelta(minutes=1) else 2 * BATCH_ROWS + 3
    await fill(org, user, count, since=LONG_AGO, apart=apart)
    more = {"userIds": [user]} if by_user else {}
    expected = await org.house.database.rows(
        """
        select id::text as id, kind from transfers
        where org_id = $1 and created_at >= '2026-02-01' and created_at < '2026-03-01'
        order by created_at, id
        """,
        org.org_id,
    )
    expected_transfers = [each["id"] for each in expected if each["kind"] == "WALLET.TRANSFER"]
    found = await rows_of(org, "TRANSACTION_COUNT", {**FILLED, **more})
    assert [each["id"] for each in found] == expected_transfers
    if not by_user:
        every = await rows_of(org, "OUTCOMES", FILLED)
        assert [each["id"] for each in every] == [each["id"] for each in expected]
        assert all(
            (a["createdAt"], a["id"]) < (b["createdAt"], b["id"]) for a, b in pairwise(every)
        )


async def test_few_that_are_wanted_are_found_among_many(org: Tenant) -> None:
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 2, since=LONG_AGO, apart=timedelta(seconds=1))
    told = {**FILLED, "transactionTypes": ["transfer"], "transactionStatuses": ["COMPLETED"]}
    assert await rows_of(org, "TRANSACTION_COUNT", told) == []
    assert len(await rows_of(org, "TRANSACTION_COUNT", FILLED)) == BATCH_ROWS // 5


async def test_the_range_begins_with_its_first_moment_and_ends_before_its_last(
    org: Tenant,
) -> None:
    user = await make_user(org)
    await fill(org, user, 48, since=LONG_AGO - timedelta(hours=1), apart=timedelta(hours=1))
    day = {**FILLED, "createdBefore": "2026-02-02"}
    found = await rows_of(org, "OUTCOMES", day)
    assert [each["createdAt"][:19] for each in found] == [
        f"2026-02-01T{hour:02}:00:00" for hour in range(24)
    ]
    none = {**day, "createdBefore": "2026-02-01T00:00:00.000001+00:00"}
    assert len(await rows_of(org, "OUTCOMES", none)) == 1
    early = {**FILLED, "createdAfter": "0001-01-01", "calculationInterval": "year"}
    assert len(await rows_of(org, "OUTCOMES", early)) == 48


async def test_days_and_times_are_those_of_the_zone_which_the_file_names(org: Tenant) -> None:
    # A zone of the organisation, whose roll-ups have nothing of the log yet.
    await org.house.database.rows(
        """
        insert into report_builds (org_id, build, zone, folded_to, is_current, created_at)
        values ($1, 1, 'Asia/Kolkata', '0', true, $2)
        """,
        *(org.org_id, LONG_AGO),
    )
    await fill(org, await make_user(org), 48, since=LONG_AGO, apart=timedelta(hours=1))
    told = {**FILLED, "timeZone": "Asia/Kolkata", "createdBefore": "2026-02-02"}
    answer = await download(org, "OUTCOMES", told, content="transactions")
    times = [each["createdAt"] for each in csv_rows(answer)]
    assert times[0] == "2026-02-01T06:30:00.000000+05:30"
    assert times[-1] == "2026-02-01T23:30:00.000000+05:30"
    name = "outcomes-transactions-2026-02-01-2026-02-02-Asia-Kolkata.csv"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    answer = await download(org, "OUTCOMES", told, content="transactions", format="parquet")
    schema = parquet_table(answer.content).schema
    assert str(schema.field("createdAt").type) == "timestamp[us, tz=Asia/Kolkata]"
    assert schema.metadata[b"timeZone"] == b"Asia/Kolkata"


async def test_parquet_has_the_same_transactions(org: Tenant) -> None:
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS + 7, since=LONG_AGO, apart=timedelta(seconds=1))
    lines = await rows_of(org, "OUTCOMES", FILLED)
    answer = await download(org, "OUTCOMES", FILLED, content="transactions", format="parquet")
    table = parquet_table(answer.content)
    assert table.column_names == list(lines[0])
    for line, record in zip(lines, table.to_pylist(), strict=True):
        assert datetime.fromisoformat(line["createdAt"]) == record["createdAt"]
        assert Decimal(line["sourceAmount"]) == record["sourceAmount"]
        assert (line["id"], line["failedReason"] or None) == (record["id"], record["failedReason"])


async def test_a_stranger_has_none_of_them(org: Tenant, other_org: Tenant) -> None:
    await make_some(org)
    assert await rows_of(other_org, "OUTCOMES") == []
    user = await make_user(org)
    assert await rows_of(other_org, "TRANSACTION_COUNT", params(other_org, userIds=[user])) == []


async def test_no_connection_is_held_while_the_reader_takes_its_time(org: Tenant, dsn: str) -> None:
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 5, since=LONG_AGO, apart=timedelta(seconds=1))
    database = await Database.connect(dsn, name="tests", size_max=1)
    exports = wire(SETTINGS, database, Clock(await take_lane(database))).exports
    _, chunks = await exports.transaction_file(org.caller, "OUTCOMES", FILLED, Format.CSV)
    async with aclosing(chunks), asyncio.timeout(60):
        await anext(chunks)
        (row,) = await database.rows("select 1 as one")
        assert row["one"] == 1
        # Changed meanwhile: what was not read yet is told as it is then.
        await database.rows("update transfers set status = 'FAILED' where org_id = $1", org.org_id)
        rest = b"".join([chunk async for chunk in chunks])
    assert rest.count(b",COMPLETED,") <= BATCH_ROWS * 2
    assert rest.count(b",FAILED,") >= BATCH_ROWS
    await database.close()


async def test_so_many_are_read_at_once_and_no_more(org: Tenant, other_org: Tenant) -> None:
    async def begin(tenant: Tenant) -> Any:
        made = await tenant.house.exports.transaction_file(
            tenant.caller, "OUTCOMES", FILLED, Format.CSV
        )
        return made.chunks

    for _ in range(2):
        async with AsyncExitStack() as open_files:
            for _ in range(STREAMS_MAX):
                chunks = await open_files.enter_async_context(aclosing(await begin(org)))
                await anext(chunks)
            with pytest.raises(Busy):
                await anext(await begin(org))
            answer = await download(org, "OUTCOMES", FILLED, content="transactions")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert await rows_of(other_org, "OUTCOMES", FILLED) == []
    assert await rows_of(org, "OUTCOMES", FILLED) == []


async def test_a_reader_that_goes_leaves_nothing_behind(org: Tenant) -> None:
    await fill(org, await make_user(org), BATCH_ROWS * 4, since=LONG_AGO, apart=timedelta())
    app: Any = build_app(org.house)
    body = json.dumps({"template": "OUTCOMES", "params": FILLED}).encode()
    for _ in range(STREAMS_MAX + 1):
        sent: list[Any] = []
        has_begun = asyncio.Event()
        asked = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive(asked: Any = asked, has_begun: asyncio.Event = has_begun) -> Any:
            for message in asked:
                return message
            await has_begun.wait()
            return {"type": "http.disconnect"}

        async def send(
            message: Any, sent: list[Any] = sent, has_begun: asyncio.Event = has_begun
        ) -> None:
            sent.append(message)
            if message["type"] == "http.response.body":
                has_begun.set()
                await asyncio.Event().wait()  # takes nothing more

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": PREVIEW,
            "raw_path": PREVIEW.encode(),
            "root_path": "",
            "query_string": b"content=transactions",
            "headers": [
                (b"content-type", b"application/json"),
                *((name.lower().encode(), told.encode()) for name, told in org.headers.items()),
            ],
        }
        async with asyncio.timeout(60):
            await app(scope, receive, send)
        assert [each["type"] for each in sent] == ["http.response.start", "http.response.body"]
        assert sent[0]["status"] == 200
    assert len(await rows_of(org, "OUTCOMES", FILLED)) == BATCH_ROWS * 4


async def test_an_onramp_whose_worth_is_known_no_more_counts_its_coins_at_par(org: Tenant) -> None:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    source = {"currency": "brl", "transferType": None}
    onramp = await make_onramp(org, user, is_accepted=False, source=source)
    # Its rate was known when it was made, and was not when it was refreshed.
    set_worth = "update transfers set details = details || $3 where org_id = $1 and id = $2"
    await org.house.database.rows(set_worth, org.org_id, onramp["id"], '{"worth_usd": "1.23"}')
    await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh")
    forget = "update transfers set facts = facts || $3 where org_id = $1 and id = $2"
    await org.house.database.rows(forget, org.org_id, onramp["id"], '{"worth_usd": null}')
    known = await org.house.onramps.get(org.org_id, UUID(onramp["id"]))
    (row,) = await rows_of(org, "TRANSACTION_COUNT", params(org, transactionTypes=["onramp"]))
    assert Decimal(row["amountUsd"]) == known.amount_in_usd != Decimal("1.23")


async def test_a_download_of_few_among_many_begins_at_once(org: Tenant) -> None:
    """With its header, after the first look at records; and goes on look by look."""
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 3, since=LONG_AGO, apart=timedelta(seconds=1))
    told = {**FILLED, "transactionTypes": ["transfer"], "transactionStatuses": ["COMPLETED"]}
    for form in Format:
        _, chunks = await org.house.exports.transaction_file(
            org.caller, "TRANSACTION_COUNT", told, form
        )
        made = [chunk async for chunk in chunks]
        assert len(made) > 2
        assert made[0].startswith(b"id," if form is Format.CSV else b"PAR1")
