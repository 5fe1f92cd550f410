"""Record audit: records are read one after the other and compared with their flow's rules."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import AUDIT_RULES
from landbridge.app.container import TRANSITIONS as ALL_TRANSITIONS
from landbridge.ledger import corrections
from landbridge.ledger.audit import FINDINGS_MAX, LedgerAudit, audit, table
from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, debit, reserve, totals
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.ledger.record_audit import (
    CHECKS,
    EFFECT,
    JOURNALS,
    OPENED,
    AuditedRecord,
    read_records,
)
from landbridge.ledger.service import Ledger
from landbridge.ledger.snapshots import amount_facts
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import MOVES_BY_KIND, PAYMENT, TRANSITIONS, USDC, Status


def journals(step: RecordStep) -> Journals | None:
    """Recompute the postings of a payment; an incoming one has no known account."""
    account = step.after.details["account_id"]
    if account is None:
        return None
    money = Money(step.after.source_units, USDC)
    posted = {
        index: make.postings(status, UUID(account), money) for index, status in enumerate(step.path)
    }
    return {index: postings for index, postings in posted.items() if postings}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting] | None:
    account, money = record.details["account_id"], Money(record.source_units, USDC)
    if account is None:
        return None
    assert statuses[-1] == record.status
    match Status(record.status):
        case Status.HELD:
            return [reserve(UUID(account), money)]
        case Status.SETTLED:
            return [debit(UUID(account), money), Posting(HouseRole.OUTSIDE, money)]
        case _:
            return []


RULES = {PAYMENT: AuditRules(journals, effect)}


async def run(
    database: Database, org_id: UUID, rules: dict[str, AuditRules] | None = None
) -> LedgerAudit:
    return await audit(database, MOVES_BY_KIND, RULES if rules is None else rules, org_id=org_id)


async def payment(
    database: Database, *path: Status, org_id: UUID | None = None
) -> tuple[Transfer, UUID]:
    """Create a payment of 7 along this path; return it with its paying account."""
    org_id = org_id or await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)
    first, *rest = path
    request = make.opening(org_id, first, units=7, account_id=account_id)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    for status in rest:
        record = make.moved(await ledger.advance(make.move(record, status), TRANSITIONS))
    return record, account_id


def test_every_kind_of_record_has_audit_rules() -> None:
    assert AUDIT_RULES.keys() | {corrections.KIND} == ALL_TRANSITIONS.keys()


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
async def test_journals_of_the_flow_are_clean(database: Database, path: tuple[Status, ...]) -> None:
    record, _ = await payment(database, *path)
    audited = await run(database, record.org_id)
    assert audited.is_clean, table(audited)
    # The deposit that funded it, and the payment itself.
    assert {(each.name, each.rows) for each in audited.checks[-3:]} == {
        (name, 2) for name in CHECKS
    }


async def test_path_of_several_statuses_posts_at_each_status(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    held = [reserve(account_id, Money(7, USDC))]
    request = make.opening(
        org_id, Status.OPEN, Status.HELD, account_id=account_id, units=7, journals={1: held}
    )
    created = make.opened(await Ledger(database).create(request, TRANSITIONS))
    settle = make.move(created, Status.SETTLED)
    make.moved(await Ledger(database).advance(settle, TRANSITIONS))
    audited = await run(database, org_id)
    assert audited.is_clean, table(audited)


async def test_journal_at_the_wrong_status_is_reported(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    held = [reserve(account_id, Money(7, USDC))]
    request = make.opening(
        org_id, Status.OPEN, Status.HELD, account_id=account_id, units=7, journals={0: held}
    )
    record = make.opened(await Ledger(database).create(request, TRANSITIONS))
    found = [(each.check, each.key) for each in (await run(database, org_id)).findings]
    assert found == [(JOURNALS, f"{record.id}/1"), (JOURNALS, f"{record.id}/2")]


async def test_failing_rule_is_a_finding(database: Database) -> None:
    record, _ = await payment(database, Status.HELD)

    def broken(*_: object) -> Journals:
        raise KeyError("account_id")

    rules = {PAYMENT: AuditRules(broken, lambda record, _: broken(record))}  # pyright: ignore[reportArgumentType]
    audited = await run(database, record.org_id, rules)
    reported = {
        (each.check, each.sentence) for each in audited.findings if each.key == str(record.id)
    }
    assert reported == {
        (JOURNALS, "its journals can't be recomputed: KeyError: 'account_id'"),
        (EFFECT, "its expected total can't be computed: KeyError: 'account_id'"),
    }


async def test_audit_uses_amounts_of_a_later_quote(database: Database) -> None:
    """The digest covers the created amounts; the journals use the present ones."""
    org_id, ledger = await make.make_org(database), Ledger(database)
    account_id = await make.make_account(database, org_id, units=10)
    request = make.opening(org_id, Status.OPEN, units=7, account_id=account_id)
    request = replace(
        request, details={**request.details, **amount_facts(request.source, request.source)}
    )
    record = make.opened(await ledger.create(request, TRANSITIONS))
    money = Money(9, USDC)
    held = make.move(
        record,
        Status.HELD,
        facts=amount_facts(money, money),
        journals={0: make.held(account_id, money)},
    )
    replaced = replace(held, source=money, destination=money)
    record = make.moved(await ledger.advance(replaced, TRANSITIONS))
    make.moved(await ledger.advance(make.move(record, Status.SETTLED), TRANSITIONS))
    audited = await run(database, org_id)
    assert audited.is_clean, table(audited)


async def test_records_without_a_digest_are_skipped(database: Database) -> None:
    record, _ = await payment(database, Status.HELD)
    args = (record.org_id, record.id)
    digests = await database.rows(
        "select creation_digest from changes where org_id = $1 and object_id = $2 order by seq",
        *args,
    )
    assert [len(row["creation_digest"] or b"") for row in digests] == [32]
    alter = "update transfers set user_id = id where org_id = $1 and id = $2"
    await database.rows(alter, *args)
    (finding,) = (await run(database, record.org_id)).findings
    assert (finding.check, finding.key) == (OPENED, str(record.id))
    forget = "update changes set creation_digest = null where org_id = $1 and object_id = $2"
    await database.rows(forget, *args)
    assert (await run(database, record.org_id)).is_clean


async def test_only_the_first_change_has_the_digest(database: Database) -> None:
    record, _ = await payment(database, Status.OPEN, Status.HELD, Status.SETTLED)
    rows = await database.rows(
        "select seq from changes where org_id = $1 and object_id = $2"
        " and creation_digest is not null",
        *(record.org_id, record.id),
    )
    assert [row["seq"] for row in rows] == [1]


# Values with several spellings in JSON and its storage.
DETAILS: list[dict[str, Any]] = [
    {"b": 1, "a": {"d": [1, {"z": None, "y": True}], "c": "Ü\u2028\"\\/'"}},
    {"units": 10**37, "rate": "0.10", "empty": "", "none": None, "list": []},
    {"id": UUID(int=7), "at": make.CLOCK.stamp()},
]


@pytest.mark.parametrize("details", DETAILS)
async def test_digest_does_not_depend_on_the_spelling_of_details(
    database: Database, details: dict[str, Any]
) -> None:
    org_id = await make.make_org(database)
    request = make.opening(org_id, Status.OPEN)
    request = replace(request, details={**details, "account_id": None})
    make.opened(await Ledger(database).create(request, TRANSITIONS))
    assert (await run(database, org_id)).is_clean


async def test_records_are_read_with_any_fetch_size(database: Database) -> None:
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


async def test_findings_are_bounded_but_counted_exactly(database: Database) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    for _ in range(FINDINGS_MAX + 5):
        make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    await database.rows("update transfers set user_id = id where org_id = $1", org_id)
    audited = await run(database, org_id)
    assert len(audited.findings) == FINDINGS_MAX
    assert [each.wrong for each in audited.checks if each.wrong] == [FINDINGS_MAX + 5]


def test_totals_omit_zero_sums() -> None:
    account_id, money = UUID(int=1), Money(7, USDC)
    there = [reserve(account_id, money), Posting(account_id, money, -7)]
    assert totals(there) == {}
    assert totals([*there, debit(account_id, money)]) == {(account_id, USDC.code): (-7, 0)}
