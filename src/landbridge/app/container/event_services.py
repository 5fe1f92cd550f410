"""Services of events and their deliveries."""

from dataclasses import dataclass

from landbridge.app.container.coin_flows import CoinFlows
from landbridge.app.container.offramps import OfframpServices
from landbridge.app.container.onramps import OnrampServices
from landbridge.app.container.reporting import ReportingServices
from landbridge.developers.events.payloads.accounts import AccountPayloads
from landbridge.developers.events.payloads.people import UserPayloads
from landbridge.developers.events.payloads.records import TransferPayloads
from landbridge.developers.events.payloads.reports import ReportPayloads
from landbridge.developers.events.payloads.travel_rule import TravelRulePayloads
from landbridge.developers.events.service import Events
from landbridge.developers.webhooks.deliveries import Deliveries
from landbridge.developers.webhooks.delivery.dispatcher import Dispatcher
from landbridge.developers.webhooks.delivery.partitions import Partitions
from landbridge.developers.webhooks.delivery.scripted_outcomes import ScriptedDeliveries
from landbridge.developers.webhooks.delivery.serialization import WorkerDependencies
from landbridge.developers.webhooks.flags import EndpointFlags
from landbridge.developers.webhooks.payloads import EndpointPayloads
from landbridge.developers.webhooks.service import Endpoints
from landbridge.platform.db.clock_check import ClockCheck
from landbridge.platform.http.egress import Egress


@dataclass(frozen=True, kw_only=True)
class EventServices:
    """Services of events and webhooks."""

    events: Events
    endpoints: Endpoints
    deliveries: Deliveries
    partitions: Partitions
    dispatcher: Dispatcher
    egress: Egress


def build_event_services(
    on: CoinFlows,
    offramps: OfframpServices,
    onramps: OnrampServices,
    reporting: ReportingServices,
) -> EventServices:
    """Wire events and their delivery."""
    settings, database, clock, vault = on.settings, on.database, on.clock, on.vault
    egress = Egress(allows_loopback=settings.allows_loopback_webhooks)
    events = _events(on, offramps, onramps, reporting)
    endpoints = Endpoints(
        database=database,
        vault=vault,
        clock=clock,
        egress=egress,
        base_url=settings.base_url,
    )
    partitions = Partitions(database=database, clock=clock, retention=settings.event_retention)
    flags = EndpointFlags(
        database=database,
        vault=vault,
        clock=clock,
        outbox=on.outbox,
        admin=settings.admin_email,
        base_url=settings.base_url,
    )
    deps = WorkerDependencies(
        database=database,
        clock=clock,
        events=events,
        endpoints=endpoints,
        egress=egress,
        scripted_deliveries=ScriptedDeliveries(on.scripted_outcomes),
        flags=flags,
        partitions=partitions,
        clock_check=ClockCheck(database, clock),
    )
    return EventServices(
        events=events,
        endpoints=endpoints,
        deliveries=Deliveries(database=database, clock=clock, events=events, endpoints=endpoints),
        partitions=partitions,
        dispatcher=Dispatcher(deps=deps),
        egress=egress,
    )


def _events(
    on: CoinFlows,
    offramps: OfframpServices,
    onramps: OnrampServices,
    reporting: ReportingServices,
) -> Events:
    database = on.database
    records = TransferPayloads(
        database=database,
        deposits=on.wallet_deposits,
        approvals=on.approvals,
        wallet_transfers=on.wallet_transfers,
        offramps=offramps.offramps,
        onramp_reply_contexts=onramps.onramp_reply_contexts,
    )
    people = UserPayloads(
        database=database,
        vault=on.vault,
        users=on.users,
        wallets=on.wallets,
        terms=on.terms,
        kyc_profiles=on.kyc_profiles,
        verification=on.verification,
        links=on.kyc_links,
    )
    accounts = AccountPayloads(
        database=database,
        vault=on.vault,
        accounts=on.bank_accounts,
        virtual_accounts=on.virtual_accounts,
    )
    return Events(
        database=database,
        clock=on.clock,
        deposits=on.wallet_deposits,
        payload_builders={
            **records.families(),
            **people.families(),
            **accounts.families(),
            **TravelRulePayloads(on.ledger).families(),
            **ReportPayloads(reporting.report_schedules, on.settings.base_url).families(),
            **EndpointPayloads(database, on.vault).families(),
        },
        retention=on.settings.event_retention,
    )
