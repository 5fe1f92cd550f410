"""What all the rest stands on."""

from dataclasses import dataclass, fields
from typing import Any

from landbridge.chains.port import Chains
from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.files.service import Files
from landbridge.ledger.service import Ledger
from landbridge.mail.outbox import Outbox
from landbridge.orgs.model import Mode
from landbridge.orgs.service import Orgs
from landbridge.privacy.service import Vault
from landbridge.rails.port import Rails
from landbridge.screening.service import Screening
from landbridge.settings import Settings
from landbridge.simulation.service import Memory
from landbridge.wallets.deposits import Deposits
from landbridge.wallets.service import Wallets
from landbridge.wiring.adapters import chains as choose_chains
from landbridge.wiring.adapters import mail, sealer, storage
from landbridge.wiring.adapters import rails as choose_rails


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What all the rest stands on."""

    settings: Settings
    database: Database
    clock: Clock
    orgs: Orgs
    vault: Vault
    files: Files
    screening: Screening
    outbox: Outbox
    ledger: Ledger
    wallets: Wallets
    deposits: Deposits
    # What the sandbox plays; in production it is never asked.
    memory: Memory
    chains: Chains
    rails: Rails


def lay_foundation(
    settings: Settings,
    database: Database,
    clock: Clock,
    *,
    chains: Chains | None = None,
    rails: Rails | None = None,
) -> Foundation:
    """Wire what needs nothing but settings, database and clock.

    Tests hand in chains and rails that fail; otherwise the mode picks them.
    """
    vault = Vault(sealer(settings))
    memory = Memory(database)
    ledger = Ledger(database)
    wallets = Wallets(database, ledger, vault, clock)
    return Foundation(
        settings=settings,
        database=database,
        clock=clock,
        orgs=Orgs(database, clock, settings.mode),
        vault=vault,
        files=Files(database, vault, storage(settings), clock),
        screening=Screening(
            database,
            clock,
            score_min=settings.screening_score,
            needs_list=settings.mode is Mode.PRODUCTION,
        ),
        outbox=Outbox(database, vault, clock, mail(settings)),
        ledger=ledger,
        wallets=wallets,
        deposits=Deposits(database, ledger, wallets),
        memory=memory,
        chains=chains or choose_chains(settings, memory),
        rails=rails or choose_rails(settings, memory),
    )


def members(of: Foundation) -> dict[str, Any]:
    """What is wired already, for the next storey."""
    return {each.name: getattr(of, each.name) for each in fields(of)}
