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

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.exports.model import ExportFormat
from landbridge.reporting.exports.transactions import BATCH_ROWS, COLUMNS
from landbridge.reporting.file_downloads import STREAMS_MAX
from tests.applications import app_of
from tests.onramps import ONRAMPS, make_onramp, make_payer
from tests.reporting.exports.downloads import (
    METRICS,
    PREVIEW,
    csv_rows,
    download,
    fill,
    params,
    parquet_table,
    today,
)
from tests.tenants import SETTINGS, Tenant, make_batch, make_swap, make_transfer, make_user, run_due

LONG_AGO = datetime(2026, 2, 1, tzinfo=UTC)
# The records of `fill`.
FILLED = {
    "createdAfter": "2026-02-01",
    "createdBefore": "2026-03-01",
    "calculationInterval": "month",
}


async def rows_of(
    org: Tenant, template: str, query_params: dict[str, Any] | None = None
) -> list[dict[str, str]]:
    return csv_rows(await download(org, template, query_params, content="transactions"))


async def make_some(org: Tenant) -> tuple[str, str]:
    """Create two users; the first has completed, open and rejected transfers."""
    payer, payee = await make_user(org, funds="100"), await make_user(org, funds="10")
    await make_transfer(org, payee, payer, "1.25")
    await make_transfer(org, payer, payee, "2.509999")
    items = [{"userId": payee, "amount": amount} for amount in ("3", "4")]
    await make_batch(org, payer, *items)
    await run_due(org)
    await make_swap(org, payer, "5", status=SwapStatus.COMPLETED)
    await make_swap(org, payer, "6")
    await make_transfer(org, payer, payee, "7", requireApproval=True)
    return payer, payee


async def test_transactions_are_those_that_were_counted(org: Tenant) -> None:
    await make_some(org)
    query_params = params(org, breakdowns=["transactionType", "transactionStatus"])
    counted = await org.post(
        f"{METRICS}/preview", {"template": "TRANSACTION_COUNT", "params": query_params}
    )
    expected = {
        (each["transactionType"], each["transactionStatus"]): each["transactionCount"]
        for each in counted["data"]
        if each["transactionCount"]
    }
    found = await rows_of(org, "TRANSACTION_COUNT", query_params)
    assert Counter((row["transactionType"], row["transactionStatus"]) for row in found) == expected
    assert sum(expected.values()) == 4


async def test_the_dollars_of_transactions_are_the_volume(org: Tenant) -> None:
    payer, payee = await make_some(org)
    query_params = params(org, transactionTypes=["transfer"])
    (row,) = [
        each
        for each in csv_rows(await download(org, "GROSS_VOLUME", query_params))
        if Decimal(each["grossVolume"])
    ]
    found = await rows_of(org, "GROSS_VOLUME", query_params)
    assert {each["status"] for each in found} == {"COMPLETED"}
    assert sum(Decimal(each["amountUsd"]) for each in found) == Decimal(row["grossVolume"])
    assert [each["amountUsd"] for each in found] == ["1.25", "2.50", "7.00"]
    assert await rows_of(org, "GROSS_VOLUME") == []  # of ramps, as of themselves
    of_one = await rows_of(org, "GROSS_VOLUME", {**query_params, "userIds": [payee]})
    assert [(each["userId"], each["sourceAmount"]) for each in of_one] == [(payee, "1.25")]
    assert len(await rows_of(org, "GROSS_VOLUME", {**query_params, "userIds": [payee, payer]})) == 3


async def test_a_row_is_as_the_record_is_shown(org: Tenant) -> None:
    payer, _ = await make_some(org)
    query_params = params(org, createdBefore=today(org), createdAfter="2026-01-01")
    query_params["createdBefore"] = (
        org.container.clock.now(timedelta()).replace(hour=0, minute=0, second=0, microsecond=0)
        + timedelta(days=1)
    ).isoformat()
    (row,) = await rows_of(org, "SWAP_VOLUME", query_params)
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
        "metadata": "",
    }
    assert list(row) == [each.name for each in COLUMNS]
    pair = {"sourceCurrencies": ["usdc"], "destinationCurrencies": ["usdt"]}
    assert await rows_of(org, "SWAP_VOLUME", {**query_params, **pair, "chains": ["POLYGON"]}) == [
        row
    ]
    assert await rows_of(org, "SWAP_VOLUME", {**query_params, "sourceCurrencies": ["usdt"]}) == []
    assert await rows_of(org, "SWAP_VOLUME", {**query_params, "chains": ["SOLANA"]}) == []
    done = await rows_of(org, "COMPLETION_TIME", {**query_params, "transactionTypes": ["swap"]})
    assert done == [row]


@pytest.mark.parametrize("template", ["NEW_USERS", "FEES", "BALANCES", "WEBHOOK_HEALTH"])
async def test_templates_without_transactions_refuse_the_download(
    org: Tenant, template: str
) -> None:
    answer = await download(org, template, FILLED, content="transactions")
    assert (answer.status_code, set(answer.json()["error"]["details"])) == (400, {"content"})


async def test_status_filters_use_counted_statuses(org: Tenant) -> None:
    await make_some(org)
    query_params = params(org, transactionStatuses=["PENDING_APPROVAL", "FAILED"])
    (row,) = await rows_of(org, "TRANSACTION_COUNT", query_params)
    assert (row["status"], row["sourceAmount"]) == ("PENDING_APPROVAL", "7")


async def test_failures_include_their_reason(org: Tenant) -> None:
    user = await make_user(org)
    await fill(org, user, 30, since=LONG_AGO, apart=timedelta(hours=1))
    reason = "the chain refused it, twice"
    found = await rows_of(org, "OUTCOMES", {**FILLED, "reasons": [reason, "another"]})
    assert [each["failedReason"] for each in found] == [reason] * 3
    assert await rows_of(org, "OUTCOMES", {**FILLED, "reasons": ["another"]}) == []
    assert len(await rows_of(org, "OUTCOMES", FILLED)) == 30


@pytest.mark.parametrize("apart", [timedelta(), timedelta(milliseconds=7), timedelta(hours=3)])
@pytest.mark.parametrize("by_user", [False, True])
async def test_every_record_appears_once_and_in_order(
    org: Tenant, apart: timedelta, *, by_user: bool
) -> None:
    user = await make_user(org)
    # Both in a burst larger than a batch, and sparsely over months.
    count = 200 if apart > timedelta(minutes=1) else 2 * BATCH_ROWS + 3
    await fill(org, user, count, since=LONG_AGO, apart=apart)
    more = {"userIds": [user]} if by_user else {}
    expected = await org.container.database.rows(
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


async def test_few_matches_are_found_among_many_records(org: Tenant) -> None:
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 2, since=LONG_AGO, apart=timedelta(seconds=1))
    query_params = {
        **FILLED,
        "transactionTypes": ["transfer"],
        "transactionStatuses": ["COMPLETED"],
    }
    assert await rows_of(org, "TRANSACTION_COUNT", query_params) == []
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


async def test_days_and_times_are_in_the_zone_named_by_the_file(org: Tenant) -> None:
    # A zone of the organisation whose roll-ups are still empty.
    await org.container.database.rows(
        """
        insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)
        values ($1, 1, 'Asia/Kolkata', '0', true, $2)
        """,
        *(org.org_id, LONG_AGO),
    )
    await fill(org, await make_user(org), 48, since=LONG_AGO, apart=timedelta(hours=1))
    query_params = {**FILLED, "timeZone": "Asia/Kolkata", "createdBefore": "2026-02-02"}
    answer = await download(org, "OUTCOMES", query_params, content="transactions")
    times = [each["createdAt"] for each in csv_rows(answer)]
    assert times[0] == "2026-02-01T06:30:00.000000+05:30"
    assert times[-1] == "2026-02-01T23:30:00.000000+05:30"
    name = "outcomes-transactions-2026-02-01-2026-02-02-Asia-Kolkata.csv"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    answer = await download(org, "OUTCOMES", query_params, content="transactions", format="parquet")
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


async def test_another_organisation_gets_none_of_them(org: Tenant, other_org: Tenant) -> None:
    await make_some(org)
    assert await rows_of(other_org, "OUTCOMES") == []
    user = await make_user(org)
    assert await rows_of(other_org, "TRANSACTION_COUNT", params(other_org, userIds=[user])) == []


async def test_no_connection_is_held_while_the_client_reads(org: Tenant, dsn: str) -> None:
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 5, since=LONG_AGO, apart=timedelta(seconds=1))
    database = await Database.connect(dsn, name="tests", size_max=1)
    exports = wire(SETTINGS, database, Clock(await take_node(database))).exports
    _, chunks = await exports.transaction_file(org.caller, "OUTCOMES", FILLED, ExportFormat.CSV)
    async with aclosing(chunks), asyncio.timeout(60):
        await anext(chunks)
        (row,) = await database.rows("select 1 as one")
        assert row["one"] == 1
        # Changed during the read: records not read yet are shown in their new state.
        await database.rows("update transfers set status = 'FAILED' where org_id = $1", org.org_id)
        rest = b"".join([chunk async for chunk in chunks])
    assert rest.count(b",COMPLETED,") <= BATCH_ROWS * 2
    assert rest.count(b",FAILED,") >= BATCH_ROWS
    await database.close()


async def test_concurrent_downloads_are_bounded(org: Tenant, other_org: Tenant) -> None:
    async def begin(tenant: Tenant) -> Any:
        created = await tenant.container.exports.transaction_file(
            tenant.caller, "OUTCOMES", FILLED, ExportFormat.CSV
        )
        return created.chunks

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


async def test_a_disconnected_reader_frees_its_resources(org: Tenant) -> None:
    await fill(org, await make_user(org), BATCH_ROWS * 4, since=LONG_AGO, apart=timedelta())
    app: Any = app_of(org.container)
    body = json.dumps({"template": "OUTCOMES", "params": FILLED}).encode()
    for _ in range(STREAMS_MAX + 1):
        sent: list[Any] = []
        has_begun = asyncio.Event()
        query_params = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive(
            query_params: Any = query_params, has_begun: asyncio.Event = has_begun
        ) -> Any:
            for message in query_params:
                return message
            await has_begun.wait()
            return {"type": "http.disconnect"}

        async def send(
            message: Any, sent: list[Any] = sent, has_begun: asyncio.Event = has_begun
        ) -> None:
            sent.append(message)
            if message["type"] == "http.response.body":
                has_begun.set()
                await asyncio.Event().wait()  # reads nothing more

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
                *(
                    (name.lower().encode(), query_params.encode())
                    for name, query_params in org.headers.items()
                ),
            ],
        }
        async with asyncio.timeout(60):
            await app(scope, receive, send)
        assert [each["type"] for each in sent] == ["http.response.start", "http.response.body"]
        assert sent[0]["status"] == 200
    assert len(await rows_of(org, "OUTCOMES", FILLED)) == BATCH_ROWS * 4


async def test_an_onramp_without_a_rate_counts_its_coins_at_par(org: Tenant) -> None:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    source = {"currency": "brl", "transferType": None}
    onramp = await make_onramp(org, user, is_accepted=False, source=source)
    # Its rate was known at creation and unknown at the refresh.
    set_worth = "update transfers set details = details || $3 where org_id = $1 and id = $2"
    await org.container.database.rows(set_worth, org.org_id, onramp["id"], '{"worth_usd": "1.23"}')
    await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh")
    forget = "update transfers set facts = facts || $3 where org_id = $1 and id = $2"
    await org.container.database.rows(forget, org.org_id, onramp["id"], '{"worth_usd": null}')
    known = await org.container.onramps.get(org.org_id, UUID(onramp["id"]))
    (row,) = await rows_of(org, "TRANSACTION_COUNT", params(org, transactionTypes=["onramp"]))
    assert Decimal(row["amountUsd"]) == known.amount_in_usd != Decimal("1.23")


async def test_a_download_of_few_among_many_begins_at_once(org: Tenant) -> None:
    """The header arrives after the first read of records, and chunks follow read by read."""
    user = await make_user(org)
    await fill(org, user, BATCH_ROWS * 3, since=LONG_AGO, apart=timedelta(seconds=1))
    query_params = {
        **FILLED,
        "transactionTypes": ["transfer"],
        "transactionStatuses": ["COMPLETED"],
    }
    for form in ExportFormat:
        _, chunks = await org.container.exports.transaction_file(
            org.caller, "TRANSACTION_COUNT", query_params, form
        )
        created = [chunk async for chunk in chunks]
        assert len(created) > 2
        assert created[0].startswith(b"id," if form is ExportFormat.CSV else b"PAR1")
