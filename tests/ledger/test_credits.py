"""Credits of accounts, page by page."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from landbridge.ledger.credits import credits_of_account
from landbridge.ledger.service import Ledger
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database
from tests import make

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_page_ends_early_when_matches_are_rare(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    account_id = await make.account_of(database, org_id, wallet_id)
    # Create 25 credits, every tenth of them large.
    for minute in range(25):
        units = 100 if minute % 10 == 0 else 1
        request = make.funding(org_id, account_id, units)
        request = replace(request, at=NOW + timedelta(minutes=minute))
        make.opened(await ledger.create(request, make.TRANSITIONS))

    async def page(limit: int, before: datetime | None) -> tuple[list[int], datetime | None]:
        found = await credits_of_account(
            database,
            org_id,
            account_id=account_id,
            wallet_id=wallet_id,
            units_min=100,
            window=PageWindow(limit=limit, after=None, before=before),
            lines_max=7,
        )
        minutes = [round((each.at - NOW).total_seconds()) // 60 for each in found.credits]
        return minutes, found.next_cursor

    pages: list[list[int]] = []
    before: datetime | None = None
    while True:
        minutes, cursor = await page(2, before)
        pages.append(minutes)
        if cursor is None:
            break
        before = cursor
    assert pages == [[20], [], [10], [0], []]
    # A full page continues from its last credit.
    assert await page(1, None) == ([20], NOW + timedelta(minutes=20))
