"""Volumes, fees and balances equal plain statements on the records, folded or not."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest

from landbridge.platform.db.pool import Row
from landbridge.reporting.metrics.model import MetricRow
from tests.reporting.metrics.builtin.history import History, check, fold

INTERVALS = ("day", "week", "month")
every_interval = pytest.mark.parametrize("interval", INTERVALS)
ZERO = Decimal(0)

_SWAPS = """
select date_trunc($2, created_at at time zone 'UTC')::date::text as period,
    split_part(source_asset, ':', 1) as a, split_part(destination_asset, ':', 1) as b,
    count(*) as swaps, sum(source_units) as source, sum(destination_units) as destination,
    sum(trunc(source_units / 10000)) as cents
from transfers
where org_id = $1 and kind = 'WALLET.SWAP' and status = 'COMPLETED'
group by 1, 2, 3
"""


@every_interval
async def test_swaps_by_pair(history: History, interval: str) -> None:
    rows = await history.rows(_SWAPS, interval)
    assert {(row["a"], row["b"]) for row in rows} == {("usdc", "usdt"), ("usdt", "usdc")}
    expected = {
        (row["period"], row["a"], row["b"]): {
            "swapCount": row["swaps"],
            "volumeUsd": Decimal(row["cents"]) / 100,
            "sourceAmount": Decimal(row["source"]) / 10**6,
            "destinationAmount": Decimal(row["destination"]) / 10**6,
        }
        for row in rows
    }
    empty = {"swapCount": 0, "volumeUsd": 0, "sourceAmount": 0, "destinationAmount": 0}
    for _ in range(2):
        result = await history.calculate(
            "SWAP_VOLUME", interval, breakdowns=["sourceCurrency", "destinationCurrency"]
        )
        check(result, expected, empty)
        await fold(history.org)


async def test_amounts_of_different_currencies_are_not_added_up(history: History) -> None:
    rows = await history.rows(_SWAPS, "year")
    result = await history.calculate("SWAP_VOLUME", "year")
    (values,) = [each.values for each in result.rows if each.values["swapCount"]]
    assert values["sourceAmount"] is None
    assert values["destinationAmount"] is None
    assert values["volumeUsd"] == sum(Decimal(each["cents"]) for each in rows) / 100


_FEES = """
select date_trunc($2, e.occurred_at at time zone 'UTC')::date::text as period,
    case c.kind
        when 'WALLET.SWAP' then 'swap'
        when 'WALLET.BRIDGE' then 'bridge'
        when 'ONRAMP' then 'onramp'
        when 'OFFRAMP' then 'offramp'
        when 'LEDGER.CORRECTION' then 'correction'
        else 'transfer'
    end as type,
    sum(sign(e.available)) as fees, sum(e.available) as units
from entries e
join changes c on c.org_id = e.org_id and c.object_id = e.transfer_id and c.seq = e.seq
where e.org_id = $1 and e.role = 'fees' and split_part(e.asset, ':', 1) = $3
    and ($4::text[] is null or split_part(e.asset, ':', 2) = any($4))
group by 1, 2
"""


@every_interval
@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_fees_by_type(history: History, interval: str, currency: str) -> None:
    rows = await history.rows(_FEES, interval, currency, None)
    if currency == "usdc":
        assert {row["type"] for row in rows} == {"swap", "transfer", "correction"}
        assert min(row["units"] for row in rows) < 0
    expected = {
        (row["period"], row["type"]): {
            "feeCount": row["fees"],
            "feesUsd": Decimal(row["units"]) / 10**6,
            "fees": Decimal(row["units"]) / 10**6,
        }
        for row in rows
    }
    result = await history.calculate(
        "FEES", interval, breakdowns=["transactionType"], currencies=[currency]
    )
    check(result, expected, {"feeCount": 0, "feesUsd": 0, "fees": 0})


async def test_fees_are_reported_in_dollars(history: History) -> None:
    rows = [
        row for each in ("usdc", "usdt") for row in await history.rows(_FEES, "month", each, None)
    ]
    result = await history.calculate("FEES", "month")
    answer = [each.values["feesUsd"] for each in result.rows]
    assert sum(Decimal(str(each)) for each in answer) == sum(row["units"] for row in rows) / 10**6


@pytest.mark.parametrize(
    ("filters", "types", "currencies"),
    [
        ({"transactionTypes": ["swap"]}, {"swap"}, {"usdc", "usdt"}),
        ({"transactionTypes": ["correction", "transfer"]}, {"correction", "transfer"}, {"usdc"}),
        ({"transactionTypes": ["swap"], "currencies": ["usdt"]}, {"swap"}, {"usdt"}),
        ({"chains": ["POLYGON"]}, {"swap", "transfer", "correction"}, {"usdc", "usdt"}),
        ({"chains": ["ETHEREUM"]}, {"swap"}, {"usdc", "usdt"}),
        ({"chains": ["SOLANA"]}, set[str](), set[str]()),
        (
            {"currencies": ["usdg"], "chains": ["POLYGON"]},
            set[str](),
            set[str](),
        ),  # not in this version
    ],
)
async def test_fees_of_some(
    history: History, filters: dict[str, list[str]], types: set[str], currencies: set[str]
) -> None:
    rows = [
        row
        for each in sorted(currencies)
        for row in await history.rows(_FEES, "month", each, filters.get("chains"))
        if row["type"] in types
    ]
    assert bool(rows) == bool(types)
    expected: dict[tuple[str, ...], dict[str, Decimal]] = {}
    for row in rows:
        found = expected.setdefault((row["period"],), {"feeCount": ZERO, "feesUsd": ZERO})
        found["feeCount"] += row["fees"]
        found["feesUsd"] += Decimal(row["units"]) / 10**6
    result = await history.calculate("FEES", "month", **filters)
    for row in result.rows:
        empty = {"feeCount": ZERO, "feesUsd": ZERO}
        answer = {name: row.values[name] for name in empty}
        assert answer == expected.get((row.period.isoformat(),), empty)


_OF_CHAINS = """
select split_part(source_asset, ':', 2) as chain, sum(source_units) as source
from transfers
where org_id = $1 and kind = 'WALLET.SWAP' and status = 'COMPLETED'
    and source_asset like 'usdt:%'
group by 1
"""


async def test_swaps_out_of_one_currency(history: History) -> None:
    rows = await history.rows(_OF_CHAINS)
    units = {row["chain"]: row["source"] for row in rows}
    assert units.keys() == {"POLYGON", "ETHEREUM"}
    params = {"sourceCurrencies": ["usdt"], "destinationCurrencies": ["usdc", "usdHifi"]}
    for chains in (["POLYGON"], ["ETHEREUM"], ["BASE"], ["POLYGON", "ETHEREUM"]):
        expected = sum(units.get(each, 0) for each in chains)
        for breakdowns in ([], ["chain"], ["sourceCurrency"], ["chain", "destinationCurrency"]):
            result = await history.calculate(
                "SWAP_VOLUME", "year", **params, chains=chains, breakdowns=breakdowns
            )
            answer = [Decimal(str(row.values["sourceAmount"])) for row in result.rows]
            assert sum(answer) == Decimal(expected) / 10**6


async def test_swaps_by_chain(history: History) -> None:
    rows = await history.rows(_OF_CHAINS)
    result = await history.calculate(
        "SWAP_VOLUME", "year", breakdowns=["chain"], sourceCurrencies=["usdt"]
    )
    answer = {each.dims["chain"]: each.values["sourceAmount"] for each in result.rows}
    assert {chain: amount for chain, amount in answer.items() if amount} == {
        row["chain"]: Decimal(row["source"]) / 10**6 for row in rows
    }


_BALANCES = """
select coalesce(e.role, 'customers') as holder, split_part(e.asset, ':', 1) as currency,
    sum(case split_part(e.asset, ':', 2)
        when 'BANK' then (e.available + e.held) / 100
        else (e.available + e.held) / 1000000
    end) as coins
from entries e
where e.org_id = $1 and e.occurred_at < $2::text::timestamptz
group by 1, 2
"""


@pytest.mark.parametrize("interval", ["day", "week", "month"])
async def test_balances_at_the_end_of_each_period(history: History, interval: str) -> None:
    holders = ["customers", "liquidity", "fees", "outside", "in_transit"]
    currencies = ["usdc", "usdt", "usd", "brl"]
    result = await history.calculate(
        "BALANCES",
        interval,
        breakdowns=["currency"],
        holders=holders[:1],
        currencies=currencies,
    )
    periods = sorted({row.period for row in result.rows})
    ends = [*periods[1:], history.after]
    for period, end in zip(periods, ends, strict=True):
        rows = await _balances(history, f"{end}T00:00:00Z")
        found = {
            row.dims["currency"]: row.values["balance"]
            for row in result.rows
            if row.period == period
        }
        assert found == {each: rows.get(("customers", each), ZERO) for each in currencies}
    last = await _balances(history, f"{history.after}T00:00:00Z")
    assert last["customers", "usdc"] > 0
    result = await history.calculate(
        "BALANCES", "year", breakdowns=["holder", "currency"], holders=holders
    )
    newest = max(row.period for row in result.rows)
    for row in result.rows:
        if row.period == newest:
            key = (row.dims["holder"], row.dims["currency"])
            assert row.values["balance"] == last.get(key, ZERO), key


@pytest.mark.parametrize("interval", ["day", "week", "month", "quarter"])
async def test_balances_do_not_depend_on_the_limit(history: History, interval: str) -> None:
    params = {"breakdowns": ["currency"], "currencies": ["usdc", "usdt"], "holders": ["fees"]}
    whole = [
        key_and_value(row) for row in (await history.calculate("BALANCES", interval, **params)).rows
    ]
    assert any(balance for _, _, balance in whole)
    for limit in range(1, 8):
        result = await history.calculate("BALANCES", interval, **params, limit=limit)
        assert [key_and_value(row) for row in result.rows] == whole[:limit]
    for days in range(1, (history.after - history.first).days, 5):
        after = (history.first + timedelta(days=days)).isoformat()
        result = await history.calculate("BALANCES", interval, **params, createdAfter=after)
        assert [key_and_value(row) for row in result.rows] == whole[: len(result.rows)], after


def key_and_value(each: MetricRow) -> tuple[date, str, object]:
    return each.period, each.dims["currency"], each.values["balance"]


async def test_balances_default_to_customers(history: History) -> None:
    (row, *_) = (await history.calculate("BALANCES", "year", currencies=["usdc"])).rows
    (held,) = await history.rows(
        "select sum(available + held) as units from accounts"
        " where org_id = $1 and asset like 'usdc:%'"
    )
    assert row.values["balance"] == Decimal(held["units"]) / 10**6


async def _balances(history: History, end: str) -> dict[tuple[str, str], Decimal]:
    rows: Sequence[Row] = await history.rows(_BALANCES, end)
    return {(row["holder"], row["currency"]): Decimal(row["coins"]) for row in rows}
