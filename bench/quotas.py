"""Parts of the CPU for groups of processes, by Linux's control groups (version 1 or 2; as root).

A node of a cluster is shown on one machine as processes that get a part of a core at most.
"""

import itertools
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
# Short, so that a group that has used its part waits for milliseconds.
_PERIOD_US = 10_000
# Other work on the machine waits for the groups, so that each gets its part.
_SHARES = 10_000
_numbers = itertools.count()


def unavailable() -> str | None:
    """Return why there are no quotas here, as a sentence; None if there are."""
    folder = _folder("probe")
    try:
        folder.mkdir()
        folder.rmdir()
    except OSError as failure:
        return f"Parts of the CPU need control groups that this user may write: {failure}."
    return None


@contextmanager
def quotas(cores: float, groups: Iterable[Iterable[int]]) -> Generator[None]:
    """Give each group of processes at most this part of a core, until the end of the block."""
    made: list[Path] = []
    try:
        for pids in groups:
            made.append(_folder(f"{next(_numbers)}"))
            _make(made[-1], cores, pids)
        yield
    finally:
        for folder in made:
            for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
                # It may have ended in the meantime.
                with suppress(OSError):
                    (folder.parent / "cgroup.procs").write_text(pid, encoding="ascii")
            folder.rmdir()


def _make(folder: Path, cores: float, pids: Iterable[int]) -> None:
    folder.mkdir()
    quota_us = round(cores * _PERIOD_US)
    if _is_version_1():
        (folder / "cpu.shares").write_text(f"{_SHARES}", encoding="ascii")
        (folder / "cpu.cfs_period_us").write_text(f"{_PERIOD_US}", encoding="ascii")
        (folder / "cpu.cfs_quota_us").write_text(f"{quota_us}", encoding="ascii")
    else:
        (folder / "cpu.weight").write_text(f"{_SHARES}", encoding="ascii")
        (folder / "cpu.max").write_text(f"{quota_us} {_PERIOD_US}", encoding="ascii")
    for pid in pids:
        (folder / "cgroup.procs").write_text(f"{pid}", encoding="ascii")


def _folder(name: str) -> Path:
    parent = _ROOT / "cpu" if _is_version_1() else _ROOT
    return parent / f"landbridge-bench-{os.getpid()}-{name}"


def _is_version_1() -> bool:
    return (_ROOT / "cpu").is_dir()
