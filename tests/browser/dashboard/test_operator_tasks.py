"""Ten tasks of an operator take no more clicks, keystrokes and pages than the table says.

The organisation has a seeded history. `-rP` shows the table with the seconds of this machine.
"""

import re
from collections.abc import AsyncIterator, Mapping
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser

from landbridge.sandbox.scenarios.client import connected
from tests.app.processes.server_process import landbridge
from tests.browser.dashboard.conftest import dashboard_opener, served_here
from tests.browser.dashboard.operator import Operator, TaskEffort
from tests.browser.dashboard.operator_tasks import TASKS, OperatorScenario, lay_out
from tests.browser.dashboard.people import OpenDashboard, accept
from tests.sources import ROOT

_EMAIL = "operator@example.com"
_PAYMENTS, _DAYS = 2_000, 60
_TABLE = ROOT / "docs" / "internals" / "dashboard.md"
_ROW = re.compile(r"\| ([A-Z][^|]+?) \| (\d+) \| (\d+) \| (\d+) \|")


@pytest.fixture(scope="module")
async def seeded(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[OpenDashboard, OperatorScenario]]:
    """A server of its own; its seeded organisation has an admin and all that the tasks need."""
    folder = tmp_path_factory.mktemp("operator") / "data"
    with served_here(folder) as server:
        size = ("--transactions", str(_PAYMENTS), "--days", str(_DAYS))
        made = landbridge("seed", *size, folder=folder, cwd=None, **server.settings)
        assert made.returncode == 0, made.stderr
        (org,) = re.findall(r"Organisation (\S+)\.", made.stdout)
        who = ("--email", _EMAIL, "--name", "Olga", "--role", "admin", "--org", org)
        invited = landbridge("members", "invite", *who, folder=folder, cwd=None, **server.settings)
        assert invited.returncode == 0, invited.stderr
        opener = dashboard_opener(browser, server)
        async with opener(None) as page:
            await accept(page, urlsplit(invited.stdout.splitlines()[-1]).path)
        key = made.stdout.splitlines()[-1]
        async with connected(f"http://127.0.0.1:{server.port}", key) as api:
            yield opener, await lay_out(api)


async def test_ten_tasks_take_no_more_than_the_table_says(
    seeded: tuple[OpenDashboard, OperatorScenario],
) -> None:
    opener, scenario = seeded
    found: dict[str, TaskEffort] = {}
    async with opener(_EMAIL) as page:
        operator = Operator(page)
        for name, task in TASKS.items():
            await operator.begin()
            await task(operator, scenario)
            found[name] = operator.effort
    for name, each in found.items():
        counts = f"{each.clicks} | {each.keystrokes} | {each.pages}"
        print(f"| {name} | {counts} | {each.page_s:.1f} s | {each.seconds:.1f} s |")  # noqa: T201  the measurement
    allowed = _documented()
    assert found.keys() == allowed.keys()
    above = {
        name: (each.clicks, each.keystrokes, each.pages)
        for name, each in found.items()
        if any(
            value > most
            for value, most in zip(
                (each.clicks, each.keystrokes, each.pages), allowed[name], strict=True
            )
        )
    }
    assert not above, f"more than {_TABLE.name} says: {above}"


def _documented() -> Mapping[str, tuple[int, ...]]:
    """Return clicks, keystrokes and pages of each task as the table has them."""
    rows = _ROW.findall(_TABLE.read_text(encoding="utf-8"))
    return {name: tuple(map(int, counts)) for name, *counts in rows}
