"""Organisations with payments in several months, and their archives."""

from datetime import date, datetime, timedelta
from pathlib import Path

from landbridge.payments.swaps.model import SwapStatus
from landbridge.reporting.archive.model import ArchivedMonth, MonthFolder, next_month
from landbridge.reporting.archive.service import ArchiveRequest
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due

# Behind every month of a test.
FAR = date(2999, 1, 1)
LATER = timedelta(minutes=2)


async def pass_month(org: Tenant) -> None:
    """Advance the organisation's clock to the beginning of its next month."""
    now = await org.container.orgs.now(org.org_id)
    begins = next_month(now.date().replace(day=1))
    begins_at = datetime(begins.year, begins.month, begins.day, tzinfo=now.tzinfo)
    await org.container.orgs.advance_clock(org.org_id, begins_at - now + LATER, actor="test")


async def pay(org: Tenant, *, swaps: int = 2) -> str:
    """Make a user with swaps and a transfer that have ended; return the user's id."""
    user, other = await make_user(org, funds="100"), await make_user(org)
    for _ in range(swaps):
        await make_swap(org, user, status=SwapStatus.COMPLETED)
    await make_transfer(org, user, other)
    await run_due(org)
    return user


async def request_of(org: Tenant, folder: Path, before: date | None = None) -> ArchiveRequest:
    """Build the request to archive the months that are over, or those before a month."""
    now = await org.container.orgs.now(org.org_id)
    offset = await org.container.orgs.clock_offset(org.org_id)
    until = before or now.date().replace(day=1)
    return ArchiveRequest(org.org_id, offset, folder, until)


async def archived(org: Tenant, folder: Path, before: date | None = None) -> list[ArchivedMonth]:
    """Archive the months that are over; return those that were written."""
    request = await request_of(org, folder, before)
    return [each async for each in org.container.archive.write(request)]


def folder_of(org: Tenant, folder: Path) -> MonthFolder:
    """Return the organisation's folder in an archive."""
    return MonthFolder(folder / str(org.org_id))
