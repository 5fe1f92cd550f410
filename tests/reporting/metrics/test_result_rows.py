"""Running templates: a balance stays unchanged until something happens."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.offramps.model import OfframpStatus
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.reporting.metrics.contract_templates import STATUSES, counted_status
from landbridge.reporting.metrics.model import (
    Dimension,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
)
from landbridge.reporting.metrics.result_rows import ResultRows
from landbridge.reporting.rollups.model import Interval, Span

DAYS = [date(2026, 1, 4), date(2026, 1, 3), date(2026, 1, 2)]


async def _nothing(
    sources: MetricSources, org_id: UUID, query: MetricQuery
) -> Sequence[MetricFact]:
    del sources, org_id, query
    return []


RUNNING = MetricTemplate(
    name="RUNNING",
    display_name="Running",
    description="",
    dimensions=(Dimension(name="currency", param="currencies", options=None, description=""),),
    fields=("balance",),
    read=_nothing,
    values=lambda tally: {"balance": tally.get("units", 0)},
    is_running=True,
    defaults={},
)
SPAN = Span(datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC), "UTC", Interval.DAY)


def _fact(day: int, currency: str, units: int) -> MetricFact:
    return MetricFact(date(2026, 1, day), (currency,), {"units": units})


def test_a_running_row_covers_everything_up_to_its_period_end() -> None:
    query = MetricQuery(span=SPAN, filters={}, breakdowns=("currency",), limit=500, given={})
    result_rows = ResultRows(RUNNING, query)
    result_rows.add(
        [_fact(1, "usdc", 5), _fact(1, "usdt", 7), _fact(3, "usdc", -2), _fact(4, "eurc", 1)]
    )
    rows, filled = result_rows.rows(DAYS)
    assert [(each.period.day, each.dims["currency"], each.values["balance"]) for each in rows] == [
        *((4, "usdt", 7), (4, "usdc", 3), (4, "eurc", 1)),
        *((3, "usdt", 7), (3, "usdc", 3), (3, "eurc", 0)),
        *((2, "usdt", 7), (2, "usdc", 5), (2, "eurc", 0)),
    ]
    assert filled == 7


def test_a_limit_keeps_the_opening_total() -> None:
    query = MetricQuery(
        span=SPAN, filters={"currency": ("usdc",)}, breakdowns=(), limit=1, given={}
    )
    result_rows = ResultRows(RUNNING, query)
    result_rows.add([_fact(1, "usdc", 5), _fact(2, "usdt", 7), _fact(2, "usdc", 1)])
    rows, filled = result_rows.rows(DAYS[:1])
    assert [each.values for each in rows] == [{"balance": 6}]
    assert filled == 1


@pytest.mark.parametrize(
    ("kind", "statuses"),
    [
        (ONRAMP, OnrampStatus),
        (OFFRAMP, OfframpStatus),
        (TRANSFER, OutgoingTransferStatus),
        (BATCH, OutgoingTransferStatus),
    ],
)
def test_every_status_is_counted_under_one_of_the_contract(
    kind: str, statuses: type[OnrampStatus | OfframpStatus | OutgoingTransferStatus]
) -> None:
    for each in statuses:
        found = counted_status(kind, each)
        assert found in STATUSES
        assert found == each or each not in STATUSES
