"""The proofs that `landbridge check` prints: the books are what the ledger promises.

All of it is read in one snapshot, so it runs beside a live system and locks nothing. It does hold
that snapshot for as long as it takes, which keeps roll-ups and VACUUM waiting behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger import audit_store, end_audit_store
from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import Role
from landbridge.ledger.record_audit import CHECKS, verify_records

# A person reads these; the count beside them is exact.
FINDINGS_MAX = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One row that is wrong; `key` is how to find it."""

    check: str
    org_id: UUID
    key: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Check:
    """One proof: what was looked at, and how much of it is wrong."""

    name: str
    looked_at: str
    rows: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Audit:
    """All proofs, and at most twenty findings of each."""

    checks: Sequence[Check]
    findings: Sequence[Finding]

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return not any(check.wrong for check in self.checks)


def proofs(moves_by_kind: Mapping[str, Moves[Any]]) -> list[tuple[str, str, str, tuple[Any, ...]]]:
    """What is proven: (name, table looked at, statement, its arguments from $3 on)."""
    kinds = list(moves_by_kind)
    edges = audit_store.edges(moves_by_kind)
    ended = end_audit_store.ends(moves_by_kind)
    roles = [role.value for role in Role]
    # In the order in which a person would ask.
    return [
        ("every journal sums to zero", "entries", audit_store.JOURNALS, ()),
        ("every entry has its change and account", "entries", audit_store.ENTRIES, (roles,)),
        ("every balance is the sum of its entries", "accounts", audit_store.ACCOUNTS, ()),
        ("no wallet is below zero", "accounts", audit_store.BELOW_ZERO, ()),
        ("house accounts are rolled up right", "house_accounts", audit_store.ROLL_UPS, ()),
        ("every asset sums to zero", "accounts", audit_store.TOTALS, ()),
        ("every record is what its changes say", "transfers", audit_store.RECORDS, (kinds,)),
        ("every fact of a record is what was told", "transfers", audit_store.FACTS, (kinds,)),
        ("every change follows the one before", "changes", audit_store.HISTORIES, (kinds,)),
        ("every change is a move of its flow", "changes", audit_store.MOVES, edges),
        ("no record at an end holds money", "transfers", end_audit_store.ENDED, ended),
        ("every correction reverses a journal", "transfers", end_audit_store.CORRECTIONS, ()),
        ("no watermark is ahead of its time", "changes", audit_store.WATERMARKS, ()),
    ]


async def audit(
    database: Database,
    moves_by_kind: Mapping[str, Moves[Any]],
    rules_by_kind: Mapping[str, AuditRules],
    *,
    org_id: UUID | None = None,
) -> Audit:
    """Prove the books of the whole database, or of one organisation.

    Records of a kind without rules are compared with what they were opened as, and their journals
    are not recomputed.
    """

    async def work(tx: Tx) -> Audit:
        await audit_store.begin(tx)
        counts = await audit_store.counts(tx, org_id)
        checks: list[Check] = []
        findings: list[Finding] = []
        for name, table_name, statement, args in proofs(moves_by_kind):
            found = await audit_store.find(tx, statement, org_id, FINDINGS_MAX, *args)
            checks.append(Check(name, table_name, counts[table_name], found.wrong))
            findings += [
                Finding(name, row["org_id"], row["key"], row["sentence"]) for row in found.told
            ]
        tally = await verify_records(
            tx, rules_by_kind, list(moves_by_kind), org_id=org_id, limit=FINDINGS_MAX
        )
        for name in CHECKS:
            checks.append(Check(name, "transfers", counts["transfers"], tally.wrong[name]))
            findings += [Finding(*each) for each in tally.found.get(name, [])]
        return Audit(checks, findings)

    return await database.transact(work)


def table(audited: Audit) -> str:
    """The proofs as lines of text, and below them what is wrong."""
    width = max(len(check.name) for check in audited.checks)
    lines = [f"{'check':{width}}  {'rows looked at':>26}  {'wrong':>7}"]
    lines += [
        f"{check.name:{width}}  {f'{check.rows:,} {check.looked_at}':>26}  {check.wrong:>7,}"
        for check in audited.checks
    ]
    if audited.findings:
        lines.append("")
    lines += [
        f"{finding.check}: {finding.key} (organisation {finding.org_id}): {finding.sentence}"
        for finding in audited.findings
    ]
    return "\n".join(lines)
