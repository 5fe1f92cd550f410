"""Rounds: every contender in turn, again and again, so that all meet the same weather."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, slots=True)
class Sample:
    """One contender's run in one round."""

    per_s: float
    # CPU microseconds per operation, by part of the whole (see machine.Meter).
    cpu_us: Mapping[str, float]
    p50_ms: float | None = None
    p99_ms: float | None = None

    @property
    def other_cores(self) -> float:
        """Number of cores that other work kept busy during the sample."""
        return self.cpu_us.get("others", 0.0) * self.per_s / 1e6


# Above this, a sample measures other work on the machine rather than its contender. It is repeated
# a limited number of times; the remaining noise is shown in the table.
CALM_CORES = 0.2
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Contender:
    """System under measurement."""

    name: str
    run: Callable[[], Sample]


@dataclass(slots=True)
class Series:
    """Samples of a contender, by round."""

    samples: list[Sample] = field(default_factory=list[Sample])

    @property
    def rates(self) -> list[float]:
        """Operations per second."""
        return [each.per_s for each in self.samples]

    def cpu_us(self, part: str) -> float:
        """Return the median CPU time per operation of one part."""
        return median(each.cpu_us.get(part, 0.0) for each in self.samples)

    def median(self, name: str) -> float | None:
        """Return the median of `p50_ms` or `p99_ms`, for contenders that measure it."""
        values: list[float | None] = [getattr(each, name) for each in self.samples]
        known = [each for each in values if each is not None]
        return median(known) if known else None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Ratio of one contender's rate to another's, within each round."""

    values: Sequence[float]

    @property
    def median(self) -> float:
        """Median."""
        return median(self.values)


def run_rounds(
    contenders: Sequence[Contender], *, rounds: int, print_line: Callable[[str], None]
) -> dict[str, Series]:
    """Run all contenders `rounds` times, in reverse order every other time."""
    series = {each.name: Series() for each in contenders}
    for number in range(rounds):
        for contender in contenders if number % 2 == 0 else reversed(contenders):
            sample = _least_disturbed_sample(contender, print_line)
            series[contender.name].samples.append(sample)
            p99 = "" if sample.p99_ms is None else f"  p99 {sample.p99_ms:.0f} ms"
            print_line(f"round {number + 1}: {contender.name}: {sample.per_s:,.0f} ops/s{p99}")
    return series


def _least_disturbed_sample(contender: Contender, print_line: Callable[[str], None]) -> Sample:
    """Return the least disturbed of at most three samples; take one on an idle machine."""
    taken: list[Sample] = []
    while len(taken) < _TRIES:
        taken.append(contender.run())
        if taken[-1].other_cores < CALM_CORES:
            break
        print_line(f"{contender.name}: {taken[-1].other_cores:.1f} cores are busy with other work")
    return min(taken, key=lambda each: each.other_cores)


def ratio(over: Series, under: Series) -> Ratio:
    """Round by round."""
    pairs = zip(over.rates, under.rates, strict=True)
    return Ratio([ours / theirs for ours, theirs in pairs])
