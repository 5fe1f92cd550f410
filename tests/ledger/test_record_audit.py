"""Records read one after the other, and compared with what their flow states of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger import corrections
from landbridge.ledger.audit import FINDINGS_MAX, Audit, audit, table
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, debit, reserve, totals
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.ledger.past import amounts_told
from landbridge.ledger.record_audit import CHECKS, EFFECT, JOURNALS, OPENED
from landbridge.ledger.record_audit_store import AuditedRecord, read_records
from landbridge.ledger.service import Ledger
from landbridge.wiring import AUDIT_RULES
from landbridge.wiring import MOVES as HOUSE_MOVES
from tests import make
from tests.make import MOVES, MOVES_BY_KIND, PAYMENT, USDC, Status


def journals(step: Step) -> Journals | None:
    """What a payment posts; of what comes from outside no account is known."""
    account = step.after.details["account_id"]
    if account is None:
        return None
    money = Money(step.after.source_units, USDC)
    posted = {
        place: make.postings(status, UUID(account), money) for place, status in enumerate(step.path)
    }
    return {place: postings for place, postings in posted.items() if postings}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting] | None:
    account, money = record.details["account_id"], Money(record.source_units, USDC)
    if account is None:
        return None
    assert statuses[-1] == record.status
    match Status(record.status):
        case Status.HELD:
            return [reserve(UUID(account), money)]
        case Status.SETTLED:
            return [debit(UUID(account), money), Posting(Role.OUTSIDE, money)]
        case _:
            return []


RULES = {PAYMENT: AuditRules(journals, effect)}


async def run(
    database: Database, org_id: UUID, rules: dict[str, AuditRules] | None = None
) -> Audit:
    return await audit(database, MOVES_BY_KIND, RULES if rules is None else rules, org_id=org_id)


async def payment(
    database: Database, *path: Status, org_id: UUID | None = None
) -> tuple[Transfer, UUID]:
    """A payment of 7 that took this path, and the account that pays."""
    org_id = org_id or await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)
    first, *rest = path
    asked = make.opening(org_id, first, units=7, account_id=account_id)
    record = make.opened(await ledger.open(asked, MOVES))
    for status in rest:
        record = make.moved(await ledger.advance(make.move(record, status), MOVES))
    return record, account_id


def test_every_kind_of_record_has_its_rules() -> None:
    assert AUDIT_RULES.keys() | {corrections.KIND} == HOUSE_MOVES.keys()


@pytest.mark.parametrize(
    "path",
    [
        (Status.OPEN,),
        (Status.HELD,),
        (Status.OPEN, Status.GONE),
        (Status.OPEN, Status.HELD, Status.SETTLED),
        (Status.HELD, Status.RETURNED),
    ],
)
async def test_what_the_flow_posts_is_clean(database: Database, path: tuple[Status, ...]) -> None:
    record, _ = await payment(database, *path)
    audited = await run(database, record.org_id)
    assert audited.is_clean, table(audited)
    # The deposit that paid for it, and itself.
    assert {(each.name, each.rows) for each in audited.checks[-3:]} == {
        (name, 2) for name in CHECKS
    }


async def test_a_path_that_is_taken_in_one_go_posts_at_its_stations(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    held = [reserve(account_id, Money(7, USDC))]
    asked = make.opening(
        org_id, Status.OPEN, Status.HELD, account_id=account_id, units=7, journals={1: held}
    )
    opened = make.opened(await Ledger(database).open(asked, MOVES))
    settle = make.move(opened, Status.SETTLED)
    make.moved(await Ledger(database).advance(settle, MOVES))
    audited = await run(database, org_id)
    assert audited.is_clean, table(audited)


async def test_a_journal_of_the_wrong_station_is_named(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    held = [reserve(account_id, Money(7, USDC))]
    asked = make.opening(
        org_id, Status.OPEN, Status.HELD, account_id=account_id, units=7, journals={0: held}
    )
    record = make.opened(await Ledger(database).open(asked, MOVES))
    found = [(each.check, each.key) for each in (await run(database, org_id)).findings]
    assert found == [(JOURNALS, f"{record.id}/1"), (JOURNALS, f"{record.id}/2")]


async def test_a_rule_that_can_not_be_applied_is_a_finding(database: Database) -> None:
    record, _ = await payment(database, Status.HELD)

    def broken(*_: object) -> Journals:
        raise KeyError("account_id")

    rules = {PAYMENT: AuditRules(broken, lambda record, _: broken(record))}  # pyright: ignore[reportArgumentType]
    audited = await run(database, record.org_id, rules)
    told = {(each.check, each.sentence) for each in audited.findings if each.key == str(record.id)}
    assert told == {
        (JOURNALS, "its journals can't be recomputed: KeyError: 'account_id'"),
        (EFFECT, "what it should have moved can't be computed: KeyError: 'account_id'"),
    }


async def test_amounts_of_a_later_quote_are_those_that_were_replaced(database: Database) -> None:
    """The digest is of what it was opened with, the journals are of what it is about now."""
    org_id, ledger = await make.make_org(database), Ledger(database)
    account_id = await make.make_account(database, org_id, units=10)
    asked = make.opening(org_id, Status.OPEN, units=7, account_id=account_id)
    asked = replace(asked, details={**asked.details, **amounts_told(asked.source, asked.source)})
    record = make.opened(await ledger.open(asked, MOVES))
    money = Money(9, USDC)
    held = make.move(
        record,
        Status.HELD,
        facts=amounts_told(money, money),
        journals={0: make.held(account_id, money)},
    )
    replaced = replace(held, source=money, destination=money)
    record = make.moved(await ledger.advance(replaced, MOVES))
    make.moved(await ledger.advance(make.move(record, Status.SETTLED), MOVES))
    audited = await run(database, org_id)
    assert audited.is_clean, table(audited)


async def test_records_without_a_digest_are_skipped(database: Database) -> None:
    record, _ = await payment(database, Status.HELD)
    args = (record.org_id, record.id)
    digests = await database.rows(
        "select opened_digest from changes where org_id = $1 and object_id = $2 order by seq", *args
    )
    assert [len(row["opened_digest"] or b"") for row in digests] == [32]
    alter = "update transfers set user_id = id where org_id = $1 and id = $2"
    await database.rows(alter, *args)
    (finding,) = (await run(database, record.org_id)).findings
    assert (finding.check, finding.key) == (OPENED, str(record.id))
    forget = "update changes set opened_digest = null where org_id = $1 and object_id = $2"
    await database.rows(forget, *args)
    assert (await run(database, record.org_id)).is_clean


async def test_only_the_first_change_has_the_digest(database: Database) -> None:
    record, _ = await payment(database, Status.OPEN, Status.HELD, Status.SETTLED)
    rows = await database.rows(
        "select seq from changes where org_id = $1 and object_id = $2"
        " and opened_digest is not null",
        *(record.org_id, record.id),
    )
    assert [row["seq"] for row in rows] == [1]


# What JSON and its storage may spell in several ways.
DETAILS: list[dict[str, Any]] = [
    {"b": 1, "a": {"d": [1, {"z": None, "y": True}], "c": "Ü\u2028\"\\/'"}},
    {"units": 10**37, "rate": "0.10", "empty": "", "none": None, "list": []},
    {"id": UUID(int=7), "at": make.CLOCK.stamp()},
]


@pytest.mark.parametrize("details", DETAILS)
async def test_a_digest_is_of_what_the_details_say_and_not_of_how(
    database: Database, details: dict[str, Any]
) -> None:
    org_id = await make.make_org(database)
    asked = make.opening(org_id, Status.OPEN)
    asked = replace(asked, details={**details, "account_id": None})
    make.opened(await Ledger(database).open(asked, MOVES))
    assert (await run(database, org_id)).is_clean


async def test_records_are_read_in_parts_of_any_size(database: Database) -> None:
    org_id = await make.make_org(database)
    for _ in range(4):
        await payment(database, Status.OPEN, Status.HELD, Status.SETTLED, org_id=org_id)

    async def read(size: int) -> list[AuditedRecord]:
        async def work(tx: Tx) -> list[AuditedRecord]:
            found = read_records(tx, org_id, [PAYMENT], fetch_size=size)
            return [each async for each in found]

        return await database.transact(work)

    whole = await read(1000)
    assert [(len(each.changes), len(each.entries)) for each in whole].count((3, 3)) == 4
    assert len(whole) == 8
    for size in (1, 2, 3, 5):
        assert await read(size) == whole


async def test_findings_are_bounded_and_counted_truly(database: Database) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    for _ in range(FINDINGS_MAX + 5):
        make.opened(await ledger.open(make.opening(org_id), MOVES))
    await database.rows("update transfers set user_id = id where org_id = $1", org_id)
    audited = await run(database, org_id)
    assert len(audited.findings) == FINDINGS_MAX
    assert [each.wrong for each in audited.checks if each.wrong] == [FINDINGS_MAX + 5]


def test_totals_leave_out_what_comes_to_nothing() -> None:
    account_id, money = UUID(int=1), Money(7, USDC)
    there = [reserve(account_id, money), Posting(account_id, money, -7)]
    assert totals(there) == {}
    assert totals([*there, debit(account_id, money)]) == {(account_id, USDC.code): (-7, 0)}
