"""Random amounts in whole cents, and fees rounded as the flows round them."""

from dataclasses import dataclass

from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.swaps.model import KIND as SWAP
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.scenario_kinds import ScenarioKind
from landbridge.sandbox.seeding.transfer_scenarios import ITEMS

# Smallest units of a coin, and of a cent of it.
COIN, CENT = 10**6, 10**4
LEAST = 2 * COIN
_MOST = 50_000 * COIN
_PPM = 10**6
# The fee included in the sent amount; for a transfer, the organisation's own fee on top.
_FEE_PERMILLE = {SWAP: 1, ONRAMP: 5, OFFRAMP: 3, TRANSFER: 10}


@dataclass(frozen=True, slots=True)
class SeedAmounts:
    """Amounts of a payment.

    Units sent, the fee in them, the units received (of a batch: its items), and the requested
    texts.
    """

    units: tuple[int, int, int]
    texts: dict[str, str]


def random_amount(rng: Random) -> int:
    """Return a random amount in units: mostly some hundred coins, seldom much more."""
    return min(max(int(rng.lognormvariate(4.8, 1.25) * 100) * CENT, LEAST), _MOST)


def affordable(units: int, available: int) -> int:
    """Return the amount, or at most half of the balance, leaving room for fees."""
    if units * 102 <= available * 100:
        return units
    return available // 2 // CENT * CENT


def text_of(units: int) -> str:
    """Format units of a coin as an amount in whole cents."""
    coins, cents = divmod(units // CENT, 100)
    return f"{coins}.{cents:02}" if cents else str(coins)


def of(rng: Random, scenario: ScenarioKind, units: int) -> SeedAmounts:
    """Compute fee and received amount."""
    ppm = _PPM + rng.randrange(-900, 400)
    texts = {"amount": text_of(units), "rate": f"{ppm // _PPM}.{ppm % _PPM:06}"}
    if scenario.kind == BATCH:
        parts = _items(units)
        return SeedAmounts(parts, {f"amount{n}": text_of(each) for n, each in enumerate(parts)})
    if scenario.kind == SWAP and scenario.is_other:
        net = -(-units * _PPM // ppm)
        gross = -(-net * 1000 // 999)
        return SeedAmounts((gross, gross - net, units), texts)
    # The sent amount in the smallest units of its asset.
    sent = units // CENT if scenario.kind == ONRAMP else units
    fee = -(-sent * _FEE_PERMILLE.get(scenario.kind, 0) // 1000)
    into = {
        SWAP: (sent - fee) * ppm // _PPM,
        ONRAMP: (sent - fee) * CENT * ppm // _PPM,
        OFFRAMP: (sent - fee) * ppm // _PPM // CENT,
    }
    return SeedAmounts((sent, fee, into.get(scenario.kind, sent)), texts)


def _items(units: int) -> tuple[int, int, int]:
    part = units // ITEMS // CENT * CENT
    return units - part * (ITEMS - 1), part, part
