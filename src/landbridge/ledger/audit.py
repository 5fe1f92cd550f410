"""Ledger audit, printed by `landbridge check`: verifies every guarantee of the ledger.

An audit reads one snapshot, so it runs beside a live system and takes no locks. It keeps that
snapshot until it ends, which delays roll-ups and VACUUM; so the organisations of a large database
are audited one by one, each in its own snapshot. No guarantee spans two organisations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.ledger import audit_sizes_store, audit_store
from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import HouseRole
from landbridge.ledger.record_audit import CHECKS, verify_records
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx

# Parameters as in audit_store: $1 an organisation, or null for all; $2 the maximum number of rows.
# Finds records in a terminal status that still hold money or have money in transit. Journals of a
# record's corrections, and of their corrections in turn, count with the record's own. $3 and $4 are
# the terminal kinds and statuses. Cycles of corrections end the recursion, because union removes
# duplicate rows.
ENDED = """
with recursive correction as (
    select org_id, id, request ->> 'transfer' as corrected
    from transfers
    where kind = 'LEDGER.CORRECTION' and (org_id = $1 or $1::uuid is null)
), corrected as (
    select org_id, id, corrected
    from correction
    union
    select d.org_id, d.id, c.corrected
    from corrected d
    join correction c on c.org_id = d.org_id and c.id::text = d.corrected
), ended as (
    select t.org_id, t.id, t.kind, t.status
    from transfers t
    where (t.org_id = $1 or $1::uuid is null)
        and (t.kind, t.status) in (select * from unnest($3::text[], $4::text[]))
        and t.kind <> 'LEDGER.CORRECTION'
), member as (
    select org_id, id as root_id, id
    from ended
    union all
    select e.org_id, e.id, d.id
    from corrected d
    join ended e on e.org_id = d.org_id and e.id::text = d.corrected
), waiting as (
    select org_id, transfer_id, account_id, asset, held as units
    from entries
    where held <> 0 and (org_id = $1 or $1::uuid is null)
    union all
    select org_id, transfer_id, null, asset, available
    from entries
    where role = 'in_transit' and (org_id = $1 or $1::uuid is null)
), stuck as (
    select m.org_id, m.root_id, w.account_id, w.asset, sum(w.units) as units
    from member m
    join waiting w on w.org_id = m.org_id and w.transfer_id = m.id
    group by m.org_id, m.root_id, w.account_id, w.asset
    having sum(w.units) <> 0
)
select s.org_id, s.root_id::text as key, count(*) over () as wrong,
    case
        when s.account_id is null
            then format('the %s is %s, and has %s of %s in transit', e.kind, e.status, s.units,
                s.asset)
        else format('the %s is %s, and holds %s of %s on account %s', e.kind, e.status, s.units,
            s.asset, s.account_id)
    end as sentence
from stuck s
join ended e on e.org_id = s.org_id and e.id = s.root_id
limit $2
"""

# Compares each correction with the journals it references. `seqs` are the numbers of changes; older
# corrections have a single number, `seq`. A corrected record keeps its version, unless the
# correction was itself corrected since; older corrections name no version.
CORRECTIONS = """
with correction as (
    select t.org_id, t.id, t.request ->> 'transfer' as corrected, s.seq
    from transfers t
    cross join lateral jsonb_array_elements_text(
        case
            when jsonb_typeof(t.request -> 'seqs') = 'array' then t.request -> 'seqs'
            else jsonb_build_array(t.request -> 'seq')
        end
    ) as s (seq)
    where t.kind = 'LEDGER.CORRECTION' and (t.org_id = $1 or $1::uuid is null)
), line as (
    select t.org_id, t.id, e.account_id, e.role, e.asset, e.available, e.held
    from transfers t
    join entries e on e.org_id = t.org_id and e.transfer_id = t.id
    where t.kind = 'LEDGER.CORRECTION' and (t.org_id = $1 or $1::uuid is null)
    union all
    select c.org_id, c.id, e.account_id, e.role, e.asset, e.available, e.held
    from correction c
    join entries e on e.org_id = c.org_id and e.transfer_id::text = c.corrected
        and e.seq::text = c.seq
), differing as (
    select org_id, id, coalesce(account_id::text, role) as account, asset,
        sum(available) as available, sum(held) as held
    from line
    group by org_id, id, account_id, role, asset
    having sum(available) <> 0 or sum(held) <> 0
), named as (
    select c.org_id, c.corrected, c.seq, min(c.id::text) as id, count(*) as corrections
    from correction c
    group by c.org_id, c.corrected, c.seq
)
select org_id, key, count(*) over () as wrong, sentence
from (
    select org_id, id::text as key,
        format('the correction and what it corrects together move %s (held %s) of %s %s',
            available, held, account, asset) as sentence
    from differing
    union all
    select org_id, id, format('change %s of %s has %s corrections', seq, corrected, corrections)
    from named
    where corrections > 1
    union all
    select c.org_id, c.id::text,
        format('change %s of %s, which it corrects, has no journal', c.seq, c.corrected)
    from correction c
    left join entries e on e.org_id = c.org_id and e.transfer_id::text = c.corrected
        and e.seq::text = c.seq
    where e.org_id is null
    union all
    select c.org_id, c.id::text,
        format('the %s was corrected at version %s, and is now at %s', t.kind,
            c.details ->> 'version', t.version)
    from transfers c
    join transfers t on t.org_id = c.org_id and t.id::text = c.request ->> 'transfer'
    left join transfers d on d.org_id = c.org_id and d.kind = 'LEDGER.CORRECTION'
        and d.request ->> 'transfer' = c.id::text
    where c.kind = 'LEDGER.CORRECTION' and (c.org_id = $1 or $1::uuid is null)
        and d.id is null and t.version::text <> c.details ->> 'version'
) as wrongs
limit $2
"""

# Finds completed payments with a destination that its screening has not released. A payment that
# people have resolved is left out: they may have confirmed it, or redirected a refund.
SCREENED = """
select s.org_id, s.id::text as key, count(*) over () as wrong,
    format('the %s %s is completed, and its screening is %s', p.kind, p.id, s.status) as sentence
from transfers s
join transfers p on p.org_id = s.org_id and p.id::text = s.details ->> 'transfer_id'
where s.kind = 'PAYMENT.SCREENING' and (s.org_id = $1 or $1::uuid is null)
    and s.status in ('IN_SCREENING', 'HELD', 'REJECTED') and p.status = 'COMPLETED'
    and not exists (
        select from transfers r
        where r.org_id = s.org_id and r.kind = 'RESOLUTION' and r.status = 'COMPLETED'
            and r.details ->> 'transfer_id' = s.details ->> 'transfer_id'
    )
limit $2
"""

# People read the findings; the exact count is printed beside them.
FINDINGS_MAX = 20


def terminal_statuses(
    transitions_by_kind: Mapping[str, Transitions[Any]],
) -> tuple[list[str], list[str]]:
    """Return every terminal (kind, status), as columns."""
    pairs = [
        (kind, str(status))
        for kind, transitions in transitions_by_kind.items()
        for status in transitions.table
        if transitions.is_terminal(status)
    ]
    return [kind for kind, _ in pairs], [status for _, status in pairs]


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
    """Return the checks as (name, table, statement, arguments from $3 on)."""
    kinds = list(transitions_by_kind)
    edges = audit_store.edges(transitions_by_kind)
    ended = terminal_statuses(transitions_by_kind)
    roles = [role.value for role in HouseRole]
    # Ordered by importance to the reader, most important first.
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
        ("no terminal record holds money", "transfers", ENDED, ended),
        ("every correction reverses a journal", "transfers", CORRECTIONS, ()),
        ("no payment is ahead of its screening", "transfers", SCREENED, ()),
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
    """Return all organisations with rows, largest first; changes are counted up to `most`."""

    async def work(tx: Tx) -> Mapping[UUID, int]:
        await audit_store.begin(tx)
        return await audit_sizes_store.sizes(tx, most)

    return await database.transact(work)


def merged(audits: Sequence[LedgerAudit]) -> LedgerAudit:
    """Return audits of different organisations as one audit; at least one is required."""
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
