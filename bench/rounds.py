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
    def others_cores(self) -> float:
        """How many cores something else kept busy meanwhile."""
        return self.cpu_us.get("others", 0.0) * self.per_s / 1e6


# Past this a sample says more about whatever else is running than about its contender. It is taken
# again, but not for ever: what is left then shows in the table.
CALM_CORES = 0.2
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Contender:
    """Somebody who can be measured."""

    name: str
    run: Callable[[], Sample]


@dataclass(slots=True)
class Series:
    """A contender's samples, round by round."""

    samples: list[Sample] = field(default_factory=list[Sample])

    @property
    def rates(self) -> list[float]:
        """Operations per second."""
        return [each.per_s for each in self.samples]

    def cpu_us(self, part: str) -> float:
        """The median CPU time per operation of one part."""
        return median(each.cpu_us.get(part, 0.0) for each in self.samples)

    def middle(self, name: str) -> float | None:
        """The median of `p50_ms` or `p99_ms`, for contenders that know it."""
        told: list[float | None] = [getattr(each, name) for each in self.samples]
        known = [each for each in told if each is not None]
        return median(known) if known else None


@dataclass(frozen=True, slots=True)
class Ratio:
    """One contender's rate over another's, within each round."""

    values: Sequence[float]

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.values)


def play(
    contenders: Sequence[Contender], *, rounds: int, say: Callable[[str], None]
) -> dict[str, Series]:
    """Run all of them `rounds` times; every other round backwards, so that none is always last."""
    series = {each.name: Series() for each in contenders}
    for number in range(rounds):
        for contender in contenders if number % 2 == 0 else reversed(contenders):
            sample = _calm_sample(contender, say)
            series[contender.name].samples.append(sample)
            p99 = "" if sample.p99_ms is None else f"  p99 {sample.p99_ms:.0f} ms"
            say(f"round {number + 1}: {contender.name}: {sample.per_s:,.0f} ops/s{p99}")
    return series


def _calm_sample(contender: Contender, say: Callable[[str], None]) -> Sample:
    """The calmest of at most three samples; one if the machine is ours alone."""
    taken: list[Sample] = []
    while len(taken) < _TRIES:
        taken.append(contender.run())
        if taken[-1].others_cores < CALM_CORES:
            break
        say(f"{contender.name}: {taken[-1].others_cores:.1f} cores are busy with something else")
    return min(taken, key=lambda each: each.others_cores)


def ratio(over: Series, under: Series) -> Ratio:
    """Round by round."""
    pairs = zip(over.rates, under.rates, strict=True)
    return Ratio([ours / theirs for ours, theirs in pairs])
