"""Planned steps of an offramp, for dry runs."""

from landbridge.ledger.model import Transfer, advanced_record
from landbridge.payments.engine.dry_run import NO_ACTOR, PlannedStep, journal_steps
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import OfframpStatus, as_offramp

# Placeholder for the transaction hash, because a dry run has no chain transaction.
_NO_HASH = ""


def planned_steps(record: Transfer) -> list[PlannedStep]:
    """List the steps after creation, with their postings, if the offramp completes."""
    at = record.created_at
    offramp = as_offramp(record)
    deduction = transitions.accepted(offramp, actor=NO_ACTOR, at=at, is_reviewed=False)
    if offramp.is_external:
        waiting = as_offramp(advanced_record(deduction))
        deduction = transitions.arrived(
            offramp=waiting,
            money=waiting.gross,
            chain_hash=_NO_HASH,
            actor=NO_ACTOR,
            at=at,
            is_reviewed=False,
        )
    ours = as_offramp(advanced_record(deduction))
    return [
        *journal_steps(deduction),
        PlannedStep(OfframpStatus.CRYPTO_PROCESSED, transitions.processed(ours)),
        PlannedStep(OfframpStatus.FIAT_INITIATED, transitions.payout_claimed(ours)),
        PlannedStep(OfframpStatus.COMPLETED, transitions.payout_done(ours)),
    ]
