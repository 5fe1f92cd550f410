"""Corruptions of the ledger, and the findings that the audit must report for each."""
# ruff: noqa: S608  the statements are put together from constants of this file

from typing import NamedTuple

JOURNALS = "every journal sums to zero"
ENTRIES = "every entry has its change and account"
BALANCES = "every balance is the sum of its entries"
BELOW_ZERO = "no wallet is below zero"
ROLL_UPS = "house accounts are rolled up right"
TOTALS = "every asset sums to zero"
RECORDS = "every record matches its changes"
FACTS = "every fact matches the changes"
FOLLOWS = "every change follows the one before"
MOVED = "every change is a transition of its flow"
ENDED = "no terminal record holds money"
CORRECTED = "every correction reverses a journal"
PLACES = "every change has its place in the log"
WATERMARKS = "no watermark is ahead of its log"


class Corruption(NamedTuple):
    """Statement that corrupts the ledger; $1 the organisation, $2 its payment, $3 its account."""

    statement: str
    checks: set[str]  # exactly the checks that must report it
    whose: str  # "payment", "account", "org" or the key itself
    sentence: str  # part of the finding's sentence


def corruption(statement: str, checks: set[str], subject: str, sentence: str) -> Corruption:
    """Give every parameter its type, whether the statement uses it or not."""
    return Corruption(
        f"with given as (select $1::uuid, $2::uuid, $3::uuid) {statement}",
        checks,
        subject,
        sentence,
    )


ENTRY = "where org_id = $1 and transfer_id = $2"
CHANGE = "where org_id = $1 and object_id = $2"
RECORD = "where org_id = $1 and id = $2"
ACCOUNT = "where org_id = $1 and id = $3"
CORRUPTIONS = {
    "an entry one unit larger": corruption(
        f"update entries set available = available + 1 {ENTRY} and seq = 3 and line = 2",
        {JOURNALS, TOTALS},
        "payment",
        "sums to 1 of usdc:POLYGON",
    ),
    "an entry with its sign swapped": corruption(
        f"update entries set available = -available {ENTRY} and seq = 3 and line = 2",
        {JOURNALS, TOTALS},
        "payment",
        "sums to -14 of usdc:POLYGON",
    ),
    "an entry of another asset": corruption(
        f"update entries set asset = 'usdt:POLYGON' {ENTRY} and seq = 3 and line = 1",
        {JOURNALS, ENTRIES, ENDED},
        "payment",
        "moves usdt:POLYGON on account",
    ),
    "an entry deleted": corruption(
        f"delete from entries {ENTRY} and seq = 2",
        {BALANCES, ENDED},
        "account",
        "its entries sum to 90 and -7",
    ),
    "an entry of no change": corruption(
        f"update entries set seq = 4 {ENTRY} and seq = 3",
        {ENTRIES},
        "payment",
        "belongs to no change 4",
    ),
    "an entry of an account that does not exist": corruption(
        f"update entries set account_id = org_id {ENTRY} and seq = 2",
        {ENTRIES, BALANCES, ENDED},
        "payment",
        "which does not exist",
    ),
    "an entry of a role that is none": corruption(
        f"update entries set role = 'pocket' {ENTRY} and seq = 3 and line = 2",
        {ENTRIES},
        "payment",
        "pocket is no house account",
    ),
    "an entry of nobody": corruption(
        f"update entries set role = null {ENTRY} and seq = 3 and line = 2",
        {ENTRIES, TOTALS},
        "payment",
        "the entry is no house account",
    ),
    "an entry of two": corruption(
        f"update entries set role = 'fees' {ENTRY} and seq = 2 and line = 1",
        {ENTRIES, TOTALS},
        "payment",
        "moves both fees and account",
    ),
    "an entry of another moment": corruption(
        f"update entries set occurred_at = occurred_at + interval '1 us' {ENTRY} and seq = 3"
        f" and line = 2",
        {ENTRIES},
        "payment",
        "the entry is of",
    ),
    "a balance one unit larger": corruption(
        f"update accounts set available = available + 1 {ACCOUNT}",
        {BALANCES, TOTALS},
        "account",
        "has 84 available and 0 held of usdc:POLYGON, its entries sum to 83 and 0",
    ),
    "a balance of money out of held": corruption(
        f"update accounts set available = available - 1, held = held + 1 {ACCOUNT}",
        {BALANCES},
        "account",
        "has 82 available and 1 held",
    ),
    "a wallet below zero": corruption(
        f"update accounts set available = -1 {ACCOUNT}",
        {BALANCES, BELOW_ZERO, TOTALS},
        "account",
        "has -1 available",
    ),
    "held below zero": corruption(
        f"update accounts set held = -1 {ACCOUNT}",
        {BALANCES, BELOW_ZERO, TOTALS},
        "account",
        "-1 held",
    ),
    "an account deleted": corruption(
        f"delete from accounts {ACCOUNT}",
        {ENTRIES, TOTALS},
        "payment",
        "which does not exist",
    ),
    "a roll-up one unit larger": corruption(
        "update house_accounts set rolled_up_units = rolled_up_units + 1"
        " where org_id = $1 and role = 'fees'",
        {ROLL_UPS},
        "fees usdc:POLYGON",
        "the roll-up has 2, its entries sum to 1",
    ),
    "a roll-up lost": corruption(
        "delete from house_accounts where org_id = $1 and role = 'fees'",
        {ROLL_UPS},
        "fees usdc:POLYGON",
        "the roll-up has 0, its entries sum to 1",
    ),
    "a watermark that was moved back": corruption(
        "update house_rollups set rolled_up_to = '0' where org_id = $1",
        {ROLL_UPS},
        "fees usdc:POLYGON",
        "its entries sum to 0",
    ),
    "a watermark that skips entries": corruption(
        "update house_rollups r set rolled_up_to = l.last_place + 1"
        " from change_logs l where r.org_id = $1 and l.org_id = $1",
        {ROLL_UPS},
        "outside usdc:POLYGON",
        "the roll-up has -100, its entries sum to -93",
    ),
    "a watermark in the future": corruption(
        "update house_rollups set rolled_up_to = '999999999999' where org_id = $1",
        {ROLL_UPS, WATERMARKS},
        "house_rollups",
        "it is rolled up to 999999999999, and the log ends at",
    ),
    "a place above the last one": corruption(
        "update change_logs set last_place = 1 where org_id = $1",
        {WATERMARKS},
        "change_batches",
        "places go to 5, and the log ends at 1",
    ),
    "a sequence of numbers that was not restored": corruption(
        "select setval('change_batch_numbers', 1), $1::uuid",
        {WATERMARKS},
        "change_batches",
        "and their sequence has not got that far",
    ),
    "a batch that is missing": corruption(
        f"delete from change_batches where org_id = $1 and number ="
        f" (select batch from changes {CHANGE} and seq = 2)",
        {PLACES},
        "payment",
        "which does not exist",
    ),
    "places against the order of an object": corruption(
        f"update change_batches b set place = null where b.org_id = $1 and b.number ="
        f" (select batch from changes {CHANGE} and seq = 2)",
        {PLACES},
        "payment",
        "the change before it",
    ),
    "numbers against the order of an object, before they have places": corruption(
        f""", unplaced as (
            update change_batches set place = null where org_id = $1
        ) update changes c set batch = o.batch from (
            select object_id, seq, batch from changes {CHANGE}
        ) o where c.org_id = $1 and c.object_id = o.object_id and c.seq in (2, 3)
        and o.seq = 5 - c.seq""",
        {PLACES, ROLL_UPS},
        "payment",
        "the change before it",
    ),
    "a place that two batches have": corruption(
        f"update change_batches b set place = o.place from change_batches o"
        f" where b.org_id = $1 and o.org_id = $1 and o.number ="
        f" (select batch from changes {CHANGE} and seq = 2)"
        f" and b.number = (select batch from changes {CHANGE} and seq = 3)",
        {PLACES},
        "payment",
        "belongs to 2 batches",
    ),
    "a watermark of reports in the future": corruption(
        "insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)"
        " values ($1, 1, 'UTC', '999999999999', true, '2026-01-01Z')",
        {WATERMARKS},
        "report_builds",
        "it is rolled up to 999999999999, and the log ends at",
    ),
    "a fact that the record has not": corruption(
        f"""update changes set facts = '{{"reason": "x"}}' {CHANGE} and seq = 2""",
        {FACTS},
        "payment",
        "its changes have another reason than the record",
    ),
    "a fact that is not the last that was told": corruption(
        f""", told as (
            update changes set facts = jsonb_build_object('reason', seq, 'rate', 'null'::jsonb)
            {CHANGE} and seq > 1
        ) update transfers set facts = '{{"reason": 2, "rate": null, "attempts": 1}}' {RECORD}""",
        {FACTS},
        "payment",
        "its changes have another reason than the record",
    ),
    "a change that is missing": corruption(
        f"delete from changes {CHANGE} and seq = 2",
        {RECORDS, FOLLOWS, ENTRIES},
        "payment",
        "its 2 changes are numbered 1 to 3",
    ),
    "a record without changes": corruption(
        f"delete from changes {CHANGE}",
        {RECORDS, ENTRIES},
        "payment",
        "has no changes",
    ),
    "a record whose first change is missing": corruption(
        f"delete from changes {CHANGE} and seq = 1",
        {RECORDS, FOLLOWS},
        "payment",
        "its 2 changes are numbered 2 to 3",
    ),
    "a change too many": corruption(
        "insert into changes select org_id, object_id, 4, kind, change_type, 'SETTLED',"
        " 'SETTLED', actor,"
        f" facts, occurred_at, is_settled, batch from changes {CHANGE} and seq = 3",
        {RECORDS, MOVED},
        "payment",
        "the record is at version 3, its last change is 4",
    ),
    "a change told twice": corruption(
        f"insert into changes select * from changes {CHANGE} and seq = 2",
        {RECORDS},
        "payment",
        "its 4 changes are numbered 1 to 3",
    ),
    "a move that the flow does not know": corruption(
        f"update changes set status_before = 'OPEN' {CHANGE} and seq = 3",
        {MOVED, FOLLOWS},
        "payment",
        "may not go from OPEN to SETTLED",
    ),
    "a first change that starts nowhere": corruption(
        f"update changes set status_after = 'GONE' {CHANGE} and seq = 1",
        {MOVED, FOLLOWS},
        "payment",
        "may not go from nothing to GONE",
    ),
    "a later change from nothing": corruption(
        f"update changes set status_before = null {CHANGE} and seq = 2",
        {MOVED, FOLLOWS},
        "payment",
        "may not go from nothing to HELD",
    ),
    "a change to nothing": corruption(
        f"update changes set status_after = null {CHANGE} and seq = 3",
        {MOVED, RECORDS},
        "payment",
        "",
    ),
    "a change of a record that does not exist": corruption(
        f"update changes set object_id = org_id {CHANGE}",
        {FOLLOWS, RECORDS, ENTRIES},
        "org",
        "is of a TEST.PAYMENT that does not exist",
    ),
    "a status that no change made": corruption(
        f"update transfers set status = 'RETURNED' {RECORD}",
        {RECORDS},
        "payment",
        "the record is RETURNED, its last change set SETTLED",
    ),
    "a version that no change made": corruption(
        f"update transfers set version = 4 {RECORD}",
        {RECORDS},
        "payment",
        "the record is at version 4, its last change is 3",
    ),
    "another kind than its changes": corruption(
        f"update transfers set kind = 'OTHER' {RECORD}",
        {RECORDS},
        "payment",
        "no flow knows the kind OTHER",
    ),
    "a change of another kind": corruption(
        f"update changes set kind = 'OTHER' {CHANGE} and seq = 2",
        {RECORDS},
        "payment",
        "its changes are of OTHER",
    ),
    "a record deleted": corruption(
        f"delete from transfers {RECORD}",
        {FOLLOWS},
        "payment",
        "that does not exist",
    ),
    "another moment of creation": corruption(
        f"update transfers set created_at = created_at - interval '1 us' {RECORD}",
        {RECORDS},
        "payment",
        "the record was created at",
    ),
    "another moment of its last update": corruption(
        f"update transfers set updated_at = updated_at + interval '1 us' {RECORD}",
        {RECORDS},
        "payment",
        "the record was updated at",
    ),
    "a last change that does not rest": corruption(
        f"update changes set is_settled = false {CHANGE} and seq = 3",
        {RECORDS},
        "payment",
        "no cursor finds it",
    ),
}
