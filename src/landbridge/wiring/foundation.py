"""What all the rest stands on."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from landbridge.audit_log.service import AuditLog
from landbridge.bank_files.accounts import OwnAccounts
from landbridge.bank_files.payments import BankPayments
from landbridge.bank_files.rails import FileRails
from landbridge.bank_files.writing import Writer
from landbridge.chains.port import Chains
from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.files.service import Files
from landbridge.ledger.service import Ledger
from landbridge.limits.rehearsing import Rehearsing
from landbridge.limits.service import Limits
from landbridge.limits.upkeep import Upkeep
from landbridge.mail.mailbox import Mailbox
from landbridge.mail.outbox import Outbox
from landbridge.orgs.model import Mode
from landbridge.orgs.service import Orgs
from landbridge.privacy.service import Vault
from landbridge.rails.port import Rails
from landbridge.rates.reference import ReferenceRates
from landbridge.rates.valuation import Valuation
from landbridge.request_log.service import RequestLog
from landbridge.request_rates.service import RequestRates
from landbridge.screening.service import Screening
from landbridge.settings import Settings
from landbridge.simulation.forcing import Forcing
from landbridge.simulation.playing import Playing
from landbridge.simulation.service import Memory
from landbridge.wallets.deposits import Deposits
from landbridge.wallets.service import Wallets
from landbridge.wiring.adapters import chains as choose_chains
from landbridge.wiring.adapters import mail, sealer, storage
from landbridge.wiring.adapters import rails as choose_rails
from landbridge.wiring.kinds import LIMITED
from landbridge.wiring.rates import reference, valuation
from landbridge.wiring.staff import Staff, gather_staff

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation(Staff):
    """What all the rest stands on."""

    settings: Settings
    database: Database
    clock: Clock
    orgs: Orgs
    vault: Vault
    files: Files
    screening: Screening
    outbox: Outbox
    # In production it is never open.
    mailbox: Mailbox
    ledger: Ledger
    wallets: Wallets
    deposits: Deposits
    # What the sandbox plays; in production it is never asked.
    memory: Memory
    forcing: Forcing
    chains: Chains
    rails: Rails
    # Files that are exchanged with banks, where the rails are these.
    own_accounts: OwnAccounts
    bank_payments: BankPayments
    bank_writer: Writer
    limits: Limits
    request_log: RequestLog
    request_rates: RequestRates
    audit_log: AuditLog
    rehearsing: Rehearsing
    limit_upkeep: Upkeep
    reference_rates: ReferenceRates
    valuation: Valuation


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
    is_sandbox = settings.mode is Mode.SANDBOX
    forcing = Forcing(database, is_sandbox=is_sandbox, has_bank=settings.bank == "sandbox")
    playing = Playing(memory, forcing)
    ledger = Ledger(database)
    limits = Limits(database, LIMITED)
    wallets = Wallets(database, ledger, vault, clock)
    own_accounts, bank_payments = OwnAccounts(database, vault), BankPayments(ledger)
    files = FileRails(database, vault, own_accounts, bank_payments)
    rates = reference(settings, database, clock)
    outbox = Outbox(database, vault, clock, mail(settings), keeps=is_sandbox)
    return Foundation(
        **members(gather_staff(database, clock, vault, outbox, base_url=settings.base_url)),
        settings=settings,
        database=database,
        clock=clock,
        orgs=Orgs(database, clock, settings.mode),
        vault=vault,
        files=Files(database, vault, storage(settings), clock),
        screening=_screening(settings, database, clock),
        outbox=outbox,
        mailbox=Mailbox(database, vault, clock, is_open=is_sandbox),
        ledger=ledger,
        wallets=wallets,
        deposits=Deposits(database, ledger, wallets),
        memory=memory,
        forcing=forcing,
        chains=chains or choose_chains(settings, playing),
        rails=rails or choose_rails(settings, playing, files),
        own_accounts=own_accounts,
        bank_payments=bank_payments,
        bank_writer=Writer(database, vault, own_accounts, clock),
        limits=limits,
        audit_log=AuditLog(database),
        request_log=RequestLog(database, clock, kept=settings.request_log_kept),
        request_rates=_request_rates(settings, database, clock),
        rehearsing=Rehearsing(database, ledger, limits),
        limit_upkeep=Upkeep(database, ledger, limits, clock),
        reference_rates=rates,
        valuation=valuation(settings, rates),
    )


def _request_rates(settings: Settings, database: Database, clock: Clock) -> RequestRates:
    return RequestRates(
        database,
        clock,
        per_key=settings.rate_per_key,
        per_org=settings.rate_per_org,
        per_address=settings.rate_per_address,
        proxies=settings.proxies,
    )


def _screening(settings: Settings, database: Database, clock: Clock) -> Screening:
    return Screening(
        database,
        clock,
        score_min=settings.screening_score,
        needs_list=settings.mode is Mode.PRODUCTION,
    )


def members(of: "DataclassInstance") -> dict[str, Any]:
    """What is wired already, for the next storey."""
    return {each.name: getattr(of, each.name) for each in fields(of)}
