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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from landbridge.app.settings import PREFIX

READY_PATIENCE_S = 180
PAGE_PATIENCE_S = 300

# Address printed on pages; the address of the test's own server replaces it.
SHOWN = "127.0.0.1:8080"
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
KEY = re.compile(r"^export .*\bLANDBRIDGE_API_KEY=(\S+)", re.MULTILINE)
MARK: Final = "--- end of block ---"
# One example in several languages is one block after the other; the site shows them as tabs.
_LANGUAGES = frozenset({"sh", "python", "ts"})


@dataclass(frozen=True)
class Example:
    """Executable block, and its printed output if the page shows any."""

    script: str
    printed: str | None


def examples(page: Path, language: str = "sh") -> list[Example]:
    """Return the blocks of a language, in order; `text` after an example is what it prints."""
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    listed: list[Example] = []
    for place, block in enumerate(found):
        if block[1] != language:
            continue
        after = place + 1
        while after < len(found) and found[after][1] in _LANGUAGES - {language}:
            if text[found[after - 1].end() : found[after].start()].strip():
                break
            after += 1
        has_output = after < len(found) and found[after][1] == "text"
        listed.append(Example(block[2], found[after][2] if has_output else None))
    return listed


def run(argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> list[str]:
    """Return what each block of a program printed: the program prints `MARK` after each."""
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=PAGE_PATIENCE_S,
    )
    blocks = done.stdout.split(f"{MARK}\n")[:-1]
    assert done.returncode == 0, (
        f"block {len(blocks) + 1} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    )
    return blocks


def run_shell(
    blocks: Sequence[Example], shown: Mapping[str, str], environ: Mapping[str, str], folder: Path
) -> list[str]:
    """Return the output of each block, all run in order in one shell, at other addresses."""
    script = "".join(f"{each.script}\necho '{MARK}'\n" for each in blocks)
    for address, actual in shown.items():
        script = script.replace(address, actual)
    return run(["sh", "-eu", "-c", script], folder, environ)


def check_printed(
    name: str, blocks: Sequence[Example], printed: Sequence[str], address: str
) -> None:
    """Check that each block printed what its page shows."""
    for example, actual in zip(blocks, printed, strict=True):
        if example.printed is not None:
            expected = example.printed.replace(SHOWN, address)
            assert fits(expected, actual), (
                f"{name} should print\n{expected}\nbut it printed\n{actual}\n{example.script}"
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
def serving(folder: Path, settings: Mapping[str, str]) -> Generator[tuple[str, dict[str, str]]]:
    """Run a server in `folder` as `make run` does; yield its address and environment."""
    (folder / ".venv").symlink_to(Path(sys.prefix))
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    environment = {f"{PREFIX}PORT": address.rpartition(":")[2], **settings}
    log = folder / "serve.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [".venv/bin/landbridge", "serve"],
            cwd=folder,
            env=environ | environment,
            stdout=out,
            stderr=out,
        )
        try:
            _await_ready(address, server, log)
            yield address, environ
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PAGE_PATIENCE_S)


def _await_ready(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline_s = time.monotonic() + READY_PATIENCE_S
    while time.monotonic() < deadline_s and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{address}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
