"""Provable books of all organisations."""

from dataclasses import dataclass

from landbridge.reporting.proofs.export import BooksExport
from landbridge.reporting.proofs.segments import BookSegments
from landbridge.reporting.proofs.sequencer import Sequencer
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.transfer_proofs import TransferProofs
from landbridge.reporting.proofs.verification import BooksVerifier


@dataclass(frozen=True, slots=True)
class Proofs:
    """Services of provable books."""

    sequencer: Sequencer
    signing: CheckpointSigning
    verifier: BooksVerifier
    export: BooksExport
    segments: BookSegments
    transfers: TransferProofs
