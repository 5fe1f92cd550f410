"""Ledger audit, printed by `landbridge check`: verifies every guarantee of the ledger.

An audit reads one snapshot, so it runs beside a live system and takes no locks. It keeps that
snapshot until it ends, which delays roll-ups and VACUUM; so the organisations of a large database
are audited one by one, each in its own snapshot. No guarantee spans two organisations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.ledger import audit_sizes_store, audit_store, end_audit_store
from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import HouseRole
from landbridge.ledger.record_audit import CHECKS, verify_records
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx

# People read the findings; the count beside them is exact.
FINDINGS_MAX = 20


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Finding of a check: one wrong row, identified by `key`."""

    check: str
    org_id: UUID
    key: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """Result of one check: the table it read, its row count, and the number of wrong rows."""

    name: str
    table_name: str
    rows: int
    wrong: int


@dataclass(frozen=True, slots=True)
class LedgerAudit:
    """Results of all checks, with at most `FINDINGS_MAX` findings each."""

    checks: Sequence[AuditCheck]
    findings: Sequence[AuditFinding]

    @property
    def is_clean(self) -> bool:
        """Return whether no check found a wrong row."""
        return not any(check.wrong for check in self.checks)


def checks_to_run(
    transitions_by_kind: Mapping[str, Transitions[Any]],
) -> list[tuple[str, str, str, tuple[Any, ...]]]:
    """Return the checks: (name, table, statement, arguments from $3 on)."""
    kinds = list(transitions_by_kind)
    edges = audit_store.edges(transitions_by_kind)
    ended = end_audit_store.terminal_statuses(transitions_by_kind)
    roles = [role.value for role in HouseRole]
    # Ordered by importance to the reader.
    return [
        ("every journal sums to zero", "entries", audit_store.JOURNALS, ()),
        ("every entry has its change and account", "entries", audit_store.ENTRIES, (roles,)),
        ("every balance is the sum of its entries", "accounts", audit_store.ACCOUNTS, ()),
        ("no wallet is below zero", "accounts", audit_store.BELOW_ZERO, ()),
        ("house accounts are rolled up right", "house_accounts", audit_store.ROLL_UPS, ()),
        ("every asset sums to zero", "accounts", audit_store.TOTALS, ()),
        ("every record matches its changes", "transfers", audit_store.RECORDS, (kinds,)),
        ("every fact matches the changes", "transfers", audit_store.FACTS, (kinds,)),
        ("every change follows the one before", "changes", audit_store.HISTORIES, (kinds,)),
        ("every change is a transition of its flow", "changes", audit_store.TRANSITIONS, edges),
        ("no terminal record holds money", "transfers", end_audit_store.ENDED, ended),
        ("every correction reverses a journal", "transfers", end_audit_store.CORRECTIONS, ()),
        ("no payment is ahead of its screening", "transfers", end_audit_store.SCREENED, ()),
        ("every change has its place in the log", "changes", audit_store.PLACES, ()),
        ("no watermark is ahead of its log", "changes", audit_store.WATERMARKS, ()),
    ]


async def audit(
    database: Database,
    transitions_by_kind: Mapping[str, Transitions[Any]],
    rules_by_kind: Mapping[str, AuditRules],
    *,
    org_id: UUID | None = None,
) -> LedgerAudit:
    """Verify the ledger of the whole database, or of one organisation.

    Records of a kind without rules are only compared with their creation digest; their journals
    are not recomputed.
    """

    async def work(tx: Tx) -> LedgerAudit:
        await audit_store.begin(tx)
        counts = await audit_store.counts(tx, org_id)
        checks: list[AuditCheck] = []
        findings: list[AuditFinding] = []
        for name, table_name, statement, args in checks_to_run(transitions_by_kind):
            found = await audit_store.find(tx, statement, org_id, FINDINGS_MAX, *args)
            checks.append(AuditCheck(name, table_name, counts[table_name], found.wrong))
            findings += [
                AuditFinding(name, row["org_id"], row["key"], row["sentence"]) for row in found.rows
            ]
        tally = await verify_records(
            tx, rules_by_kind, list(transitions_by_kind), org_id=org_id, limit=FINDINGS_MAX
        )
        for name in CHECKS:
            checks.append(AuditCheck(name, "transfers", counts["transfers"], tally.wrong[name]))
            findings += [AuditFinding(*each) for each in tally.found.get(name, [])]
        return LedgerAudit(checks, findings)

    return await database.transact(work)


async def organisation_sizes(database: Database, most: int) -> Mapping[UUID, int]:
    """Return all organisations with rows, the largest first, with their changes up to `most`."""

    async def work(tx: Tx) -> Mapping[UUID, int]:
        await audit_store.begin(tx)
        return await audit_sizes_store.sizes(tx, most)

    return await database.transact(work)


def merged(audits: Sequence[LedgerAudit]) -> LedgerAudit:
    """Return audits of different organisations, at least one of them, as one audit."""
    checks = [
        replace(each[0], rows=sum(it.rows for it in each), wrong=sum(it.wrong for it in each))
        for each in zip(*(audited.checks for audited in audits), strict=True)
    ]
    by_check: dict[str, list[AuditFinding]] = {check.name: [] for check in checks}
    for audited in audits:
        for finding in audited.findings:
            by_check[finding.check].append(finding)
    return LedgerAudit(
        checks, [each for found in by_check.values() for each in found[:FINDINGS_MAX]]
    )


def table(audited: LedgerAudit) -> str:
    """Format the checks as lines of text, followed by the findings."""
    width = max(len(check.name) for check in audited.checks)
    lines = [f"{'check':{width}}  {'rows checked':>26}  {'wrong':>7}"]
    lines += [
        f"{check.name:{width}}  {f'{check.rows:,} {check.table_name}':>26}  {check.wrong:>7,}"
        for check in audited.checks
    ]
    if audited.findings:
        lines.append("")
    lines += [
        f"{finding.check}: {finding.key} (organisation {finding.org_id}): {finding.sentence}"
        for finding in audited.findings
    ]
    return "\n".join(lines)
