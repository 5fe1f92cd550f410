"""Requests for files, and readers of their content."""

import csv
import io
import re
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pyarrow.parquet

from tests.tenants import Tenant

METRICS = "/v2/reporting/metrics"
PREVIEW = f"{METRICS}/preview/download"
# Characters that start a formula; leading blanks and tabs may be ignored.
FORMULA = re.compile(r"[ \t]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
# For the tests that cover all routes.
BODIES = {
    f"POST {PREVIEW}": {
        "template": "NEW_USERS",
        "params": {
            "createdAfter": "2025-01-01",
            "createdBefore": "2025-02-01",
            "calculationInterval": "day",
        },
    }
}


def today(org: Tenant) -> str:
    """Return the organisation's day, in UTC."""
    return org.container.clock.now(org.caller.clock_offset).date().isoformat()


def params(org: Tenant, **changes: Any) -> dict[str, Any]:
    """Return parameters from before all records until now, by day; None leaves one out."""
    now = org.container.clock.now(org.caller.clock_offset)
    defaults = {
        "createdAfter": "2026-01-01",
        "createdBefore": now.isoformat(),
        "calculationInterval": "month",
        **changes,
    }
    return {name: value for name, value in defaults.items() if value is not None}


async def download(
    org: Tenant, template: str, custom: dict[str, Any] | None = None, **query: str
) -> httpx2.Response:
    """Return the response to a preview as a file."""
    body = {"template": template, "params": params(org) if custom is None else custom}
    return await org.send("POST", PREVIEW, body, **query)


def csv_rows(answer: httpx2.Response) -> list[dict[str, str]]:
    """Return the rows of a successful CSV download."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


def parquet_table(content: bytes) -> Any:
    """Return the table of a successful Parquet download."""
    untyped: Any = pyarrow.parquet
    return untyped.read_table(io.BytesIO(content))


# Created one after the other, `$4` apart, from `$3` on; every tenth failed, and is a transfer.
_FILL = """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, created_at, updated_at
)
select $1, gen_random_uuid(), case n % 10 when 0 then 'WALLET.TRANSFER' else 'WALLET.SWAP' end, $2,
    gen_random_uuid(), '{}', case n % 10 when 0 then 'FAILED' else 'COMPLETED' end, 3,
    'usdc:POLYGON', 1000000 + n, 'usdt:POLYGON', 999000 + n,
    '{"rate": "0.999", "fee_units": 10, "destination_address": "0x8ba1f109551bD432803012645"}',
    case n % 10 when 0 then '{"failed_reason": "the chain refused it, twice"}' else '{}' end::jsonb,
    $3::timestamptz + n * $4::interval, $3::timestamptz + n * $4::interval + interval '1 minute'
from generate_series(1, $5::integer) as n
"""


async def fill(org: Tenant, user: str, count: int, *, since: datetime, apart: timedelta) -> None:
    """Lay records straight into the table, as no flow would: for their number."""
    await org.container.database.rows(_FILL, org.org_id, user, since, apart, count)
