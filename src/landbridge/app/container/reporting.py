"""Reports: roll-ups, metrics, files, statements and schedules."""

from dataclasses import dataclass

from landbridge.app.container.adapters import recorded_chains
from landbridge.app.container.customer_services import CustomerServices
from landbridge.app.container.registry import TRANSITIONS
from landbridge.customers.team.approval_emails import MemberEmails
from landbridge.payments.engine.timelines import Timelines
from landbridge.reporting.archive.service import MonthArchive
from landbridge.reporting.attention_counts import AttentionCounts
from landbridge.reporting.delivery_counts import DeliveryCounts
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.fee_statements import FeeStatements
from landbridge.reporting.file_downloads import FileDownloads
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.service import CustomTemplates
from landbridge.reporting.metrics.model import MetricSources
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.proofs.export import BooksExport
from landbridge.reporting.proofs.publication import CheckpointFolder
from landbridge.reporting.proofs.segments import BookSegments
from landbridge.reporting.proofs.sequencer import Sequencer
from landbridge.reporting.proofs.service import Proofs
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.transfer_proofs import TransferProofs
from landbridge.reporting.proofs.verification import BooksVerifier
from landbridge.reporting.reconciliation.bank_comparison import BankComparison
from landbridge.reporting.reconciliation.reserve_proofs import ReserveProofs
from landbridge.reporting.reconciliation.service import LedgerReconciliation
from landbridge.reporting.reserves.service import Reserves
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.time_zones import TimeZones
from landbridge.reporting.rollups.updater import RollupUpdater
from landbridge.reporting.schedules.emails import ReportEmails
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.statements.service import Statements


@dataclass(frozen=True, kw_only=True)
class ReportingServices:
    """Services of reporting."""

    rollups: Rollups
    attention_counts: AttentionCounts
    fee_statements: FeeStatements
    rollup_updater: RollupUpdater
    time_zones: TimeZones
    delivery_counts: DeliveryCounts
    custom_templates: CustomTemplates
    calculator: Calculator
    saved_metrics: SavedMetrics
    file_downloads: FileDownloads
    exports: Exports
    statements: Statements
    proofs: Proofs
    archive: MonthArchive
    reserve_proofs: ReserveProofs
    report_schedules: ReportSchedules
    reconciliation: LedgerReconciliation


def build_reporting_services(on: CustomerServices, timelines: Timelines) -> ReportingServices:
    """Create the reporting services."""
    database, clock = on.database, on.clock
    rollups, folding = Rollups(database), RollupUpdater(database, clock)
    time_zones = TimeZones(database, clock, rollups, folding)
    tallies = DeliveryCounts(database)
    custom_templates = CustomTemplates(database, clock)
    sources = MetricSources(database, rollups, tallies, on.users)
    calculator = Calculator(sources, clock, custom_templates)
    outgoing = FileDownloads()
    exports = Exports(database, clock, calculator, outgoing)
    saved_metrics = SavedMetrics(database, clock, calculator)
    proofs, reserves = _proofs(on), Reserves(database, on.vault)
    return ReportingServices(
        rollups=rollups,
        attention_counts=AttentionCounts(database, timelines),
        fee_statements=FeeStatements(database),
        rollup_updater=folding,
        time_zones=time_zones,
        delivery_counts=tallies,
        custom_templates=custom_templates,
        calculator=calculator,
        saved_metrics=saved_metrics,
        file_downloads=outgoing,
        exports=exports,
        statements=Statements(database, clock, on.users, on.wallets),
        proofs=proofs,
        archive=MonthArchive(database, clock, proofs.segments, TRANSITIONS),
        reserve_proofs=ReserveProofs(database, on.wallets, reserves, proofs.transfers),
        report_schedules=ReportSchedules(
            database=database,
            clock=clock,
            exports=exports,
            saved_metrics=saved_metrics,
            emails=ReportEmails(MemberEmails(on.outbox, on.vault), on.settings.base_url),
        ),
        reconciliation=LedgerReconciliation(
            database,
            on.ledger,
            on.wallets,
            recorded_chains(on.settings, on.simulated_state.movements, on.evm),
            on.team,
            time_zones,
            clock,
            reserves,
            on.settings.reconciliation_tolerance,
            on.settings.reconciliation_halt_above,
            BankComparison(database, on.funding_accounts) if on.settings.bank == "files" else None,
        ),
    )


def _proofs(on: CustomerServices) -> Proofs:
    sequencer = Sequencer(on.database, on.vault)
    signing = CheckpointSigning(
        database=on.database,
        vault=on.vault,
        clock=on.clock,
        every=on.settings.checkpoint_every,
        folder=CheckpointFolder(on.settings.checkpoints_folder),
    )
    return Proofs(
        sequencer=sequencer,
        signing=signing,
        verifier=BooksVerifier(on.database, on.vault),
        export=BooksExport(sequencer, signing),
        segments=BookSegments(sequencer, signing),
        transfers=TransferProofs(on.database, on.vault, on.wallets),
    )
