"""Provable books of all organisations."""

from dataclasses import dataclass
from datetime import timedelta

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.reporting.proofs.export import BooksExport
from landbridge.reporting.proofs.sequencer import Sequencer
from landbridge.reporting.proofs.verification import BooksVerifier


@dataclass(frozen=True, slots=True)
class Proofs:
    """Services of provable books."""

    sequencer: Sequencer
    verifier: BooksVerifier
    export: BooksExport

    @classmethod
    def over(
        cls, database: Database, vault: Vault, clock: Clock, checkpoint_every: timedelta
    ) -> "Proofs":
        """Return the services over a database."""
        sequencer = Sequencer(database, vault, clock, checkpoint_every)
        return cls(sequencer, BooksVerifier(database, vault), BooksExport(sequencer))
