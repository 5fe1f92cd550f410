"""A folder of bank files belongs to one organisation."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from landbridge.payments.bank_files.funding_account import FolderSettings
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database
from tests.make import make_org
from tests.payments.bank_files.builders import AT, USD, Bank, funding, make_bank
from tests.waiting import holding, waiting

_LOCK_FOLDERS = "select pg_advisory_xact_lock(hashtextextended('bank-file-folders', 0))"


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def test_a_transport_belongs_to_one_organisation(bank: Bank, database: Database) -> None:
    other = await make_org(database)
    for changes in ({}, {"folders": {"out": "elsewhere"}}, {"path": f"{bank.folder}/x/../"}):
        folder_settings = msgspec.structs.replace(FolderSettings(path=str(bank.folder)), **changes)
        settings = funding(USD, bank.folder, transport=folder_settings)
        with pytest.raises(FieldInvalid) as refused:
            await bank.accounts.set(other, settings, actor="test", at=bank.clock.stamp())
        assert refused.value.field == "transport"
    settings = funding(USD, bank.folder / "other")
    await bank.accounts.set(other, settings, actor="test", at=bank.clock.stamp())


async def test_one_of_two_organisations_gets_a_folder_that_both_name(
    bank: Bank, database: Database
) -> None:
    orgs = [await make_org(database) for _ in range(2)]
    settings = funding(USD, bank.folder / "wanted")
    # Both wait for the lock of all folders before one of them has read what the other writes.
    async with holding(database, _LOCK_FOLDERS):
        setting = [
            asyncio.create_task(bank.accounts.set(each, settings, actor="test", at=AT))
            for each in orgs
        ]
        await waiting(database, 2)
    refused = [
        each
        for each in await asyncio.gather(*setting, return_exceptions=True)
        if isinstance(each, FieldInvalid)
    ]
    assert [each.field for each in refused] == ["transport"]
    assert len(await bank.accounts.list_all(orgs)) == 1


async def test_a_folder_of_an_account_of_the_previous_version_is_taken(
    bank: Bank, database: Database
) -> None:
    await database.rows(
        "update funding_accounts set folder_digests = null where org_id = $1 returning 1",
        bank.org_id,
    )
    other = await make_org(database)
    with pytest.raises(FieldInvalid, match="another organisation"):
        await bank.accounts.set(other, funding(USD, bank.folder), actor="test", at=AT)


async def test_a_folder_that_an_account_has_left_is_free(bank: Bank, database: Database) -> None:
    other, left = await make_org(database), funding(USD, bank.folder / "left")
    await bank.accounts.set(bank.org_id, left, actor="test", at=bank.clock.stamp())
    with pytest.raises(FieldInvalid, match="another organisation"):
        await bank.accounts.set(other, left, actor="test", at=AT)
    moved = funding(USD, bank.folder / "moved")
    await bank.accounts.set(bank.org_id, moved, actor="test", at=bank.clock.stamp())
    await bank.accounts.set(other, left, actor="test", at=AT)
