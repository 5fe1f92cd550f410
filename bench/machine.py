"""CPU time and memory of processes, as Linux accounts for them in /proc."""

import os
import resource
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_NS_PER_S = 1_000_000_000
_MB = 1024  # smaps counts in kB


@dataclass(frozen=True, slots=True)
class Memory:
    """Total memory of a group of processes, in megabytes.

    RSS counts a shared page once per process. PSS divides it among the processes, so the sum of PSS
    is their real use. USS is what would be free if they ended.
    """

    rss: float
    pss: float
    uss: float


def cpu_s(pids: Iterable[int]) -> float:
    """Return the CPU seconds of these processes, including those of ended children."""
    return sum(sum(_stat(pid)[11:15]) for pid in pids) / _TICKS_PER_S


def precise_cpu_s(pids: Iterable[int]) -> float:
    """Return the CPU seconds of these running processes; `cpu_s` counts in hundredths."""
    return (
        sum(
            int(Path(thread, "schedstat").read_text(encoding="ascii").split()[0])
            for pid in pids
            for thread in Path(f"/proc/{pid}/task").iterdir()
        )
        / _NS_PER_S
    )


def machine_cpu_s() -> tuple[float, float]:
    """Return the CPU seconds of the machine since boot: busy, and stolen by other guests."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal, *_ = map(int, fields)
    return (user + nice + system + irq + softirq) / _TICKS_PER_S, steal / _TICKS_PER_S


def tree(pid: int) -> list[int]:
    """Return the process and all its descendants."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            below.setdefault(stat[1], []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += below.get(each, [])
    return found


def command(pid: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return raw.replace(b"\0", b" ").decode(errors="replace")


def memory(pids: Iterable[int]) -> Memory:
    """Return the total memory of these processes."""
    rss = pss = uss = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            match name:
                case "Rss":
                    rss += int(rest.split()[0])
                case "Pss":
                    pss += int(rest.split()[0])
                case "Private_Clean" | "Private_Dirty":
                    uss += int(rest.split()[0])
                case _:
                    pass
    return Memory(rss / _MB, pss / _MB, uss / _MB)


def description() -> str:
    """Return the processor's name and cores in one line."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        "unknown processor",
    )
    return f"{os.cpu_count()} cores, {model}"


def _stat(pid: int) -> list[int]:
    """Return /proc/PID/stat from the state on, as numbers; empty if the process has ended.

    [1] is the parent; [11:15] are the ticks in user and system mode, its own and its children's.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [0, *map(int, text.rpartition(")")[2].split()[1:])]


class Meter:
    """CPU time of each part of the system between `start` and `stop`.

    `parts` returns current process ids by name, because servers start processes while they run; the
    times of ended ones are counted at their parents. `client` is this process with the programs
    that it has run. `others` is other work on the machine, `stolen` what other guests of the host
    took. Where these two are large, only CPU per operation is reliable.
    """

    def __init__(self, parts: Callable[[], Mapping[str, Iterable[int]]]) -> None:
        self._parts = parts
        self._before: dict[str, float] = {}
        self.cpu_s: dict[str, float] = {}

    def start(self) -> None:
        """Begin."""
        self._before = self._read()

    def stop(self) -> None:
        """End; `cpu_s` has the seconds then."""
        now = self._read()
        spent = {name: now[name] - self._before.get(name, 0.0) for name in now}
        stolen, busy = spent.pop("stolen"), spent.pop("busy")
        self.cpu_s = {**spent, "others": max(busy - sum(spent.values()), 0.0), "stolen": stolen}

    def _read(self) -> dict[str, float]:
        busy, stolen = machine_cpu_s()
        ours = resource.getrusage(resource.RUSAGE_SELF)
        run = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "client": ours.ru_utime + ours.ru_stime + run.ru_utime + run.ru_stime,
            **{name: cpu_s(pids) for name, pids in self._parts().items()},
            "busy": busy,
            "stolen": stolen,
        }
