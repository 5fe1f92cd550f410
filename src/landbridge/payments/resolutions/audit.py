"""Audit rules of resolutions, which post nothing; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep
from landbridge.ledger.model import Posting, Transfer


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a step: none."""
    del step
    return {}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a resolution: nothing."""
    del record, statuses
    return []


RULES = AuditRules(journals, effect)
