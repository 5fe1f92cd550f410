"""Limits on the command line."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from click.testing import CliRunner, Result

from landbridge.app.container import wire
from landbridge.payments.limits.commands import LimitCommandServices, limits
from landbridge.platform.cli_context import CommandContext, CommandTarget
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import landbridge
from tests.make import CLOCK, make_org
from tests.payments.limits.limit_setup import rule
from tests.tenants import SETTINGS

T = TypeVar("T")


def test_rules_are_set_shown_and_simulated(own_dsn: str, tmp_path: Path) -> None:
    async def begin() -> UUID:
        database = await Database.connect(own_dsn, name="tests", size_max=1)
        org_id = await make_org(database)
        await database.close()
        return org_id

    org_id = asyncio.run(begin())

    def run_in_container(
        target: CommandTarget,
        run: Callable[[CommandContext[LimitCommandServices]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        async def work() -> T:
            database = await Database.connect(own_dsn, name="tests", size_max=1)
            container = wire(SETTINGS, database, CLOCK)
            verbs = LimitCommandServices(
                container.limits, container.limit_simulation, container.limit_maintenance
            )
            context = CommandContext(
                verbs=verbs, org_id=org_id, clock=CLOCK, clock_offset=timedelta()
            )
            try:
                return await run(context)
            finally:
                await database.close()

        return asyncio.run(work())

    def run(*args: str) -> Result:
        return CliRunner().invoke(limits(run_in_container), list(args))

    file = tmp_path / "limits.json"
    file.write_text(json.dumps({"rules": [rule()]}))
    assert run("set", str(file)).output == "These rules are now in force.\n"
    assert run("set", str(file)).output == "These rules are in force already.\n"
    assert json.loads(run("show").output)["rules"][0]["maxUsd"] == 100
    (tmp_path / "shown.json").write_text(run("show").output)
    assert run("set", str(tmp_path / "shown.json")).output == "These rules are in force already.\n"
    output = run("simulate", str(file), "--days", "7").output
    assert output == (
        "0 payments of 0 usd in 7 days.\n"
        "These rules: 0 refused, 0 sent to approval.\n"
        "Today's: 0 refused, 0 sent to approval.\n"
    )
    assert run("simulate", str(file), "--days", "91").exit_code == 2


def test_a_file_with_a_mistake_is_refused_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "limits.json"
    file.write_text('{"rules": [{"id": "a", "window": "DAY", "maxUSD": 1}]}')
    done = landbridge("limits", "set", str(file), "--data-dir", str(tmp_path / "data"))
    assert done.returncode == 1
    assert done.stderr.strip() == "landbridge: rules[0]: object contains unknown field maxUSD"
