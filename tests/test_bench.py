"""The benchmark: its statements match the current tables, and growth is found."""

import re
from pathlib import Path

import pytest
from bench import scripts, server, verbs

from landbridge.app.container import Container
from landbridge.platform.db.pool import Database

PLAIN = Path(scripts.__file__).with_name("plain.sql")
NEEDED = """
select column_name from information_schema.columns
where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null
"""


def test_our_own_statements_have_all_their_parameters() -> None:
    assert not re.search(r"\$\d", scripts.ours())
    assert not re.search(r"<\w+>", scripts.plain())


@pytest.mark.parametrize("table", ["transfers", "entries", "changes"])
async def test_plain_statements_fill_what_a_row_needs(database: Database, table: str) -> None:
    inserts = re.findall(rf"insert into {table} \(([^)]*)\)", PLAIN.read_text(encoding="utf-8"))
    assert inserts
    needed = {row["column_name"] for row in await database.rows(NEEDED, table)}
    assert all(needed <= set(re.findall(r"\w+", columns)) for columns in inserts)


async def test_an_organisation_is_made_with_funded_users_and_a_key(container: Container) -> None:
    made = await server.fill_org(container, "Bench", 2)
    assert len({each.user_id for each in made}) == 2
    caller = await container.orgs.authenticate(made[0].key)
    assert caller.can_pay


def _series(*calls_us: float, unit_us: float = 100, others: float = 0) -> verbs.VerbSeries:
    parts = [{"api": each / 2, "worker": each / 4, "postgres": each / 4} for each in calls_us]
    rounds = len(parts)
    return verbs.VerbSeries(parts, [1.0] * rounds, [unit_us] * rounds, [others] * rounds)


def test_a_verb_that_costs_a_third_more_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "BASELINE", tmp_path / "baseline.json")
    assert verbs.grown({"swap": _series(300)}) == {"swap": "swap: not in the baseline"}
    verbs.write_baseline({"swap": _series(300, 900), "list": _series(100)})
    # The cheapest round counts, on a machine of any speed.
    assert verbs.grown({"swap": _series(390, 900)}) == {}
    assert verbs.grown({"swap": _series(1950, unit_us=500)}) == {}
    assert verbs.grown({"swap": _series(410, 900), "new": _series(1)}) == {
        "swap": "swap: 4.10 plain operations, 3.00 in the baseline",
        "new": "new: not in the baseline",
    }
    busy = {"swap": _series(410, others=0.2)}
    assert (verbs.grown(busy), verbs.disturbed(busy)) == ({}, ["swap"])
