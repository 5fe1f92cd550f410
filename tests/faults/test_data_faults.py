"""Data faults: the audit reports records altered by SQL, even in a balanced ledger."""
# ruff: noqa: S608  the statements are put together from constants of this file

from typing import NamedTuple
from uuid import UUID

import pytest

from landbridge.ledger.audit import table
from landbridge.ledger.record_audit import EFFECT, JOURNALS, OPENED
from tests.faults import scenarios
from tests.faults.scenarios import Scenario
from tests.faults.world import World
from tests.ledger.corruptions import CORRECTED, ENDED


class Damage(NamedTuple):
    """SQL statement; $1 is the organisation, $2 the record and $3 an account of Grace's."""

    scenario: Scenario
    statement: str
    checks: set[str]  # exactly the checks that must report it


def damage(scenario: Scenario, statement: str, *checks: str) -> Damage:
    """Give every parameter its type, even if the statement does not use it."""
    checks_cte = f"with given as (select $1::uuid, $2::uuid, $3::uuid) {statement}"
    return Damage(scenario, checks_cte, set(checks))


RECORD = "where org_id = $1 and id = $2"
ENTRY = "where org_id = $1 and transfer_id = $2"
CHANGE = "where org_id = $1 and object_id = $2"
ADD = (
    "insert into entries (org_id, transfer_id, seq, line, account_id, role, asset, available, held,"
    " occurred_at) select c.org_id, c.object_id, c.seq, l.line, l.account_id, l.role,"
    " 'usdc:POLYGON', l.available, 0, c.occurred_at from changes c"
    " cross join (values (11, $3::uuid, null, 5), (12, null, 'outside', -5))"
    " as l (line, account_id, role, available)"
)
DAMAGES = {
    "the amount that left": damage(
        scenarios.swap,
        f"update transfers set source_units = source_units * 2 {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the amount that arrived": damage(
        scenarios.offramp,
        f"update transfers set destination_units = destination_units / 2,"
        " details = details || jsonb_build_object('destination_units', destination_units / 2)"
        f" {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the amounts, as facts that a later quote would give": damage(
        scenarios.offramp_approved,
        ", told as (update changes set facts = facts || '{\"source_units\": 7}'"
        f" {CHANGE} and facts ? 'source_units')"
        " update transfers set source_units = 7, facts = facts || '{\"source_units\": 7}'"
        f" {RECORD}",
        *(JOURNALS, EFFECT),
    ),
    "the asset": damage(
        scenarios.transfer,
        "update transfers set source_asset = 'usdt:POLYGON', destination_asset = 'usdt:POLYGON'"
        f" {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the owner": damage(
        scenarios.offramp,
        f"update transfers set user_id = (select w.user_id from wallets w join accounts a"
        f" on a.wallet_id = w.id and a.id = $3) {RECORD}",
        OPENED,
    ),
    "the owner of a deposit": damage(
        scenarios.wallet_deposit, f"update transfers set user_id = $3 {RECORD}", OPENED
    ),
    "the request id": damage(
        scenarios.batch, f"update transfers set request_id = $3 {RECORD}", OPENED
    ),
    "the kind": damage(
        scenarios.transfer_refused,
        f", told as (update changes set kind = 'WALLET.TRANSFER.BATCH' {CHANGE})"
        f" update transfers set kind = 'WALLET.TRANSFER.BATCH' {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the payee": damage(
        scenarios.swap,
        "update transfers set details = details"
        f" || jsonb_build_object('destination_account_id', $3) {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the payee, and no digest any more": damage(
        scenarios.swap,
        f", told as (update changes set creation_digest = null {CHANGE})"
        " update transfers set details = details"
        f" || jsonb_build_object('destination_account_id', $3) {RECORD}",
        *(JOURNALS, EFFECT),
    ),
    "the fee": damage(
        scenarios.swap,
        f"update transfers set details = details || '{{\"fee_units\": 0}}' {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the fees of beneficiaries": damage(
        scenarios.offramp,
        f"update transfers set details = jsonb_set(details, '{{fees}}', '[]') {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "a detail that can't be read": damage(
        scenarios.bridge,
        f"update transfers set details = details - 'source_account_id' {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
    "the digest": damage(
        scenarios.micro_deposit,
        f"update changes set creation_digest = decode('00', 'hex') {CHANGE}",
        OPENED,
    ),
    "a transfer that is said to have failed": damage(
        scenarios.transfer,
        f", told as (update changes set status_after = 'FAILED' {CHANGE}"
        " and status_after = 'COMPLETED')"
        f" update transfers set status = 'FAILED' {RECORD}",
        *(JOURNALS, EFFECT),
    ),
    "a swap that is said to be done": damage(
        scenarios.failed_swap,
        f", told as (update changes set status_after = 'COMPLETED' {CHANGE}"
        " and status_after = 'FAILED')"
        f" update transfers set status = 'COMPLETED' {RECORD}",
        *(JOURNALS, EFFECT),
    ),
    "what arrived, as a fact": damage(
        scenarios.onramp_of_another_amount,
        ", told as (update changes set facts = facts || '{\"received_units\": 1}'"
        f" {CHANGE} and facts ? 'received_units')"
        f" update transfers set facts = facts || '{{\"received_units\": 1}}' {RECORD}",
        JOURNALS,
    ),
    "that coins were taken, as a fact": damage(
        scenarios.offramp_not_paid,
        ", told as (update changes set facts = facts || '{\"is_processed\": false}'"
        f" {CHANGE} and facts ? 'is_processed')"
        f" update transfers set facts = facts || '{{\"is_processed\": false}}' {RECORD}",
        JOURNALS,
    ),
    "a credit of another account": damage(
        scenarios.wallet_deposit,
        f"update entries set account_id = $3 {ENTRY} and account_id is not null",
        *(JOURNALS, EFFECT),
    ),
    "a refund of another account": damage(
        scenarios.offramp_not_paid,
        f"update entries set account_id = $3 {ENTRY} and account_id is not null"
        " and seq = (select max(seq) from entries where org_id = $1 and transfer_id = $2)",
        *(JOURNALS, EFFECT),
    ),
    "a hold of another account": damage(
        scenarios.transfer,
        f"update entries set account_id = $3 {ENTRY} and seq = 1",
        *(JOURNALS, EFFECT, ENDED),
    ),
    "a fee as liquidity": damage(
        scenarios.onramp,
        f"update entries set role = 'liquidity' {ENTRY} and role = 'fees'",
        *(JOURNALS, EFFECT),
    ),
    "fiat in transit as liquidity": damage(
        scenarios.offramp,
        f"update entries set role = 'liquidity' {ENTRY} and role = 'in_transit' and available < 0",
        *(JOURNALS, EFFECT, ENDED),
    ),
    "all amounts halved": damage(
        scenarios.batch,
        f"update entries set available = available / 2, held = held / 2 {ENTRY}",
        *(JOURNALS, EFFECT),
    ),
    "a hold that was never released": damage(
        scenarios.transfer_refused,
        f"delete from entries {ENTRY} and seq > 1",
        *(JOURNALS, EFFECT, ENDED),
    ),
    "half a journal": damage(
        scenarios.swap,
        f"delete from entries {ENTRY} and asset = 'usdt:POLYGON'",
        *(JOURNALS, EFFECT),
    ),
    "no journal at all": damage(
        scenarios.bridge, f"delete from entries {ENTRY}", *(JOURNALS, EFFECT)
    ),
    "a journal too many": damage(
        scenarios.offramp_rejected,
        f"{ADD} where c.org_id = $1 and c.object_id = $2 and c.seq = 1",
        *(JOURNALS, EFFECT),
    ),
    "a journal of a quote": damage(
        scenarios.open_swap,
        f"{ADD} where c.org_id = $1 and c.object_id = $2 and c.seq = 1",
        *(JOURNALS, EFFECT),
    ),
    "a larger hold of what waits": damage(
        scenarios.waiting_transfer,
        f"update entries set available = available * 2, held = held * 2 {ENTRY}",
        *(JOURNALS, EFFECT),
    ),
    "a journal of another change": damage(
        scenarios.onramp,
        ", later as (select seq, occurred_at from changes where org_id = $1 and object_id = $2"
        " order by seq desc limit 1) update entries e set seq = l.seq, line = e.line + 10,"
        " occurred_at = l.occurred_at from later l where e.org_id = $1 and e.transfer_id = $2"
        " and e.seq = (select min(seq) from entries where org_id = $1 and transfer_id = $2)",
        JOURNALS,
    ),
    "parts of a settlement rule": damage(
        scenarios.virtual_deposit,
        f"update transfers set details = jsonb_set(details, '{{parts}}', '[]') {RECORD}",
        *(OPENED, JOURNALS, EFFECT),
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
async def test_audit_reports_an_altered_record(world: World, name: str) -> None:
    scenario, statement, checks = DAMAGES[name]
    record_id = await scenario(world)
    try:
        assert (await world.audit()).is_clean
        args = (world.org.org_id, record_id, world.others["usdc:POLYGON"])
        await world.damage(statement, *args)
        await _check_named(world, record_id, checks)
    finally:
        await world.forget()


async def test_audit_reports_both_exchanged_records(world: World) -> None:
    first, second = await scenarios.transfer(world), await scenarios.batch(world)
    third = await scenarios.transfer_rejected(world)
    statement = """
    update transfers t
    set details = o.details, source_units = o.source_units, destination_units = o.destination_units,
        user_id = o.user_id
    from transfers o
    where t.org_id = $1 and o.org_id = $1 and t.id = any ($2::uuid[]) and o.id = any ($2::uuid[])
        and o.id <> t.id
    """
    try:
        await world.damage(statement, world.org.org_id, [first, third])
        assert OPENED in await world.names(first)
        assert OPENED in await world.names(third)
        assert await world.names(second) == set()
    finally:
        await world.forget()


async def test_audit_reports_exchanged_entries_for_both_records(world: World) -> None:
    first, second = await scenarios.swap(world), await scenarios.swap_to_another(world)
    statement = """
    update entries e
    set transfer_id = o.id, occurred_at = c.occurred_at
    from transfers o
    join changes c on c.org_id = o.org_id and c.object_id = o.id and c.seq = 4
    where e.org_id = $1 and o.org_id = $1 and e.transfer_id = any ($2::uuid[])
        and o.id = any ($2::uuid[]) and o.id <> e.transfer_id
    """

    try:
        # A line's key contains its record, so one statement may not exchange two lines.
        await world.database.rows("alter table entries drop constraint entries_pkey")
        await world.damage(statement, world.org.org_id, [first, second])
        for record_id in (first, second):
            await _check_named(world, record_id, {JOURNALS, EFFECT})
    finally:
        await world.forget()


CORRECTION_DAMAGES = {
    "half of it": f"update entries set available = available / 2 {ENTRY}",
    "another account": f"update entries set account_id = $3 {ENTRY} and available > 0"
    " and account_id is not null",
    "another change": f"update transfers set request = request || '{{\"seqs\": [1]}}' {RECORD}",
    "another record": "update transfers set request = request ||"
    f" jsonb_build_object('transfer', $3) {RECORD}",
}


@pytest.mark.parametrize("name", CORRECTION_DAMAGES)
async def test_audit_reports_an_altered_correction(world: World, name: str) -> None:
    record_id = await scenarios.swap(world)
    correction_id = await world.correct(record_id, 4)
    try:
        assert (await world.audit()).is_clean
        checks_cte = "with given as (select $1::uuid, $2::uuid, $3::uuid) "
        args = (world.org.org_id, correction_id, world.others["usdc:POLYGON"])
        await world.damage(checks_cte + CORRECTION_DAMAGES[name], *args)
        await _check_named(world, correction_id, {CORRECTED})
    finally:
        await world.forget()


async def test_audit_reports_a_correction_of_an_advanced_record(world: World) -> None:
    record_id = await scenarios.swap(world)
    correction_id = await world.correct(record_id, 4)
    # As if a completed swap could continue and return.
    statement = f"""
    with given as (select $1::uuid, $2::uuid), moved as (
        update transfers set version = 5 {RECORD}
    )
    insert into changes (
        org_id, object_id, seq, kind, change_type, status_before, status_after, actor,
        occurred_at, is_settled, batch
    )
    select org_id, object_id, 5, kind, 'reopen', 'COMPLETED', 'COMPLETED', actor, occurred_at,
        true, batch
    from changes {CHANGE} and seq = 4
    """
    try:
        await world.damage(statement, world.org.org_id, record_id)
        audited = await world.audit()
        sentences = [each.sentence for each in audited.findings if each.key == str(correction_id)]
        assert sentences == ["the WALLET.SWAP was corrected at version 4, and is now at 5"]
        await world.correct(correction_id, 1)
        audited = await world.audit()
        assert not [each for each in audited.findings if each.check == CORRECTED]
    finally:
        await world.forget()


async def test_audit_reports_a_second_correction_of_a_journal(world: World) -> None:
    record_id = await scenarios.swap(world)
    first = await world.correct(record_id, 4)
    second = await world.correct(first, 1)
    # As if both had been posted for the record.
    statement = "update transfers set request = (select request from transfers where id = $3)"
    try:
        await world.damage(f"{statement} {RECORD}", world.org.org_id, second, first)
        named = await world.names(first) | await world.names(second)
        assert named == {CORRECTED}
    finally:
        await world.forget()


async def _check_named(world: World, record_id: UUID, checks: set[str]) -> None:
    assert await world.names(record_id) == checks, table(await world.audit())
