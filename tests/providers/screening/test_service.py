import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.screening.index import NameIndex
from landbridge.providers.screening.model import (
    OFAC_SDN,
    ListLoadResult,
    ListRejected,
    SanctionsEntry,
    SanctionsEntryType,
    ScreeningSubject,
)
from landbridge.providers.screening.reading import read_list
from landbridge.providers.screening.service import Screening
from tests.providers.screening.golden import LISTED, many
from tests.providers.screening.lists import as_csv, as_xml, person, sanctions_list, write
from tests.threads import threads_of
from tests.waiting import waits_for

ZORBANOV = ScreeningSubject("Alexander Zorbanov", "individual")
NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def screening(own_database: Database, clock: FrozenClock) -> Screening:
    """Lists belong to the installation, so each test has its own database."""
    return Screening(own_database, clock, score_min=88)


async def test_without_a_list_there_is_no_version_and_no_hit(screening: Screening) -> None:
    screened = await screening.screen([ZORBANOV])
    assert screened.list_version is None
    assert screened.hits == ()
    assert screened.unread == ()


async def test_a_missing_required_list_is_reported(
    own_database: Database, clock: FrozenClock
) -> None:
    strict = Screening(own_database, clock, score_min=88, required_lists=[OFAC_SDN])
    assert (await strict.screen([ZORBANOV])).lacks_list
    await strict.load(sanctions_list(LISTED))
    assert not (await strict.screen([ZORBANOV])).lacks_list


async def test_names_are_compared_with_the_list_that_was_loaded(
    screening: Screening, tmp_path: Path
) -> None:
    loaded = await screening.load(read_list(write(tmp_path, {"sdn.xml": as_xml(LISTED)})))
    assert (loaded.added, loaded.removed, loaded.changed) == (len(LISTED), 0, 0)
    others = [
        ScreeningSubject("Grace Ordinary", "individual"),
        ScreeningSubject("Quorvex Ltd", "business"),
    ]
    screened = await screening.screen(
        [ZORBANOV, *others, ScreeningSubject("Иван Петров", "individual")]
    )
    assert screened.list_version == loaded.version.label
    assert loaded.version.label.startswith("OFAC SDN 2026-11-20 ")
    assert [(hit.asked, hit.entry_id) for hit in screened.hits] == [
        ("Alexander Zorbanov", "1"),
        ("Quorvex Ltd", "107"),
    ]
    assert screened.unread == ("Иван Петров",)


async def test_the_stored_list_equals_the_file(
    screening: Screening, own_database: Database
) -> None:
    await screening.load(sanctions_list(LISTED))
    rows = await own_database.rows(
        "select entry_id, names, programs, birth_dates from sanctions_entries"
    )
    assert {
        row["entry_id"]: (row["names"], row["programs"], row["birth_dates"]) for row in rows
    } == {
        each.id: (list(each.names), list(each.programs), list(each.birth_dates)) for each in LISTED
    }


async def test_a_new_version_is_used_by_every_process_from_then_on(
    screening: Screening, own_database: Database, clock: FrozenClock
) -> None:
    other = Screening(own_database, clock, score_min=88)
    await screening.load(sanctions_list(LISTED))
    for each in (screening, other):
        assert (await each.screen([ZORBANOV])).hits
    renamed = [person(1, "DOVREK, Anton"), *LISTED[2:], person(2000, "VELDARI, Soren")]
    loaded = await other.load(sanctions_list(renamed, "1" * 64))
    assert (loaded.added, loaded.removed, loaded.changed) == (1, 1, 1)
    for each in (screening, other):
        screened = await each.screen([ZORBANOV, ScreeningSubject("Anton Dovrek", "individual")])
        assert [hit.listed_name for hit in screened.hits] == ["DOVREK, Anton"]
        assert screened.list_version == loaded.version.label


async def test_names_are_not_compared_with_vessels(screening: Screening) -> None:
    vessel = SanctionsEntry("1", SanctionsEntryType.VESSEL, ("QUORVEX",), ("TEST",), ())
    await screening.load(sanctions_list([vessel]))
    screened = await screening.screen([ScreeningSubject("Quorvex", "business")])
    assert screened.list_version is not None
    assert screened.hits == ()


async def test_the_same_list_again_changes_nothing(screening: Screening) -> None:
    first = await screening.load(sanctions_list(LISTED))
    again = await screening.load(sanctions_list(LISTED))
    assert again.was_already_loaded
    assert again.version.id == first.version.id
    assert len(await screening.versions()) == 1


async def test_a_list_that_has_lost_more_than_a_fifth_is_refused_unless_forced(
    screening: Screening,
) -> None:
    listed = list(many(100, seed=4))
    await screening.load(sanctions_list(listed))
    with pytest.raises(ListRejected, match="has 79 entries, the present one 100"):
        await screening.load(sanctions_list(listed[:79], "1" * 64))
    assert [each.entry_count for each in await screening.versions()] == [100]
    await screening.load(sanctions_list(listed[:80], "2" * 64))
    loaded = await screening.load(sanctions_list(listed[:1], "3" * 64), is_forced=True)
    assert (loaded.removed, loaded.version.entry_count) == (79, 1)


async def test_the_version_before_is_kept_and_older_ones_go(
    screening: Screening, own_database: Database, clock: FrozenClock
) -> None:
    for digit in "0123":
        clock.at += timedelta(days=1)
        await screening.load(sanctions_list(LISTED, digit * 64))
    versions = await screening.versions()
    assert [(each.digest[0], each.is_active) for each in versions] == [("3", True), ("2", False)]
    rows = await own_database.rows("select distinct version_id from sanctions_entries")
    assert {row["version_id"] for row in rows} == {each.id for each in versions}


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_load_is_measured_by_the_one_that_it_waited_for(
    screening: Screening, own_database: Database, *, is_first: bool
) -> None:
    listed = list(many(101, seed=7))
    if not is_first:
        await screening.load(sanctions_list(listed[:100]))

    async def work(tx: Tx) -> tuple[asyncio.Task[ListLoadResult], asyncio.Task[ListLoadResult]]:
        # The load pauses here, before its entries.
        await tx.execute("lock table sanctions_entries in exclusive mode")
        whole = asyncio.create_task(screening.load(sanctions_list(listed, "1" * 64)))
        loader = await waits_for(own_database, await tx.fetchval("select pg_backend_pid()"))
        half = asyncio.create_task(screening.load(sanctions_list(listed[:5], "2" * 64)))
        await waits_for(own_database, loader)
        return whole, half

    whole, half = await own_database.transact(work)
    await whole
    with pytest.raises(ListRejected, match="has 5 entries, the present one 101"):
        await half
    versions = [(each.entry_count, each.is_active) for each in await screening.versions()]
    assert versions == [(101, True), (100, False)][: 1 if is_first else 2]


async def test_of_loads_at_once_the_last_stays_and_nothing_is_half_loaded(
    screening: Screening, own_database: Database
) -> None:
    lists = [sanctions_list(LISTED[: 20 + each], str(each) * 64) for each in range(3)]
    done = await asyncio.gather(*(screening.load(each) for each in lists))
    assert not any(each.was_already_loaded for each in done)
    active = [each for each in await screening.versions() if each.is_active]
    assert len(active) == 1
    rows = await own_database.rows(
        "select count(*) as count from sanctions_entries where version_id = $1", active[0].id
    )
    assert rows[0]["count"] == active[0].entry_count


async def test_a_load_that_breaks_in_the_middle_leaves_the_old_version(
    screening: Screening, own_database: Database
) -> None:
    await screening.load(sanctions_list(LISTED))
    await own_database.rows(
        "alter table sanctions_entries add constraint sanctions_entries_test_check"
        " check (entry_id <> '2999') not valid"
    )
    with pytest.raises(Exception, match="sanctions_entries_test_check"):
        await screening.load(sanctions_list(many(2_500, seed=5), "1" * 64))
    assert [each.entry_count for each in await screening.versions()] == [len(LISTED)]
    assert (await screening.screen([ZORBANOV])).hits


async def test_a_list_is_arranged_and_searched_beside_the_event_loop(
    screening: Screening, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than one batch.
    await screening.load(sanctions_list([*LISTED, *many(8_000, seed=6)]))
    arranging = threads_of(monkeypatch, "landbridge.providers.screening.service", "_indexes")
    finding = threads_of(monkeypatch, "landbridge.providers.screening.service", "_find")
    assert (await screening.screen([ZORBANOV])).hits
    assert len(arranging) == len(finding) == 1
    assert threading.get_ident() not in arranging | finding


async def test_production_warns_about_a_missing_or_old_list(
    own_database: Database, clock: FrozenClock, logged: Callable[[], str]
) -> None:
    screening = Screening(own_database, clock, score_min=88, required_lists=[OFAC_SDN])

    def warnings() -> list[str]:
        # Containers of other tests may log at the same time.
        events = (json.loads(line)["event"] for line in logged().splitlines())
        return [each for each in events if each.startswith("screening.")]

    await screening.warn_about_lists()
    assert warnings() == ["screening.no_list"]
    await screening.load(sanctions_list(LISTED))
    clock.at += timedelta(days=6)
    await screening.warn_about_lists()
    assert warnings() == ["screening.no_list"]
    clock.at += timedelta(days=2)
    await screening.warn_about_lists()
    assert warnings() == ["screening.no_list", "screening.old_list"]


async def test_screened_names_are_not_logged(
    screening: Screening, logged: Callable[[], str]
) -> None:
    await screening.load(sanctions_list(LISTED))
    await screening.screen([ZORBANOV, ScreeningSubject("Canary Person", "individual")])
    assert "Zorbanov" not in logged()
    assert "Canary" not in logged()


def test_the_commands_load_show_and_check(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDBRIDGE_DATABASE_URL", own_dsn)
    monkeypatch.setenv("LANDBRIDGE_DATA_DIR", str(tmp_path))
    run = CliRunner()

    def said(*words: str) -> str:
        answer = run.invoke(commands, ["sanctions", *words], catch_exceptions=False)
        assert answer.exit_code == 0, answer.output
        return answer.output

    assert said("status") == "No sanctions list is loaded.\n"
    assert "nothing to compare with" in said("check", "Alexander Zorbanov")
    whole = [str(path) for path in write(tmp_path, as_csv(LISTED))]
    assert f"{len(LISTED)} entries. {len(LISTED)} new, 0 changed, 0 gone." in said("load", *whole)
    assert "is loaded already" in said("load", *whole)
    assert "compared with" in said("status")
    assert "97  OFAC SDN  1  TEST  ZORBANOFF" in said("check", "Alexander Zorbanov")
    assert "No listed name" in said("check", "Alexander Zorbanov", "--born", "1999-01-01")
    assert "OFAC SDN  107  TEST, OTHER  QUORVEX" in said("check", "--business", "Quorvex GmbH")
    assert "letters that can't be compared" in said("check", "Иван")
    few = [str(path) for path in write(tmp_path, {"sdn.xml": as_xml(LISTED[:3])})]
    with pytest.raises(ListRejected, match="--force"):
        said("load", *few)
    assert "3 entries" in said("load", "--force", *few)


async def test_addresses_of_the_active_list_are_blocked(screening: Screening) -> None:
    listed, other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "1BitcoinAddressOfNobody"
    assert await screening.blocked_addresses([listed]) == set()
    entry = replace(LISTED[0], addresses=(listed.lower(), other))
    await screening.load(sanctions_list([entry]))
    assert await screening.blocked_addresses([listed, "0x" + "1" * 40]) == {listed}
    assert await screening.blocked_addresses([other, other.lower()]) == {other}
    await screening.load(sanctions_list([LISTED[0]], digest="1" * 64))
    assert await screening.blocked_addresses([listed, other]) == set()


async def test_long_names_of_one_organisation_delay_no_other(
    screening: Screening, monkeypatch: pytest.MonkeyPatch
) -> None:
    await screening.load(sanctions_list(LISTED))
    hold, begun = threading.Event(), threading.Event()
    slow = ScreeningSubject("Mohammed Ali Hassan Omar", "individual")
    find = NameIndex.find

    def held(index: NameIndex, subject: ScreeningSubject, *, score_min: int) -> Any:
        if subject is slow:
            begun.set()
            hold.wait(30)
        return find(index, subject, score_min=score_min)

    monkeypatch.setattr(NameIndex, "find", held)
    hostile, other = new_id(), new_id()
    flood = [asyncio.create_task(screening.screen([slow], org_id=hostile)) for _ in range(60)]
    try:
        await asyncio.to_thread(begun.wait, 30)
        async with asyncio.timeout(10):
            assert (await screening.screen([ZORBANOV], org_id=other)).hits
        assert not any(each.done() for each in flood)
    finally:
        hold.set()
    assert len(await asyncio.gather(*flood)) == 60
