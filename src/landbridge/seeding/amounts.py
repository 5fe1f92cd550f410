"""How much is paid: whole cents as people ask for them, and fees rounded as the flows round."""

from dataclasses import dataclass

from landbridge.flows.batches.model import KIND as BATCH
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.swaps.model import KIND as SWAP
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from landbridge.seeding.chance import Random
from landbridge.seeding.plays import ITEMS
from landbridge.seeding.sorts import Sort

# Smallest units of a coin, and of a cent of it.
COIN, CENT = 10**6, 10**4
LEAST = 2 * COIN
_MOST = 50_000 * COIN
_PPM = 10**6
# The fee in what is sent; of a transfer on top of it, and the organisation's own.
_FEE_PERMILLE = {SWAP: 1, ONRAMP: 5, OFFRAMP: 3, TRANSFER: 10}


@dataclass(frozen=True, slots=True)
class Amounts:
    """What is sent, the fee in it and what arrives (of a batch: its items), and how it was told."""

    units: tuple[int, int, int]
    texts: dict[str, str]


def wanted(rng: Random) -> int:
    """So much somebody wants to pay: mostly some hundred, seldom very much; units of a coin."""
    return min(max(int(rng.lognormvariate(4.8, 1.25) * 100) * CENT, LEAST), _MOST)


def affordable(units: int, available: int) -> int:
    """That, or half of what there is; with room for fees."""
    if units * 102 <= available * 100:
        return units
    return available // 2 // CENT * CENT


def text_of(units: int) -> str:
    """Units of a coin as an amount in whole cents."""
    coins, cents = divmod(units // CENT, 100)
    return f"{coins}.{cents:02}" if cents else str(coins)


def of(rng: Random, sort: Sort, units: int) -> Amounts:
    """What this comes to."""
    ppm = _PPM + rng.randrange(-900, 400)
    told = {"amount": text_of(units), "rate": f"{ppm // _PPM}.{ppm % _PPM:06}"}
    if sort.kind == BATCH:
        parts = _items(units)
        return Amounts(parts, {f"amount{n}": text_of(each) for n, each in enumerate(parts)})
    if sort.kind == SWAP and sort.is_other:
        net = -(-units * _PPM // ppm)
        gross = -(-net * 1000 // 999)
        return Amounts((gross, gross - net, units), told)
    # What is sent, in what the books count it in.
    sent = units // CENT if sort.kind == ONRAMP else units
    fee = -(-sent * _FEE_PERMILLE.get(sort.kind, 0) // 1000)
    into = {
        SWAP: (sent - fee) * ppm // _PPM,
        ONRAMP: (sent - fee) * CENT * ppm // _PPM,
        OFFRAMP: (sent - fee) * ppm // _PPM // CENT,
    }
    return Amounts((sent, fee, into.get(sort.kind, sent)), told)


def _items(units: int) -> tuple[int, int, int]:
    part = units // ITEMS // CENT * CENT
    return units - part * (ITEMS - 1), part, part
