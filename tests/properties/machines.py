"""Runs a state machine of this folder against a database."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from landbridge.platform.db.pool import Database


def run_machine(machine: Any, dsn: str, runs: Mapping[str, tuple[int, int]]) -> None:
    """Run a machine; `runs` are (sequences, steps of each) by HYPOTHESIS_PROFILE."""
    examples, steps = runs[os.environ.get("HYPOTHESIS_PROFILE", "default")]
    with asyncio.Runner() as runner:
        database = runner.run(Database.connect(dsn, name=machine.__name__, size_max=4))
        machine.runner = runner
        machine.database = database
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                print_blob=True,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
        runner.run(database.close())
