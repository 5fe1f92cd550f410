"""How `landbridge check` verifies resolutions: they post nothing; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, Step
from landbridge.ledger.model import Posting, Transfer


def journals(step: Step) -> Journals:
    """Recompute the postings of a step: none."""
    del step
    return {}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a resolution has moved in all: nothing."""
    del record, statuses
    return []


RULES = AuditRules(journals, effect)
