"""A migration keeps the previous version working, whose processes still run during it."""

import pytest

from landbridge.platform.db.migrate import migrations
from tests.platform.db.migration_rules import find_breaks
from tests.sources import report

# The first migration after those that create the schema of 0.1.0.
FIRST = 25
# (migration, break): why the version before still works, or why that does not matter.
ALLOWED: dict[tuple[int, str], str] = (
    {
        (33, f"treasury_deposits: add constraint treasury_deposits_{name}_check"): (
            "it allows all that the constraint allowed that it replaces"
        )
        for name in ("status", "transfer_id")
    }
    | {
        (50, f"incoming_payments: add constraint incoming_payments_{name}_check"): (
            "it allows all that the constraint allowed that it replaces"
        )
        for name in ("status", "due_at")
    }
    | {
        (38, "approvals: add constraint approvals_carried_from_check"): (
            "it is about a new column, which the version before leaves null"
        )
    }
    | {
        (46, "recon_differences: add constraint recon_differences_status_check"): (
            "it allows all that the constraint allowed that it replaces"
        )
    }
    | {
        (46, f"recon_differences: add constraint recon_differences_{name}_check"): (
            "it is about new columns, which the version before leaves null"
        )
        for name in ("proposed_by", "accepted_by")
    }
    | {
        (73, "recon_differences: add constraint recon_differences_kind_check"): (
            "it allows all that the constraint allowed that it replaces"
        )
    }
    | {
        (58, "chain_orders: add constraint chain_orders_action_check"): (
            "it is about a new column, which the version before leaves at its default"
        ),
        (58, "chain_orders: add constraint chain_orders_legs_check"): (
            "of transfers, which alone the version before writes, it demands what the constraint "
            "demanded that it replaces"
        ),
        (58, "chain_orders: create unique index chain_orders_message_key"): (
            "it is about a new column, which the version before leaves null"
        ),
        (60, "chain_orders: add constraint chain_orders_action_check"): (
            "it allows all that the constraint allowed that it replaces"
        ),
        (60, "chain_orders: add constraint chain_orders_swap_check"): (
            "it is about new columns, which the version before leaves null, and about an action "
            "that it does not write"
        ),
    }
    | {
        (76, finding): (
            "every statement of the version before on the log fails from here on, until its "
            "processes have noticed and ended: a change without a batch would be read by nobody"
        )
        for finding in (
            "report_deltas: drop view",
            "changes: rename",
            "changes: alter column batch type",
            "house_rollups: alter column rolled_up_to type",
            "report_builds: alter column rolled_up_to type",
            "webhook_endpoints: rename",
            "webhook_endpoints: alter column read_place type",
            "webhook_deliveries: rename",
            "webhook_deliveries: alter column place type",
            "proof_trees: rename",
            "proof_trees: alter column read_place type",
            "proof_blocks: rename",
            "proof_blocks: alter column first_place type",
            "recon_cursors: rename",
            "recon_cursors: alter column opened_place type",
            "recon_cursors: alter column read_place type",
            "recon_sources: rename",
            "recon_sources: alter column read_place type",
        )
    }
)


def test_migration_removes_nothing_that_the_previous_version_uses() -> None:
    found = {
        (each.number, finding): f"{each.number:04} {each.name}: {finding}"
        for each in migrations()
        if each.number >= FIRST
        for finding in find_breaks(each.sql)
    }
    findings = [text for key, text in found.items() if key not in ALLOWED]
    rule = (
        "The version before still writes while this is applied. Give a new column a default or "
        "let it be null for one version; drop, rename and tighten one version later. Or say in "
        "ALLOWED why nothing breaks:"
    )
    assert not findings, report(rule, findings)
    stale = sorted(str(key) for key in ALLOWED.keys() - found.keys())
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("alter table a add column b text", []),
        ("alter table a add column b text null", []),
        ("alter table a add column b text not null default 'not null'", []),
        ("ALTER TABLE a ADD b text NOT NULL", ["a: add column b without a default"]),
        (
            "alter table if exists only a add column if not exists b text not null default null",
            ["a: add column b without a default"],
        ),
        ("alter table a add column b numeric(9, 8) not null default 0, add c int", []),
        (
            "alter table a add column b numeric(9, 8) default 0, add c int not null",
            ["a: add column c without a default"],
        ),
        ("alter table a add b bigint not null generated always as identity", []),
        ("alter table a add b int primary key", ["a: add column b without a default"]),
        ("create table a (b int not null); alter table a add c int not null", []),
        ("create table if not exists a (b int); alter table a drop column b", []),
        ("alter table a drop column b, drop column if exists c", [
            "a: drop column b", "a: drop column c",
        ]),
        ("alter table a rename b to c", ["a: rename"]),
        ("alter table a rename to b", ["a: rename"]),
        ("alter index a_idx rename to b_idx", ["a_idx: rename"]),
        ("drop table if exists a", ["a: drop table"]),
        ("alter table a alter column b set not null", ["a: alter column b set not null"]),
        ("alter table a alter b drop default", ["a: alter column b drop default"]),
        ("alter table a alter b drop not null", ["a: alter column b drop not null"]),
        ("alter table a alter b type bigint", ["a: alter column b type"]),
        ("alter table a alter b set data type bigint", ["a: alter column b set data type"]),
        ("alter table a alter b set default 1", []),
        ("alter table a add constraint a_b_check check (b > 0)", ["a: add constraint a_b_check"]),
        ("alter table a add unique (b, c)", ["a: add constraint unique"]),
        ("alter table a drop constraint a_b_check", []),
        ("alter table a drop constraint a_b_key", ["a: drop constraint a_b_key"]),
        ("create unique index a_b_key on a (b)", ["a: create unique index a_b_key"]),
        ("create table a (b int); create unique index a_b_key on a (b)", []),
        ("create index a_b_idx on a (b); drop index a_c_idx", []),
        ("drop index a_b_key", ["a_b_key: drop index"]),
        ("-- drop table a;\n/* drop table b; */ update a set b = 'drop table c;'", []),
        ("insert into a values ('it''s; drop table b')", []),
        ("alter table a set (fillfactor = 70)", []),
    ],
)  # fmt: skip
def test_incompatible_statements_are_found(sql: str, found: list[str]) -> None:
    assert find_breaks(f"{sql};\n") == found


def test_the_first_set_only_creates() -> None:
    first_set = [each for each in migrations() if each.number < FIRST]
    assert len(first_set) == FIRST - 1
    assert [each.name for each in first_set if find_breaks(each.sql)] == []
