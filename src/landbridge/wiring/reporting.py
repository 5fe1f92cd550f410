"""Reports: roll-ups, metrics, files, statements and schedules."""

from dataclasses import dataclass

from landbridge.reporting.deliveries import DeliveryTallies
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.files import Outgoing
from landbridge.reporting.metrics.calculating import Calculator
from landbridge.reporting.metrics.model import Sources
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.rollups.folding import Folding
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.zones import TimeZones
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.statements.service import Statements
from landbridge.wiring.people import People


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """What reports are made with."""

    rollups: Rollups
    folding: Folding
    time_zones: TimeZones
    delivery_tallies: DeliveryTallies
    calculator: Calculator
    saved_metrics: SavedMetrics
    outgoing: Outgoing
    exports: Exports
    statements: Statements
    report_schedules: ReportSchedules


def report(on: People) -> Reporting:
    """Wire what reads, and what keeps the roll-ups up."""
    database, clock = on.database, on.clock
    rollups, folding = Rollups(database), Folding(database, clock)
    tallies = DeliveryTallies(database)
    calculator = Calculator(Sources(rollups, tallies, on.users), clock)
    outgoing = Outgoing()
    exports = Exports(database, clock, calculator, outgoing)
    saved_metrics = SavedMetrics(database, clock, calculator)
    return Reporting(
        rollups=rollups,
        folding=folding,
        time_zones=TimeZones(database, clock, rollups, folding),
        delivery_tallies=tallies,
        calculator=calculator,
        saved_metrics=saved_metrics,
        outgoing=outgoing,
        exports=exports,
        statements=Statements(database, clock, on.users, on.wallets),
        report_schedules=ReportSchedules(
            *(database, clock, exports, saved_metrics), base_url=on.settings.base_url
        ),
    )
