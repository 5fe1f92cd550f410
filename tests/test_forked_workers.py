"""Test processes that are forked after one collection, in runs of pytest of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources import ROOT

pytestmark = pytest.mark.long

_CONFTEST = """
from tests.forked_workers import fork_workers

_ends = []

def pytest_configure_node(node):
    node.workerinput["environ"] = {}

def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        _ends.append(fork_workers(session.config))

def pytest_unconfigure():
    for end in _ends:
        end()
"""
# Each test notes its process, and that of the module's import.
_TESTS = """
import os
from pathlib import Path
import pytest

IMPORTED = os.getpid()

@pytest.mark.parametrize("number", range(8))
def test_each(number):
    with Path("ran").open("a") as ran:
        ran.write(f"{number} {os.getpid()} {IMPORTED}\\n")
"""

_FIXTURES = """
import pytest

@pytest.fixture
def failing():
    print("said before")
    raise ValueError("begins badly")

@pytest.fixture
def ending():
    yield
    raise ValueError("ends badly")

def test_first(failing):
    pass

def test_second(ending):
    pass

def test_third():
    pass

@pytest.mark.skip(reason="not today")
def test_fourth():
    pass
"""


def test_workers_share_one_collection_and_run_each_test_once(tmp_path: Path) -> None:
    done = _run(tmp_path, _TESTS)
    assert "8 passed" in done.stdout, done.stdout + done.stderr
    rows = [each.split() for each in (tmp_path / "ran").read_text().splitlines()]
    assert sorted(number for number, _, _ in rows) == [str(each) for each in range(8)]
    (collector,) = {imported for _, _, imported in rows}
    assert collector not in {worker for _, worker, _ in rows}


def test_a_worker_that_crashes_is_replaced(tmp_path: Path) -> None:
    crashing = "\n\ndef test_crash():\n    os._exit(3)\n"
    done = _run(tmp_path, _TESTS + crashing)
    assert "1 failed, 8 passed" in done.stdout, done.stdout + done.stderr
    assert "crashed while running" in done.stdout


def test_fixtures_are_reported_if_they_fail_or_say_something(tmp_path: Path) -> None:
    done = _run(tmp_path, _FIXTURES)
    assert "2 passed, 1 skipped, 2 errors" in done.stdout, done.stdout + done.stderr
    assert "said before" in done.stdout
    assert "ends badly" in done.stdout


@pytest.mark.parametrize("option", ["-v", "--durations=0", "--junitxml=results.xml"])
def test_an_option_that_shows_fixtures_receives_them(tmp_path: Path, option: str) -> None:
    tests = "import time\n\n\ndef setup_module():\n    time.sleep(0.01)\n\n" + _TESTS
    done = _run(tmp_path, tests, option)
    assert "8 passed" in done.stdout, done.stdout + done.stderr
    if option == "-v":
        assert done.stdout.count("test_some.py::test_each[0]") == 2, done.stdout
    elif option == "--durations=0":
        assert "s setup" in done.stdout, done.stdout
    else:
        assert (tmp_path / "results.xml").read_text().count("<testcase ") == 8


def test_a_module_that_cannot_be_imported_is_reported(tmp_path: Path) -> None:
    done = _run(tmp_path, "import no_such_module\n")
    assert done.returncode != 0
    assert "No module named 'no_such_module'" in done.stdout, done.stdout + done.stderr


def _run(folder: Path, tests: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run tests in two workers."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(_CONFTEST)
    (folder / "test_some.py").write_text(tests)
    pytest_of_two = (sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider")
    command = (*pytest_of_two, *options, str(folder))
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
