"""Kinds of seeded records, their frequency and their duration."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.bridges.model import KIND as BRIDGE
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.swaps.model import KIND as SWAP
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.sandbox.seeding import ramp_scenarios, transfer_scenarios
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.row_templates import RowTemplate, row_template
from landbridge.sandbox.seeding.transfer_scenarios import ScenarioEnd

# In percent.
KINDS = ((SWAP, 55), (TRANSFER, 15), (BATCH, 3), (BRIDGE, 2), (ONRAMP, 12), (OFFRAMP, 13))

# Frequency of the final statuses of each kind, in permille; approvals are drawn separately.
ENDS: dict[str, tuple[tuple[ScenarioEnd, int], ...]] = {
    SWAP: ((ScenarioEnd.DONE, 905), (ScenarioEnd.EXPIRED, 65), (ScenarioEnd.FAILED, 30)),
    TRANSFER: ((ScenarioEnd.DONE, 950), (ScenarioEnd.FAILED, 42), (ScenarioEnd.FROZEN, 8)),
    BATCH: ((ScenarioEnd.DONE, 940), (ScenarioEnd.FAILED, 50), (ScenarioEnd.FROZEN, 10)),
    BRIDGE: (
        *((ScenarioEnd.DONE, 885), (ScenarioEnd.EXPIRED, 50), (ScenarioEnd.FAILED, 35)),
        *((ScenarioEnd.RETURNED, 25), (ScenarioEnd.FROZEN, 5)),
    ),
    ONRAMP: (
        *((ScenarioEnd.DONE, 880), (ScenarioEnd.EXPIRED, 40), (ScenarioEnd.FROZEN, 40)),
        *((ScenarioEnd.RETURNED, 28), (ScenarioEnd.FAILED, 12)),
    ),
    OFFRAMP: (
        (ScenarioEnd.DONE, 900),
        (ScenarioEnd.EXPIRED, 45),
        (ScenarioEnd.FAILED, 20),
        (ScenarioEnd.RETURNED, 35),
    ),
}
ENDS_WITH_APPROVAL = {
    TRANSFER: ((ScenarioEnd.DONE, 880), (ScenarioEnd.REJECTED, 80), (ScenarioEnd.EXPIRED, 40)),
    BATCH: ((ScenarioEnd.DONE, 880), (ScenarioEnd.REJECTED, 80), (ScenarioEnd.EXPIRED, 40)),
    OFFRAMP: ((ScenarioEnd.DONE, 860), (ScenarioEnd.REJECTED, 90), (ScenarioEnd.FROZEN, 50)),
}
APPROVAL_PERMILLE = 40

_CHAIN = (
    "the transaction ran out of gas",
    "the transaction was reverted by the coin's contract",
    "the chain dropped the transaction: its price was too low",
)
_FROZEN = ("this user is frozen",)
REASONS: dict[tuple[str, ScenarioEnd], tuple[str, ...]] = {
    (SWAP, ScenarioEnd.FAILED): (
        "the pool moved away from the quoted price",
        "the pool has too little of what is bought",
        *_CHAIN,
    ),
    (ONRAMP, ScenarioEnd.RETURNED): (
        "the bank could not collect the deposit",
        "the deposit came from an account of somebody else",
        "the sender's bank recalled the wire",
    ),
    (OFFRAMP, ScenarioEnd.RETURNED): (
        "the account was closed (R02)",
        "there is no such account (R03)",
        "the account number is not valid (R04)",
        "the account is frozen (R16)",
    ),
}

_S_US = 1_000_000
_CONFIRMED_S = {"POLYGON": 6, "ETHEREUM": 180}
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400
# Seconds between the due time of a record and its expiry by the worker.
_LATE_S = 1


@dataclass(frozen=True, slots=True)
class ScenarioKind:
    """Kind of a seeded record; records of the same kind share a row template."""

    kind: str
    end: ScenarioEnd
    reason: str
    assets: tuple[str, str]
    needs_approval: bool = False
    # For a swap: an exact destination amount. For a transfer: an external destination.
    is_other: bool = False
    has_fee: bool = False

    @property
    def is_over_by_time(self) -> bool:
        """Return whether the record ends because a deadline passed."""
        if self.kind == ONRAMP:
            return self.end in {ScenarioEnd.EXPIRED, ScenarioEnd.FROZEN}
        return self.end is ScenarioEnd.EXPIRED or (
            self.kind == OFFRAMP and self.end is ScenarioEnd.FROZEN
        )

    @property
    def chain(self) -> str:
        """Return the chain of the coins."""
        code = self.assets[1] if self.kind == ONRAMP else self.assets[0]
        return code.partition(":")[2]


@cache
def template_of(kind: ScenarioKind) -> RowTemplate:
    """Return the row template of such a record."""
    (code, into), end, reason = kind.assets, kind.end, kind.reason
    if kind.kind == SWAP:
        return row_template(
            transfer_scenarios.swap(code, into, end, reason, is_exact_out=kind.is_other)
        )
    if kind.kind == TRANSFER:
        return row_template(
            transfer_scenarios.transfer(
                *(code, end, reason),
                is_inside=not kind.is_other,
                has_fee=kind.has_fee,
                needs_approval=kind.needs_approval,
            )
        )
    if kind.kind == BATCH:
        return row_template(
            transfer_scenarios.batch(code, end, reason, needs_approval=kind.needs_approval)
        )
    if kind.kind == BRIDGE:
        return row_template(transfer_scenarios.bridge(code, into, end, reason))
    if kind.kind == ONRAMP:
        return row_template(ramp_scenarios.onramp(into, end, reason))
    return row_template(
        ramp_scenarios.offramp(code, end, reason, needs_approval=kind.needs_approval)
    )


def chosen(rng: Random, weights: Sequence[tuple[ScenarioEnd, int]]) -> ScenarioEnd:
    """Choose a final status by its weight in permille."""
    remaining = rng.random() * 1000
    for end, weight in weights:
        remaining -= weight
        if remaining < 0:
            return end
    return weights[0][0]


def reason_of(rng: Random, kind: str, end: ScenarioEnd) -> str:
    """Return the reason of this final status."""
    if end in {ScenarioEnd.FAILED, ScenarioEnd.RETURNED}:
        return rng.choice(REASONS.get((kind, end), _CHAIN))
    return _FROZEN[0] if end is ScenarioEnd.FROZEN else ""


def steps_us(rng: Random, kind: ScenarioKind) -> list[int]:
    """Return the durations between the times of the record, in microseconds."""
    return [int(each * _S_US) for each in _STEPS[kind.kind](rng, kind)]


def _swap(rng: Random, scenario: ScenarioKind) -> list[float]:
    return [30 + _LATE_S if scenario.end is ScenarioEnd.EXPIRED else rng.uniform(2, 25)]


def _confirmed(rng: Random, chain: str) -> float:
    return _CONFIRMED_S[chain] * rng.lognormvariate(0, 0.4)


def _sent(rng: Random, scenario: ScenarioKind) -> list[float]:
    steps = [rng.uniform(0.1, 1.5), rng.uniform(0.2, 1), _confirmed(rng, scenario.chain)]
    if not scenario.needs_approval:
        return steps
    if scenario.end is ScenarioEnd.EXPIRED:
        return [7 * _DAY_S + _LATE_S, *steps]
    return [min(rng.lognormvariate(8.6, 1.3), 6.5 * _DAY_S), *steps]


def _bridge(rng: Random, scenario: ScenarioKind) -> list[float]:
    if scenario.end is ScenarioEnd.EXPIRED:
        return [10 * _MINUTE_S + _LATE_S, *[1.0] * 6]
    claim = [rng.uniform(0.2, 1.5) for _ in range(4)]
    minted = 15 * _MINUTE_S * rng.lognormvariate(0, 0.25)
    source = _confirmed(rng, scenario.chain)
    return [rng.uniform(5, 90), claim[0], claim[1], source, claim[2], claim[3], minted]


def _onramp(rng: Random, scenario: ScenarioKind) -> list[float]:
    if scenario.end is ScenarioEnd.EXPIRED:
        return [_DAY_S + _LATE_S, *[1.0] * 6]
    accepted = rng.uniform(5, 600)
    if scenario.end is ScenarioEnd.FROZEN:
        return [accepted, _DAY_S + _LATE_S - accepted, *[1.0] * 5]
    paid = min(rng.lognormvariate(9, 1), 22 * _HOUR_S)
    cleared = rng.uniform(1, 5) * _HOUR_S
    back = [rng.uniform(0.5, 2) * _DAY_S] * 2
    if scenario.end is ScenarioEnd.RETURNED:
        return [accepted, paid, rng.uniform(1, 30), cleared, *back, 1]
    return [
        accepted,
        paid,
        rng.uniform(1, 30),
        cleared,
        1,
        _confirmed(rng, scenario.chain),
        back[0],
    ]


def _offramp(rng: Random, scenario: ScenarioKind) -> list[float]:
    decision_s = 0.0
    if scenario.needs_approval:
        decision_s = min(rng.lognormvariate(8, 1.2), 23 * _HOUR_S)
        if scenario.end is ScenarioEnd.FROZEN:
            decision_s = _DAY_S + _LATE_S
    accepted = (
        10 * _MINUTE_S + _LATE_S if scenario.end is ScenarioEnd.EXPIRED else rng.uniform(3, 500)
    )
    confirmed = _confirmed(rng, scenario.chain)
    paid_out = rng.lognormvariate(0.3, 0.45) * _DAY_S
    claims = [rng.uniform(0.2, 1.5) for _ in range(3)]
    return [decision_s, accepted, claims[0], confirmed, *claims[1:], paid_out, confirmed]


_STEPS = {
    SWAP: _swap,
    TRANSFER: _sent,
    BATCH: _sent,
    BRIDGE: _bridge,
    ONRAMP: _onramp,
    OFFRAMP: _offramp,
}
