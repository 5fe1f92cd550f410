"""What happened: who paid what to whom and when, so that nobody ever spends what they have not.

Payments are made up in the order of their time. What one takes is gone at once; what it brings can
be spent from the moment on at which it is there.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from heapq import heappop, heappush
from itertools import accumulate, count
from uuid import UUID

import msgspec

from landbridge.approvals.digests import digest_of_record
from landbridge.core.ids import derived_id
from landbridge.ledger.digests import digest_of_opened
from landbridge.ledger.model import Transfer
from landbridge.seeding import amounts, sorts
from landbridge.seeding.amounts import Amounts
from landbridge.seeding.calendar import moments
from landbridge.seeding.chance import Random
from landbridge.seeding.people import Crowd, Person
from landbridge.seeding.plays import ITEMS, End, deposit
from landbridge.seeding.sorts import BATCH, BRIDGE, OFFRAMP, ONRAMP, SWAP, TRANSFER, Sort
from landbridge.seeding.stencils import OPENED, Stencil, stencil, summed

# Stands in rows for the transaction that writes them.
TX = "\1"
_CHAINS = ("POLYGON", "ETHEREUM")
_SWAPPED = {"POLYGON": ("usdc", "usdt"), "ETHEREUM": ("usdc", "usdt", "usdg")}
_BRIDGED = ("usdc", "usdt")
_ZIPF = 0.9
_KINDS = [kind for kind, _ in sorts.KINDS]
_KIND_WEIGHTS = list(accumulate(weight for _, weight in sorts.KINDS))
# How often: the cheaper chain, the coin that most have, a transfer to outside (and a swap for an
# exact amount), a fee of the organisation's own, a swap for somebody else.
_POLYGON, _MAIN, _OTHER, _FEES, _OTHERS_GET = 0.7, 0.8, 0.35, 0.3, 0.08
_BASE29 = "23456789ABCDEFGHJKMNPQRSTWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where it all happened: ids as texts, `houses` are the organisation's addresses by chain."""

    org_id: str
    key_id: str
    houses: Mapping[str, str]
    account_number: str
    begin_us: int
    end_us: int


@dataclass(slots=True)
class Batch:
    """Some records: rows by table, and what accounts have got by them."""

    rows: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    paid: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    count: int = 0


class Past:
    """A made-up past."""

    def __init__(self, place: Place, crowd: Crowd, rng: Random, tail: UUID) -> None:
        self._place, self._rng = place, rng
        self._people, self._accounts = crowd.people, crowd.accounts
        self._places = {each: place for place, each in enumerate(crowd.accounts)}
        self._ids = _ids(tail)
        self._weights = _weights(rng, len(crowd.people))
        self._here = 0
        self._available = [0] * len(crowd.accounts)
        self._coming: list[tuple[int, int, int]] = []
        self._taken: set[int] = set()
        self._batch = Batch()
        self._common = {
            "org": place.org_id,
            "key": place.key_id,
            "actor": f"key:{place.key_id}",
            "number": place.account_number,
            "tx": TX,
        }

    def batches(self, payments: int, size: int) -> Iterator[Batch]:
        """So many payments, and the deposits that they begin with, some at a time."""
        place = self._place
        # It has chance of its own: it is asked while payments are made up.
        calendar = Random(self._rng.getrandbits(64))
        for at in moments(calendar, place.begin_us, place.end_us, payments):
            self._pass_to(at)
            self._pay(at)
            if self._batch.count >= size:
                yield self._next(at)
        yield self._next(place.end_us)

    def _next(self, at: int) -> Batch:
        done, self._batch = self._batch, Batch()
        self._taken = {each for each in self._taken if each >= at}
        return done

    def _pass_to(self, at: int) -> None:
        """Let arrive what is there by now, and join who joins."""
        while self._coming and self._coming[0][0] <= at:
            _, account, units = heappop(self._coming)
            self._available[account] += units
        while self._here < len(self._people) and (
            self._people[self._here].since_us < at or self._here <= ITEMS
        ):
            person = self._people[self._here]
            self._here += 1
            for chain in _CHAINS:
                self._fund(person, chain, max(person.since_us, self._place.begin_us))

    def _fund(self, person: Person, chain: str, at: int) -> None:
        code = f"usdc:{chain}"
        units = self._rng.randrange(500, 20_000) * amounts.COIN
        texts = self._about(person, chain) | {
            "payer_account": self._accounts[person.accounts[code]],
            "payer_address": _hex(self._rng, 40),
            "amount": amounts.text_of(units),
        }
        texts |= {"id": next(self._ids), "hash": _hex(self._rng, 64)}
        self._write(_deposit(code), texts, self._times(at, []), [units])

    def _pay(self, at: int) -> None:
        rng = self._rng
        person = self._somebody()
        kind = rng.choices(_KINDS, cum_weights=_KIND_WEIGHTS)[0]
        chain = "POLYGON" if rng.random() < _POLYGON else "ETHEREUM"
        wanted = amounts.wanted(rng)
        code = None if kind == ONRAMP else self._source(person, chain, kind)
        if code is not None:
            wanted = amounts.affordable(wanted, self._available[person.accounts[code]])
        if code is None or wanted < amounts.LEAST:
            # Who has too little buys coins first.
            kind, code, wanted = ONRAMP, None, amounts.wanted(rng) * 2
        sort = self._sort(kind, code, chain)
        steps = sorts.steps_us(rng, sort)
        left = self._place.end_us - at
        if sort.is_over_by_time and sum(steps) >= left:
            sort = replace(sort, end=End.DONE)
            steps = sorts.steps_us(rng, sort)
        known = sorts.stencil_of(sort)
        steps = steps[: known.moments - 1]
        total = sum(steps)
        if total > left:
            steps = [each * left // total for each in steps]
        self._carry_out(sort, known, person, self._times(at, steps), amounts.of(rng, sort, wanted))

    def _sort(self, kind: str, code: str | None, chain: str) -> Sort:
        rng = self._rng
        is_asked = kind in sorts.ENDS_ASKED and rng.random() * 1000 < sorts.ASKED_PERMILLE
        end = sorts.chosen(rng, (sorts.ENDS_ASKED if is_asked else sorts.ENDS)[kind])
        into = code or ""
        if kind == SWAP:
            others = [f"{each}:{chain}" for each in _SWAPPED[chain]]
            others.remove(into)
            into = rng.choice(others)
        elif kind == BRIDGE:
            into = f"{into.partition(':')[0]}:{_CHAINS[chain == 'POLYGON']}"
        elif kind == ONRAMP:
            into = f"{'usdc' if rng.random() < _MAIN else 'usdt'}:{chain}"
        return Sort(
            kind=kind,
            end=end,
            reason=sorts.reason_of(rng, kind, end),
            assets=(code or "usd:BANK", into),
            is_asked=is_asked,
            is_other=kind in {SWAP, TRANSFER} and rng.random() < _OTHER,
            has_fee=kind == TRANSFER and rng.random() < _FEES,
        )

    def _carry_out(
        self, sort: Sort, known: Stencil, person: Person, times: list[int], told: Amounts
    ) -> None:
        rng, chain = self._rng, sort.chain
        texts = self._about(person, chain) | told.texts
        source = sort.assets[0]
        texts["bank_account"] = person.bank_account
        if source in person.accounts:
            texts["payer_account"] = self._accounts[person.accounts[source]]
        self._address(sort, person, texts)
        texts["id"], texts["request"] = next(self._ids), next(self._ids)
        if sort.kind == ONRAMP:
            texts["receipt"] = next(self._ids)
            texts["reference"] = f"LB{_base29(rng)}"
        elif sort.kind == OFFRAMP:
            texts["trace"] = f"12345678{rng.randrange(10**7):07}"
            texts["fed_batch"] = f"{times[0] // 86_400_000_000 * 7919 % 10**7:07}"
        for name in known.hashes:
            texts[name] = _hex(rng, 64)
        if known.has_digest:
            self._bind(known, texts, times, told.units)
        self._write(known, texts, times, told.units)

    def _address(self, sort: Sort, person: Person, texts: dict[str, str]) -> None:
        """Say whom it pays."""
        rng, chain = self._rng, sort.chain
        source, into = sort.assets
        payees = [person]
        if sort.kind in {TRANSFER, BATCH} or (sort.kind == SWAP and rng.random() < _OTHERS_GET):
            payees = self._others(person, ITEMS if sort.kind == BATCH else 1)
        if sort.kind == BATCH:
            for place, each in enumerate(payees):
                self._to(each, f"payee{place}", source, chain, texts)
        elif sort.kind == TRANSFER and sort.is_other:
            texts["payee_address"] = _hex(rng, 40)
        elif sort.kind == TRANSFER:
            self._to(payees[0], "payee", source, chain, texts)
        elif sort.kind != OFFRAMP:
            self._to(payees[0], "payee", into, into.partition(":")[2], texts)

    def _to(self, person: Person, name: str, code: str, chain: str, texts: dict[str, str]) -> None:
        texts[name] = person.id
        texts[f"{name}_account"] = self._accounts[person.accounts[code]]
        texts[f"{name}_address"] = person.wallets[chain][1]

    def _about(self, person: Person, chain: str) -> dict[str, str]:
        wallet, address = person.wallets[chain]
        return self._common | {
            "payer": person.id,
            "payer_wallet": wallet,
            "payer_address": address,
            "house_address": self._place.houses[chain],
        }

    def _source(self, person: Person, chain: str, kind: str) -> str | None:
        """The coin of which somebody has most on a chain, if there is any."""
        currencies = _SWAPPED[chain] if kind in {SWAP, TRANSFER} else _BRIDGED
        best, most = None, 0
        for currency in currencies:
            code = f"{currency}:{chain}"
            units = self._available[person.accounts[code]]
            if units > most:
                best, most = code, units
        return best

    def _somebody(self) -> Person:
        weights = self._weights
        left = self._rng.random() * weights[self._here - 1]
        return self._people[min(bisect(weights, left, 0, self._here), self._here - 1)]

    def _others(self, person: Person, wanted: int) -> list[Person]:
        """Other people, all different, of those who are here; so many are from the beginning."""
        found: list[Person] = []
        while len(found) < wanted:
            each = self._people[self._rng.randrange(self._here)]
            if each is not person and each not in found:
                found.append(each)
        return found

    def _times(self, at: int, steps: Sequence[int]) -> list[int]:
        """Moments that nothing else has, each later than the one before."""
        times: list[int] = []
        for step in (0, *steps):
            at += step
            while at in self._taken:
                at += 1
            self._taken.add(at)
            times.append(at)
        return times

    def _bind(
        self, known: Stencil, texts: dict[str, str], times: list[int], units: Sequence[int]
    ) -> None:
        """What an approval is bound to: the record as it was asked for."""
        texts["approval"] = str(derived_id(UUID(texts["id"]), "approval"))
        texts["digest"] = texts["digest_bytea"] = texts[OPENED.name] = ""
        record = known.rows[0]
        line = record.template % record.pick(known.values(texts, times, units))
        digest = digest_of_record(_as_record(line)).hex()
        texts["digest"], texts["digest_bytea"] = digest, f"\\\\x{digest}"

    def _write(
        self, known: Stencil, texts: Mapping[str, str], times: list[int], units: Sequence[int]
    ) -> None:
        batch = self._batch
        values = known.values({**texts, OPENED.name: ""}, times, units)
        record = known.rows[0]
        digest = digest_of_opened(_as_record(record.template % record.pick(values)))
        values[known.opened_place] = f"\\\\x{digest.hex()}"
        for each in known.rows:
            batch.rows[each.table].append(each.template % each.pick(values))
        for effect in known.effects:
            account = texts[effect.account]
            place = self._places[account]
            moved = summed(effect.parts, units)
            if moved < 0:
                self._available[place] += moved
            else:
                heappush(self._coming, (times[effect.moment], place, moved))
            batch.paid[account] += moved
        batch.count += 1


def _weights(rng: Random, people: int) -> list[float]:
    """How often each is somebody, summed up: few pay much, in whatever order they came."""
    ranks = list(range(1, people + 1))
    rng.shuffle(ranks)
    return list(accumulate(1 / rank**_ZIPF for rank in ranks))


def _ids(tail: UUID) -> Iterator[str]:
    """Ids that nobody else has, in the order of what is made; `tail` is a fresh one."""
    text = str(tail)
    head = text[:24]
    return (f"{head}{number:012x}" for number in count(1))


def _hex(rng: Random, digits: int) -> str:
    return f"0x{rng.getrandbits(4 * digits):0{digits}x}"


def _base29(rng: Random) -> str:
    return "".join(rng.choices(_BASE29, k=10))


@cache
def _deposit(code: str) -> Stencil:
    return stencil(deposit(code))


def _as_record(line: str) -> Transfer:
    """A record from its row, as far as a digest is of it."""
    cells = line.rstrip("\n").split("\t")
    at = datetime.fromisoformat(cells[15])
    return Transfer(
        org_id=UUID(cells[0]),
        id=UUID(cells[1]),
        kind=cells[2],
        user_id=UUID(cells[3]),
        request_id=UUID(cells[4]),
        request=msgspec.json.decode(cells[5]),
        status=cells[6],
        version=int(cells[7]),
        source_asset=cells[8],
        source_units=int(cells[9]),
        destination_asset=cells[10],
        destination_units=int(cells[11]),
        details=msgspec.json.decode(cells[12]),
        facts={},
        due_at=None,
        created_at=at,
        updated_at=at,
    )
