import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from landbridge.app import settings
from landbridge.app.cli import commands
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.providers.screening.model import (
    EU_LIST,
    OFAC_SDN,
    UN_LIST,
    ListRejected,
    ListReplaced,
    SanctionsEntry,
    SanctionsList,
    ScreeningSubject,
)
from landbridge.providers.screening.reading import read_list
from landbridge.providers.screening.service import Screening
from tests.providers.screening.golden import LISTED, many
from tests.providers.screening.lists import as_xml, person, sanctions_list, write
from tests.providers.screening.other_lists import EU, PEP, UK, UN
from tests.threads import threads_of

ZORBANOV = ScreeningSubject("Aleksandr Zorbanov", "individual")
NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def screening(own_database: Database, clock: FrozenClock) -> Screening:
    return Screening(own_database, clock, score_min=88)


def named(name: str, *entries: SanctionsEntry, digest: str = "0" * 64) -> SanctionsList:
    return replace(sanctions_list(entries, digest), name=name)


async def hits(screening: Screening, subject: ScreeningSubject = ZORBANOV) -> list[tuple[str, str]]:
    return [(each.list, each.entry_id) for each in (await screening.screen([subject])).hits]


async def load_all(screening: Screening, folder: Path) -> None:
    for text in (as_xml(LISTED), UN, EU, UK):
        await screening.load(read_list(write(folder, {"list": text})))
    await screening.load(read_list(write(folder, {"list": PEP}), pep_name="Nowhere"))


async def test_names_are_compared_with_every_list(screening: Screening, tmp_path: Path) -> None:
    await load_all(screening, tmp_path)
    assert sorted(await hits(screening)) == [
        ("EU", "13"),
        ("OFAC SDN", "1"),
        ("PEP Nowhere", "NK-a1"),
        ("UK", "NWH0001"),
        ("UN", "700001"),
    ]
    assert sorted(await hits(screening, ScreeningSubject("Quorvex Trading", "business"))) == [
        ("EU", "14"),
        ("UK", "NWH0002"),
        ("UN", "700101"),
    ]
    label = (await screening.screen([ZORBANOV])).list_version or ""
    assert [each.rpartition(" ")[0] for each in label.split("; ")] == [
        "EU 2026-11-21",
        "OFAC SDN 2026-11-20",
        "PEP Nowhere 2026-11-23",
        "UK 2026-11-22",
        "UN 2026-11-20",
    ]


async def test_birth_dates_of_every_format_count(screening: Screening, tmp_path: Path) -> None:
    await load_all(screening, tmp_path)
    far = ScreeningSubject("Aleksandr Zorbanov", "individual", NOW.replace(year=1990).date())
    near = ScreeningSubject("Aleksandr Zorbanov", "individual", NOW.replace(year=1962).date())
    assert await hits(screening, far) == []
    assert len(await hits(screening, near)) == 5


async def test_entries_of_one_number_are_of_their_list(screening: Screening) -> None:
    await screening.load(named(UN_LIST, person(7, "DOVREK, Anton")))
    await screening.load(named(EU_LIST, person(7, "VELDARI, Soren")))
    assert await hits(screening, ScreeningSubject("Soren Veldari", "individual")) == [("EU", "7")]
    assert await hits(screening, ScreeningSubject("Anton Dovrek", "individual")) == [("UN", "7")]


async def test_a_new_version_replaces_and_indexes_only_its_list(
    screening: Screening, own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await screening.load(named(UN_LIST, *LISTED))
    await screening.load(named(EU_LIST, *LISTED))
    assert await hits(screening) == [("EU", "1"), ("UN", "1")]
    indexing = threads_of(monkeypatch, "landbridge.providers.screening.service", "_indexes")
    changed = (person(1, "DOVREK, Anton"), *LISTED[1:-1], person(2000, "VELDARI, Soren"))
    loaded = await screening.load(named(EU_LIST, *changed, digest="1" * 64))
    assert (loaded.added, loaded.removed, loaded.changed) == (1, 1, 1)
    assert await hits(screening) == [("UN", "1")]
    assert len(indexing) == 1
    # Another process has the same lists.
    assert await hits(Screening(own_database, FrozenClock(NOW), score_min=88)) == [("UN", "1")]
    assert {(each.list, each.is_active) for each in await screening.versions()} == {
        ("EU", True),
        ("EU", False),
        ("UN", True),
    }


async def test_a_list_may_shrink_by_itself_only(screening: Screening) -> None:
    listed = list(many(100, seed=4))
    await screening.load(named(UN_LIST, *listed))
    await screening.load(named(EU_LIST, *listed[:10]))
    with pytest.raises(ListRejected, match="The new UN list has 79 entries"):
        await screening.load(named(UN_LIST, *listed[:79], digest="1" * 64))


async def test_the_same_file_is_loaded_once_for_each_list(screening: Screening) -> None:
    for name, count in ((UN_LIST, 1), ("PEP a", 2), ("PEP b", 3)):
        assert not (await screening.load(named(name, *LISTED))).was_already_loaded
        assert (await screening.load(named(name, *LISTED))).was_already_loaded
        assert len(await screening.versions()) == count


async def test_an_unloaded_list_is_gone(screening: Screening, own_database: Database) -> None:
    await screening.load(named(UN_LIST, *LISTED))
    await screening.load(named("PEP a", *LISTED, digest="1" * 64))
    await screening.load(named("PEP a", *LISTED[:-1], digest="2" * 64))
    other = Screening(own_database, FrozenClock(NOW), score_min=88)
    assert await hits(other) == [("PEP a", "1"), ("UN", "1")]
    removed = await screening.unload("PEP a")
    assert (removed.list, removed.digest) == ("PEP a", "2" * 64)
    assert await hits(other) == [("UN", "1")]
    assert [each.list for each in await screening.versions()] == ["UN"]
    rows = await own_database.rows("select count(*) as count from sanctions_entries")
    assert rows[0]["count"] == len(LISTED)
    with pytest.raises(ListRejected, match="No list 'PEP a' is loaded"):
        await screening.unload("PEP a")
    await screening.unload(UN_LIST)
    assert (await screening.screen([ZORBANOV])).list_version is None


@pytest.mark.parametrize("change", ["load", "replace", "unload"])
async def test_a_comparison_does_not_hold_after_any_list_changed(
    screening: Screening, own_database: Database, change: str
) -> None:
    await screening.load(named(UN_LIST, *LISTED))
    await screening.load(named("PEP a", *LISTED))
    compared = (await screening.screen([ZORBANOV])).list_version
    await own_database.transact(lambda tx: screening.hold(tx, compared))
    match change:
        case "load":
            await screening.load(named(EU_LIST, *LISTED))
        case "replace":
            await screening.load(named("PEP a", *LISTED, digest="1" * 64))
        case _:
            await screening.unload(UN_LIST)
    with pytest.raises(ListReplaced):
        await own_database.transact(lambda tx: screening.hold(tx, compared))


async def test_every_required_list_must_be_loaded(
    own_database: Database, clock: FrozenClock, logged: Callable[[], str]
) -> None:
    required = (OFAC_SDN, "PEP a")
    strict = Screening(own_database, clock, score_min=88, required_lists=required)

    def missing() -> list[str]:
        events = [json.loads(line) for line in logged().splitlines()]
        return [each["kind"] for each in events if each["event"] == "screening.no_list"]

    assert (await strict.screen([ZORBANOV])).lacks_list
    await strict.warn_about_lists()
    assert missing() == ["OFAC SDN", "PEP a"]
    await strict.load(named(OFAC_SDN, *LISTED))
    screened = await strict.screen([ScreeningSubject("Grace Ordinary", "individual")])
    assert (screened.lacks_list, screened.hits) == (True, ())
    await strict.warn_about_lists()
    assert missing() == ["OFAC SDN", "PEP a", "PEP a"]
    await strict.load(named("PEP a", *LISTED))
    assert not (await strict.screen([ZORBANOV])).lacks_list
    clock.at += timedelta(days=8)
    await strict.warn_about_lists()
    assert missing() == ["OFAC SDN", "PEP a", "PEP a"]
    assert logged().count("screening.old_list") == 2
    await strict.unload(OFAC_SDN)
    assert (await strict.screen([ZORBANOV])).lacks_list


async def test_addresses_of_every_list_are_blocked(screening: Screening) -> None:
    first, second = "0x" + "a" * 40, "1BitcoinAddressOfNobody"
    await screening.load(named(OFAC_SDN, replace(LISTED[0], addresses=(first,))))
    await screening.load(named(EU_LIST, replace(LISTED[0], addresses=(second,))))
    assert await screening.blocked_addresses([first, second]) == {first, second}
    await screening.unload(EU_LIST)
    assert await screening.blocked_addresses([first, second]) == {first}


def test_the_commands_load_show_and_unload_each_list(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDBRIDGE_DATABASE_URL", own_dsn)
    monkeypatch.setenv("LANDBRIDGE_DATA_DIR", str(tmp_path))
    run = CliRunner()

    def said(*words: str) -> str:
        answer = run.invoke(commands, ["sanctions", *words], catch_exceptions=False)
        assert answer.exit_code == 0, answer.output
        return answer.output

    (un,) = write(tmp_path, {"un.xml": UN})
    (pep,) = write(tmp_path, {"pep.csv": PEP})
    assert said("load", str(un)).startswith("UN 2026-11-20 ")
    assert said("load", "--name", "Nowhere", str(pep)).startswith("PEP Nowhere ")
    assert said("status").count("compared with") == 2
    checked = said("check", "Aleksandr Zorbanov")
    assert "UN  700001  Nowhere, NWi.001  ALEKSANDR PETROVICH ZORBANOV\n" in checked
    assert "PEP Nowhere  NK-a1  nw, un  Aleksandr Zorbanov  (politically exposed person)" in checked
    assert "is removed.\n" in (removed := said("unload", "PEP Nowhere"))
    assert "everyone waits" not in removed
    assert "PEP" not in said("check", "Aleksandr Zorbanov")


async def test_thousands_of_entries_are_loaded_and_counted(screening: Screening) -> None:
    listed = [replace(each, id=f"Q{each.id}") for each in many(5_000, seed=8)]
    await screening.load(named("PEP a", *listed))
    changed = [*listed[:-10], *(replace(each, id=f"{each.id}x") for each in listed[-10:])]
    changed[0] = replace(changed[0], birth_dates=("1901",))
    loaded = await screening.load(named("PEP a", *changed, digest="1" * 64))
    assert (loaded.added, loaded.removed, loaded.changed) == (10, 10, 1)
    assert isinstance(loaded.version.id, UUID)


def test_unloading_a_required_list_says_that_everyone_waits(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {
        "MODE": "production",
        "MASTER_KEY": b64encode(bytes(range(32))).decode(),
        "IDENTITY": "manual",
        "RAILS": "none",
        "DATABASE_URL": own_dsn,
        "DATA_DIR": str(tmp_path),
        "SCREENING_LISTS": "OFAC SDN,UN",
    }
    for name, value in environment.items():
        monkeypatch.setenv(f"LANDBRIDGE_{name}", value)
    run = CliRunner()
    (un,) = write(tmp_path, {"un.xml": UN})
    for words, expected in (
        (["load", str(un)], "2 entries"),
        (["check", "Ada Ordinary"], "A required list is not loaded"),
        (["unload", "UN"], "It is required: until it is loaded again, everyone waits"),
    ):
        answer = run.invoke(commands, ["sanctions", *words], catch_exceptions=False)
        assert expected in answer.output


def test_the_setting_names_the_required_lists() -> None:
    assert settings.read({}).screening_lists == OFAC_SDN
    chosen = settings.read({"LANDBRIDGE_SCREENING_LISTS": "OFAC SDN, UN,PEP World"})
    assert chosen.screening_lists == "OFAC SDN, UN,PEP World"
    for text in ("", "OFAC", "UN,,EU", "PEP "):
        with pytest.raises(settings.SettingsInvalid, match="SCREENING_LISTS names no list"):
            settings.read({"LANDBRIDGE_SCREENING_LISTS": text})
