"""Examples of documentation pages: blocks that run in order, and what the page says they print."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from landbridge.app.settings import PREFIX
from tests.sources import ROOT

READY_PATIENCE_S = 180
PAGE_PATIENCE_S = 300

# Address printed on pages; the address of the test's own server replaces it.
SHOWN = "127.0.0.1:8080"
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
# Settings that a page starts its server with.
_STARTED = re.compile(r"^    ((?:LANDBRIDGE_\w+=\S+ )+)make run$", re.MULTILINE)
_KEY = re.compile(r"^export .*\bLANDBRIDGE_API_KEY=([^\s$]+)", re.MULTILINE)
RECEIVER_PORT = re.compile(r"(?<=127\.0\.0\.1:)94\d\d\b")
MARK: Final = "--- end of block ---"
# One example in several languages is one block after the other; the site shows them as tabs.
_LANGUAGES = frozenset({"sh", "python", "ts"})


@dataclass(frozen=True)
class Example:
    """Executable block, and its printed output if the page shows any."""

    script: str
    printed: str | None
    language: str = "sh"


def examples(page: Path, language: str = "sh", *, with_commands: bool = False) -> list[Example]:
    """Return the blocks of a language, in order; `text` after an example is what it prints.

    `with_commands` adds the blocks that are shown in shell alone, at their places.
    """
    listed: list[Example] = []
    for scripts, printed in _groups(page.read_text(encoding="utf-8")):
        if language in scripts:
            listed.append(Example(scripts[language], printed, language))
        elif with_commands and set(scripts) == {"sh"}:
            listed.append(Example(scripts["sh"], printed))
    return listed


def _groups(text: str) -> Generator[tuple[dict[str, str], str | None]]:
    """Yield each example with its scripts by language, and what it prints."""
    scripts: dict[str, str] = {}
    end = 0
    for block in FENCE.finditer(text):
        language, body = block[1], block[2]
        has_prose = bool(text[end : block.start()].strip())
        if scripts and (has_prose or language in scripts or language not in _LANGUAGES):
            yield scripts, body if language == "text" else None
            scripts = {}
        if language in _LANGUAGES:
            scripts[language] = body
        end = block.end()
    if scripts:
        yield scripts, None


def settings_of(text: str) -> dict[str, str]:
    """Return the settings of a page's server: those that it starts with, and its API key."""
    started, key = _STARTED.search(text), _KEY.search(text)
    settings = dict(each.split("=", 1) for each in (started[1].split() if started else ()))
    return settings | ({f"{PREFIX}API_KEY": key[1]} if key else {})


def at_addresses(blocks: Sequence[Example], shown: Mapping[str, str]) -> list[Example]:
    """Return the blocks with the addresses of a page replaced by those of a test.

    A receiver's port is replaced by one that is free, so that pages can run at the same time.
    """
    ports = {port for each in blocks for port in RECEIVER_PORT.findall(each.script)}
    replaced = dict(shown) | {port: str(_free_port()) for port in ports}

    def there(text: str) -> str:
        for before, after in replaced.items():
            text = text.replace(before, after)
        return text

    return [
        Example(there(each.script), each.printed and there(each.printed), each.language)
        for each in blocks
    ]


def run(argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> list[str]:
    """Return what each block of a program printed: the program prints `MARK` after each."""
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            out, err = program.communicate(timeout=PAGE_PATIENCE_S)
        finally:
            # A receiver that the page starts in the background.
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
    blocks = out.split(f"{MARK}\n")[:-1]
    assert program.returncode == 0, f"block {len(blocks) + 1} failed:\n{out[-2000:]}\n{err[-2000:]}"
    return blocks


def run_shell(blocks: Sequence[Example], environ: Mapping[str, str], folder: Path) -> list[str]:
    """Return the output of each block, all run in order in one shell."""
    script = "".join(f"{each.script}\necho '{MARK}'\n" for each in blocks)
    return run(["sh", "-eu", "-c", script], folder, environ)


def check_printed(name: str, blocks: Sequence[Example], printed: Sequence[str]) -> None:
    """Check that each block printed what its page shows."""
    for example, actual in zip(blocks, printed, strict=True):
        if example.printed is not None:
            assert fits(example.printed, actual), (
                f"{name} should print\n{example.printed}\n"
                f"but it printed\n{actual}\n{example.script}"
            )


def fits(printed: str, actual: str) -> bool:
    """Return whether `came` matches `printed`, where a line `...` stands for any lines.

    It matches piece by piece, each at the first possible position: a single pattern could take
    exponential time.
    """
    *before, last = _pieces(printed)
    lines = actual.splitlines()
    at = 0
    for number, piece in enumerate(before):
        found = _place(piece, lines, at, fixed=number == 0)
        if found is None:
            return False
        at = found + len(piece)
    rest = len(lines) - len(last)
    return (
        rest >= at
        and (not before) <= (rest == at)
        and _place(last, lines, rest, fixed=True) == rest
    )


def _pieces(printed: str) -> list[list["re.Pattern[str]"]]:
    """Return its lines as patterns, split at lines of `...`; runs of spaces align columns."""
    pieces: list[list[re.Pattern[str]]] = [[]]
    for line in printed.splitlines():
        if line.strip() == "...":
            pieces.append([])
        else:
            escaped = re.escape(line).replace(r"\.\.\.", ".*")
            pieces[-1].append(re.compile(re.sub(r"(?:\\ )+", " +", escaped)))
    return pieces


def _place(
    piece: list["re.Pattern[str]"], lines: list[str], start: int, *, fixed: bool
) -> int | None:
    """Return the first position from `start` on (only there, if `fixed`) where a piece fits."""
    places = [start] if fixed else range(start, len(lines) - len(piece) + 1)
    for at in places:
        there = lines[at : at + len(piece)]
        if len(there) == len(piece) and all(
            one.fullmatch(line) for one, line in zip(piece, there, strict=True)
        ):
            return at
    return None


@contextmanager
def in_clone(folder: Path) -> Generator[tuple[str, dict[str, str]]]:
    """Make a folder look like a clone; yield the address and environment of a server in it."""
    (folder / ".venv").symlink_to(Path(sys.prefix))
    (folder / "docs").symlink_to(ROOT / "docs")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    address = f"127.0.0.1:{_free_port()}"
    yield address, environ | {f"{PREFIX}PORT": address.rpartition(":")[2]}


@contextmanager
def serving(folder: Path, settings: Mapping[str, str]) -> Generator[tuple[str, dict[str, str]]]:
    """Run a server in `folder` as `make run` does; yield its address and environment."""
    log = folder / "serve.log"
    with in_clone(folder) as (address, environ), log.open("wb") as out:
        server = subprocess.Popen(
            [".venv/bin/landbridge", "serve"],
            cwd=folder,
            env={**environ, **settings},
            stdout=out,
            stderr=out,
        )
        try:
            _await_ready(address, server, log)
            yield address, environ
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PAGE_PATIENCE_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_ready(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline_s = time.monotonic() + READY_PATIENCE_S
    while time.monotonic() < deadline_s and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{address}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
