"""The command line imports only what a command needs, and lists what each command is."""

import subprocess
import sys

import click
import pytest

from landbridge.app.cli import COMMANDS, commands

# Modules of our own that every command needs: the table, and the errors it prints.
_ALWAYS = {"landbridge.app.cli", "landbridge.platform.core.errors"}
_IMPORTED = """
import sys
from landbridge.app.cli import commands

commands({args}, standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("args", [["--version"], ["--help"]])
def test_version_and_help_import_no_command(args: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED.format(args=args)],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = set(done.stderr.split())
    packages = {".".join(each.split(".")[:n]) for each in _ALWAYS for n in range(1, 4)}
    assert {each for each in modules if each.startswith("landbridge")} <= _ALWAYS | packages
    assert modules & {"asyncpg", "litestar", "msgspec", "uvloop", "boto3", "pyarrow"} == set()
    assert all(name in done.stdout for name in COMMANDS) or args == ["--version"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    assert command.name == name
    assert COMMANDS[name].summary == command.get_short_help_str(limit=500)


@pytest.mark.parametrize(
    ("module", "without"),
    [
        # Metrics decide at their import whether processes count together.
        ("serve_command", ["prometheus_client", "landbridge.app.container"]),
        # 12 MB that a worker never uses.
        ("worker_command", ["landbridge.app.api", "landbridge.dashboard", "uvicorn"]),
    ],
)
def test_command_does_not_import(module: str, without: list[str]) -> None:
    program = f"import sys, landbridge.app.{module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(without) & set(done.stdout.split())
