"""Generates payments in the order of their time, so that no account is ever overdrawn.

The amount of a payment is debited at once; what it credits can be spent from the time of the credit
on.
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

from landbridge.ledger.digests import stored_creation_digest
from landbridge.ledger.model import Transfer
from landbridge.payments.approvals.digests import digest_of_record
from landbridge.platform.core.ids import derived_id
from landbridge.sandbox.seeding import amounts, scenario_kinds
from landbridge.sandbox.seeding.amounts import SeedAmounts
from landbridge.sandbox.seeding.calendar import moments
from landbridge.sandbox.seeding.people import SeededPeople, SeededPerson
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.row_templates import OPENED, RowTemplate, row_template, summed
from landbridge.sandbox.seeding.scenario_kinds import (
    BATCH,
    BRIDGE,
    OFFRAMP,
    ONRAMP,
    SWAP,
    TRANSFER,
    ScenarioKind,
)
from landbridge.sandbox.seeding.transfer_scenarios import ITEMS, ScenarioEnd, deposit

# Placeholder in rows for the number of their batch of changes.
CHANGE_BATCH = "\1"
_CHAINS = ("POLYGON", "ETHEREUM")
_SWAPPED = {"POLYGON": ("usdc", "usdt"), "ETHEREUM": ("usdc", "usdt", "usdg")}
_BRIDGED = ("usdc", "usdt")
_ZIPF = 0.9
_KINDS = [kind for kind, _ in scenario_kinds.KINDS]
_KIND_WEIGHTS = list(accumulate(weight for _, weight in scenario_kinds.KINDS))
# Probabilities of: the cheaper chain, the most common coin, an external transfer (and a swap with
# an exact destination amount), an organisation's own fee, a swap to another user.
_POLYGON, _MAIN, _OTHER, _FEES, _OTHERS_GET = 0.7, 0.8, 0.35, 0.3, 0.08
_BASE29 = "23456789ABCDEFGHJKMNPQRSTWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedContext:
    """Ids of the organisation as texts; `houses` are the organisation's addresses by chain."""

    org_id: str
    key_id: str
    houses: Mapping[str, str]
    account_number: str
    begin_us: int
    end_us: int


@dataclass(slots=True)
class RecordBatch:
    """Rows of some records by table, and what they add to account balances."""

    rows: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    paid: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    count: int = 0


class SeedHistory:
    """A generated history."""

    def __init__(self, context: SeedContext, people: SeededPeople, rng: Random, tail: UUID) -> None:
        self._context, self._rng = context, rng
        self._people, self._accounts = people.people, people.accounts
        self._account_indexes = {each: index for index, each in enumerate(people.accounts)}
        self._ids = _ids(tail)
        self._weights = _weights(rng, len(people.people))
        self._joined_count = 0
        self._available = [0] * len(people.accounts)
        self._pending_credits: list[tuple[int, int, int]] = []
        self._used_times: set[int] = set()
        self._batch = RecordBatch()
        self._common = {
            "org": context.org_id,
            "key": context.key_id,
            "actor": f"key:{context.key_id}",
            "number": context.account_number,
            "batch": CHANGE_BATCH,
        }

    def batches(self, payments: int, size: int) -> Iterator[RecordBatch]:
        """Generate this many payments, and the deposits that fund them, in batches."""
        context = self._context
        # A random source of its own: it is consumed while payments are generated.
        calendar = Random(self._rng.getrandbits(64))
        for at in moments(calendar, context.begin_us, context.end_us, payments):
            self._pass_to(at)
            self._pay(at)
            if self._batch.count >= size:
                yield self._next(at)
        yield self._next(context.end_us)

    def _next(self, at: int) -> RecordBatch:
        done, self._batch = self._batch, RecordBatch()
        self._used_times = {each for each in self._used_times if each >= at}
        return done

    def _pass_to(self, at: int) -> None:
        """Apply the credits that have arrived by then, and add the users who have joined."""
        while self._pending_credits and self._pending_credits[0][0] <= at:
            _, account, units = heappop(self._pending_credits)
            self._available[account] += units
        while self._joined_count < len(self._people) and (
            self._people[self._joined_count].since_us < at or self._joined_count <= ITEMS
        ):
            person = self._people[self._joined_count]
            self._joined_count += 1
            for chain in _CHAINS:
                self._fund(person, chain, max(person.since_us, self._context.begin_us))

    def _fund(self, person: SeededPerson, chain: str, at: int) -> None:
        code = f"usdc:{chain}"
        units = self._rng.randrange(500, 20_000) * amounts.COIN
        texts = self._common_texts(person, chain) | {
            "payer_account": self._accounts[person.accounts[code]],
            "payer_address": _hex(self._rng, 40),
            "amount": amounts.text_of(units),
        }
        texts |= {"id": next(self._ids), "hash": _hex(self._rng, 64)}
        self._write(_deposit(code), texts, self._times(at, []), [units])

    def _pay(self, at: int) -> None:
        rng = self._rng
        person = self._choose_payer()
        kind = rng.choices(_KINDS, cum_weights=_KIND_WEIGHTS)[0]
        chain = "POLYGON" if rng.random() < _POLYGON else "ETHEREUM"
        units = amounts.random_amount(rng)
        code = None if kind == ONRAMP else self._source(person, chain, kind)
        if code is not None:
            units = amounts.affordable(units, self._available[person.accounts[code]])
        if code is None or units < amounts.LEAST:
            # A user with too low a balance buys coins first.
            kind, code, units = ONRAMP, None, amounts.random_amount(rng) * 2
        scenario = self._choose_scenario(kind, code, chain)
        steps = scenario_kinds.steps_us(rng, scenario)
        time_left = self._context.end_us - at
        if scenario.is_over_by_time and sum(steps) >= time_left:
            scenario = replace(scenario, end=ScenarioEnd.DONE)
            steps = scenario_kinds.steps_us(rng, scenario)
        known = scenario_kinds.template_of(scenario)
        steps = steps[: known.moments - 1]
        total = sum(steps)
        if total > time_left:
            steps = [each * time_left // total for each in steps]
        self._write_payment(
            scenario, known, person, self._times(at, steps), amounts.of(rng, scenario, units)
        )

    def _choose_scenario(self, kind: str, code: str | None, chain: str) -> ScenarioKind:
        rng = self._rng
        needs_approval = (
            kind in scenario_kinds.ENDS_WITH_APPROVAL
            and rng.random() * 1000 < scenario_kinds.APPROVAL_PERMILLE
        )
        end = scenario_kinds.chosen(
            rng,
            (scenario_kinds.ENDS_WITH_APPROVAL if needs_approval else scenario_kinds.ENDS)[kind],
        )
        into = code or ""
        if kind == SWAP:
            other_coins = [f"{each}:{chain}" for each in _SWAPPED[chain]]
            other_coins.remove(into)
            into = rng.choice(other_coins)
        elif kind == BRIDGE:
            into = f"{into.partition(':')[0]}:{_CHAINS[chain == 'POLYGON']}"
        elif kind == ONRAMP:
            into = f"{'usdc' if rng.random() < _MAIN else 'usdt'}:{chain}"
        return ScenarioKind(
            kind=kind,
            end=end,
            reason=scenario_kinds.reason_of(rng, kind, end),
            assets=(code or "usd:BANK", into),
            needs_approval=needs_approval,
            is_other=kind in {SWAP, TRANSFER} and rng.random() < _OTHER,
            has_fee=kind == TRANSFER and rng.random() < _FEES,
        )

    def _write_payment(
        self,
        scenario: ScenarioKind,
        known: RowTemplate,
        person: SeededPerson,
        times: list[int],
        amounts: SeedAmounts,
    ) -> None:
        rng, chain = self._rng, scenario.chain
        texts = self._common_texts(person, chain) | amounts.texts
        source = scenario.assets[0]
        texts["bank_account"] = person.bank_account
        if source in person.accounts:
            texts["payer_account"] = self._accounts[person.accounts[source]]
        self._address(scenario, person, texts)
        texts["id"], texts["request"] = next(self._ids), next(self._ids)
        if scenario.kind == ONRAMP:
            texts["receipt"] = next(self._ids)
            texts["reference"] = f"LB{_base29(rng)}"
        elif scenario.kind == OFFRAMP:
            texts["trace"] = f"12345678{rng.randrange(10**7):07}"
            texts["fed_batch"] = f"{times[0] // 86_400_000_000 * 7919 % 10**7:07}"
        for name in known.hashes:
            texts[name] = _hex(rng, 64)
        if known.has_digest:
            self._bind(known, texts, times, amounts.units)
        self._write(known, texts, times, amounts.units)

    def _address(self, scenario: ScenarioKind, person: SeededPerson, texts: dict[str, str]) -> None:
        """Set the payee."""
        rng, chain = self._rng, scenario.chain
        source, into = scenario.assets
        payees = [person]
        if scenario.kind in {TRANSFER, BATCH} or (
            scenario.kind == SWAP and rng.random() < _OTHERS_GET
        ):
            payees = self._others(person, ITEMS if scenario.kind == BATCH else 1)
        if scenario.kind == BATCH:
            for index, each in enumerate(payees):
                self._to(each, f"payee{index}", source, chain, texts)
        elif scenario.kind == TRANSFER and scenario.is_other:
            texts["payee_address"] = _hex(rng, 40)
        elif scenario.kind == TRANSFER:
            self._to(payees[0], "payee", source, chain, texts)
        elif scenario.kind != OFFRAMP:
            self._to(payees[0], "payee", into, into.partition(":")[2], texts)

    def _to(
        self, person: SeededPerson, name: str, code: str, chain: str, texts: dict[str, str]
    ) -> None:
        texts[name] = person.id
        texts[f"{name}_account"] = self._accounts[person.accounts[code]]
        texts[f"{name}_address"] = person.wallets[chain][1]

    def _common_texts(self, person: SeededPerson, chain: str) -> dict[str, str]:
        wallet, address = person.wallets[chain]
        return self._common | {
            "payer": person.id,
            "payer_wallet": wallet,
            "payer_address": address,
            "house_address": self._context.houses[chain],
        }

    def _source(self, person: SeededPerson, chain: str, kind: str) -> str | None:
        """Return the coin with the highest balance on a chain, if there is any."""
        currencies = _SWAPPED[chain] if kind in {SWAP, TRANSFER} else _BRIDGED
        best, most_units = None, 0
        for currency in currencies:
            code = f"{currency}:{chain}"
            units = self._available[person.accounts[code]]
            if units > most_units:
                best, most_units = code, units
        return best

    def _choose_payer(self) -> SeededPerson:
        weights = self._weights
        point = self._rng.random() * weights[self._joined_count - 1]
        return self._people[
            min(bisect(weights, point, 0, self._joined_count), self._joined_count - 1)
        ]

    def _others(self, person: SeededPerson, count: int) -> list[SeededPerson]:
        """Return different other users who have joined; the first ones are always available."""
        found: list[SeededPerson] = []
        while len(found) < count:
            each = self._people[self._rng.randrange(self._joined_count)]
            if each is not person and each not in found:
                found.append(each)
        return found

    def _times(self, at: int, steps: Sequence[int]) -> list[int]:
        """Return unique times, each later than the one before."""
        times: list[int] = []
        for step in (0, *steps):
            at += step
            while at in self._used_times:
                at += 1
            self._used_times.add(at)
            times.append(at)
        return times

    def _bind(
        self, known: RowTemplate, texts: dict[str, str], times: list[int], units: Sequence[int]
    ) -> None:
        """Compute the digest of the requested record, which the approval is bound to."""
        texts["approval"] = str(derived_id(UUID(texts["id"]), "approval"))
        texts["digest"] = texts["digest_bytea"] = texts[OPENED.name] = ""
        record = known.rows[0]
        line = record.template % record.pick(known.values(texts, times, units))
        digest = digest_of_record(_as_record(line)).hex()
        texts["digest"], texts["digest_bytea"] = digest, f"\\\\x{digest}"

    def _write(
        self, known: RowTemplate, texts: Mapping[str, str], times: list[int], units: Sequence[int]
    ) -> None:
        batch = self._batch
        values = known.values({**texts, OPENED.name: ""}, times, units)
        record = known.rows[0]
        digest = stored_creation_digest(_as_record(record.template % record.pick(values)))
        values[known.opened_index] = f"\\\\x{digest.hex()}"
        for each in known.rows:
            batch.rows[each.table].append(each.template % each.pick(values))
        for effect in known.effects:
            account = texts[effect.account]
            index = self._account_indexes[account]
            moved = summed(effect.parts, units)
            if moved < 0:
                self._available[index] += moved
            else:
                heappush(self._pending_credits, (times[effect.moment], index, moved))
            batch.paid[account] += moved
        batch.count += 1


def _weights(rng: Random, people: int) -> list[float]:
    """Return cumulative weights of users: few pay often, independent of when they joined."""
    ranks = list(range(1, people + 1))
    rng.shuffle(ranks)
    return list(accumulate(1 / rank**_ZIPF for rank in ranks))


def _ids(tail: UUID) -> Iterator[str]:
    """Yield unique ids in creation order; `tail` is a fresh id."""
    text = str(tail)
    head = text[:24]
    return (f"{head}{number:012x}" for number in count(1))


def _hex(rng: Random, digits: int) -> str:
    return f"0x{rng.getrandbits(4 * digits):0{digits}x}"


def _base29(rng: Random) -> str:
    return "".join(rng.choices(_BASE29, k=10))


@cache
def _deposit(code: str) -> RowTemplate:
    return row_template(deposit(code))


def _as_record(line: str) -> Transfer:
    """Build a record from its row, with the fields that its digest covers."""
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
