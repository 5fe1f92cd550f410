"""Which sorts of records there are, how often, and how long each takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from landbridge.flows.batches.model import KIND as BATCH
from landbridge.flows.bridges.model import KIND as BRIDGE
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.swaps.model import KIND as SWAP
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from landbridge.seeding import plays, ramp_plays
from landbridge.seeding.chance import Random
from landbridge.seeding.plays import End
from landbridge.seeding.stencils import Stencil, stencil

# In percent.
KINDS = ((SWAP, 55), (TRANSFER, 15), (BATCH, 3), (BRIDGE, 2), (ONRAMP, 12), (OFFRAMP, 13))

# How often a kind ends how, in permille; who is asked for an approval, apart.
ENDS: dict[str, tuple[tuple[End, int], ...]] = {
    SWAP: ((End.DONE, 905), (End.EXPIRED, 65), (End.FAILED, 30)),
    TRANSFER: ((End.DONE, 950), (End.FAILED, 42), (End.FROZEN, 8)),
    BATCH: ((End.DONE, 940), (End.FAILED, 50), (End.FROZEN, 10)),
    BRIDGE: (
        *((End.DONE, 885), (End.EXPIRED, 50), (End.FAILED, 35)),
        *((End.RETURNED, 25), (End.FROZEN, 5)),
    ),
    ONRAMP: (
        *((End.DONE, 880), (End.EXPIRED, 40), (End.FROZEN, 40)),
        *((End.RETURNED, 28), (End.FAILED, 12)),
    ),
    OFFRAMP: ((End.DONE, 900), (End.EXPIRED, 45), (End.FAILED, 20), (End.RETURNED, 35)),
}
ENDS_ASKED = {
    TRANSFER: ((End.DONE, 880), (End.REJECTED, 80), (End.EXPIRED, 40)),
    BATCH: ((End.DONE, 880), (End.REJECTED, 80), (End.EXPIRED, 40)),
    OFFRAMP: ((End.DONE, 860), (End.REJECTED, 90), (End.FROZEN, 50)),
}
ASKED_PERMILLE = 40

_CHAIN = (
    "the transaction ran out of gas",
    "the transaction was reverted by the coin's contract",
    "the chain dropped the transaction: its price was too low",
)
_FROZEN = ("this user is frozen",)
REASONS: dict[tuple[str, End], tuple[str, ...]] = {
    (SWAP, End.FAILED): (
        "the pool moved away from the quoted price",
        "the pool has too little of what is bought",
        *_CHAIN,
    ),
    (ONRAMP, End.RETURNED): (
        "the bank could not collect the deposit",
        "the deposit came from an account of somebody else",
        "the sender's bank recalled the wire",
    ),
    (OFFRAMP, End.RETURNED): (
        "the account was closed (R02)",
        "there is no such account (R03)",
        "the account number is not valid (R04)",
        "the account is frozen (R16)",
    ),
}

_S_US = 1_000_000
_CONFIRMED_S = {"POLYGON": 6, "ETHEREUM": 180}
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400
# Just after something is due the worker ends it.
_LATE_S = 1


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of record: its stencil is of this and the assets alone."""

    kind: str
    end: End
    reason: str
    assets: tuple[str, str]
    is_asked: bool = False
    # Of a swap: what has to arrive was asked for. Of a transfer: it leaves the platform.
    is_other: bool = False
    has_fee: bool = False

    @property
    def is_over_by_time(self) -> bool:
        """Whether it ends because something was due."""
        if self.kind == ONRAMP:
            return self.end in {End.EXPIRED, End.FROZEN}
        return self.end is End.EXPIRED or (self.kind == OFFRAMP and self.end is End.FROZEN)

    @property
    def chain(self) -> str:
        """Where its coins are, or arrive."""
        code = self.assets[1] if self.kind == ONRAMP else self.assets[0]
        return code.partition(":")[2]


@cache
def stencil_of(sort: Sort) -> Stencil:
    """The rows of such a record."""
    (code, into), end, reason = sort.assets, sort.end, sort.reason
    if sort.kind == SWAP:
        return stencil(plays.swap(code, into, end, reason, is_exact_out=sort.is_other))
    if sort.kind == TRANSFER:
        return stencil(
            plays.transfer(
                *(code, end, reason),
                is_inside=not sort.is_other,
                has_fee=sort.has_fee,
                is_asked=sort.is_asked,
            )
        )
    if sort.kind == BATCH:
        return stencil(plays.batch(code, end, reason, is_asked=sort.is_asked))
    if sort.kind == BRIDGE:
        return stencil(plays.bridge(code, into, end, reason))
    if sort.kind == ONRAMP:
        return stencil(ramp_plays.onramp(into, end, reason))
    return stencil(ramp_plays.offramp(code, end, reason, is_asked=sort.is_asked))


def chosen(rng: Random, weights: Sequence[tuple[End, int]]) -> End:
    """One of these, as often as they say in permille."""
    left = rng.random() * 1000
    for end, weight in weights:
        left -= weight
        if left < 0:
            return end
    return weights[0][0]


def reason_of(rng: Random, kind: str, end: End) -> str:
    """Why a record ends so."""
    if end in {End.FAILED, End.RETURNED}:
        return rng.choice(REASONS.get((kind, end), _CHAIN))
    return _FROZEN[0] if end is End.FROZEN else ""


def steps_us(rng: Random, sort: Sort) -> list[int]:
    """How long each of its moments comes after the one before; microseconds."""
    return [int(each * _S_US) for each in _STEPS[sort.kind](rng, sort)]


def _swap(rng: Random, sort: Sort) -> list[float]:
    return [30 + _LATE_S if sort.end is End.EXPIRED else rng.uniform(2, 25)]


def _confirmed(rng: Random, chain: str) -> float:
    return _CONFIRMED_S[chain] * rng.lognormvariate(0, 0.4)


def _sent(rng: Random, sort: Sort) -> list[float]:
    steps = [rng.uniform(0.1, 1.5), rng.uniform(0.2, 1), _confirmed(rng, sort.chain)]
    if not sort.is_asked:
        return steps
    if sort.end is End.EXPIRED:
        return [7 * _DAY_S + _LATE_S, *steps]
    return [min(rng.lognormvariate(8.6, 1.3), 6.5 * _DAY_S), *steps]


def _bridge(rng: Random, sort: Sort) -> list[float]:
    if sort.end is End.EXPIRED:
        return [10 * _MINUTE_S + _LATE_S, *[1.0] * 6]
    claim = [rng.uniform(0.2, 1.5) for _ in range(4)]
    minted = 15 * _MINUTE_S * rng.lognormvariate(0, 0.25)
    source = _confirmed(rng, sort.chain)
    return [rng.uniform(5, 90), claim[0], claim[1], source, claim[2], claim[3], minted]


def _onramp(rng: Random, sort: Sort) -> list[float]:
    if sort.end is End.EXPIRED:
        return [_DAY_S + _LATE_S, *[1.0] * 6]
    accepted = rng.uniform(5, 600)
    if sort.end is End.FROZEN:
        return [accepted, _DAY_S + _LATE_S - accepted, *[1.0] * 5]
    paid = min(rng.lognormvariate(9, 1), 22 * _HOUR_S)
    cleared = rng.uniform(1, 5) * _HOUR_S
    back = [rng.uniform(0.5, 2) * _DAY_S] * 2
    if sort.end is End.RETURNED:
        return [accepted, paid, rng.uniform(1, 30), cleared, *back, 1]
    return [accepted, paid, rng.uniform(1, 30), cleared, 1, _confirmed(rng, sort.chain), back[0]]


def _offramp(rng: Random, sort: Sort) -> list[float]:
    decided = 0.0
    if sort.is_asked:
        decided = min(rng.lognormvariate(8, 1.2), 23 * _HOUR_S)
        if sort.end is End.FROZEN:
            decided = _DAY_S + _LATE_S
    accepted = 10 * _MINUTE_S + _LATE_S if sort.end is End.EXPIRED else rng.uniform(3, 500)
    confirmed = _confirmed(rng, sort.chain)
    paid_out = rng.lognormvariate(0.3, 0.45) * _DAY_S
    claims = [rng.uniform(0.2, 1.5) for _ in range(3)]
    return [decided, accepted, claims[0], confirmed, *claims[1:], paid_out, confirmed]


_STEPS = {
    SWAP: _swap,
    TRANSFER: _sent,
    BATCH: _sent,
    BRIDGE: _bridge,
    ONRAMP: _onramp,
    OFFRAMP: _offramp,
}
