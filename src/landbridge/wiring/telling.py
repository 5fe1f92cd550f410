"""What is told to the outside: events, and their deliveries."""

from dataclasses import dataclass

from landbridge.changes.horizon import Horizon
from landbridge.events.portraits.accounts import AccountPortraits
from landbridge.events.portraits.people import PeoplePortraits
from landbridge.events.portraits.records import RecordPortraits
from landbridge.events.portraits.reports import ReportPortraits
from landbridge.events.service import Events
from landbridge.web.outbound import Outbound
from landbridge.webhooks.deliveries import Deliveries
from landbridge.webhooks.delivering.forced import ForcedDeliveries
from landbridge.webhooks.delivering.packing import Office
from landbridge.webhooks.delivering.partitions import Partitions
from landbridge.webhooks.delivering.postman import Postman
from landbridge.webhooks.flags import Flags
from landbridge.webhooks.portraits import EndpointPortraits
from landbridge.webhooks.service import Endpoints
from landbridge.wiring.coins import Coins
from landbridge.wiring.offramps import PayingOut
from landbridge.wiring.onramps import TakingIn
from landbridge.wiring.reporting import Reporting


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Events of everything that happens, and webhooks."""

    events: Events
    endpoints: Endpoints
    deliveries: Deliveries
    partitions: Partitions
    postman: Postman
    outbound: Outbound
    horizon: Horizon


def tell(on: Coins, paying_out: PayingOut, taking_in: TakingIn, reporting: Reporting) -> Telling:
    """Wire events, and who delivers them."""
    settings, database, clock, vault = on.settings, on.database, on.clock, on.vault
    outbound = Outbound(allows_loopback=settings.allows_loopback_webhooks)
    events = _events(on, paying_out, taking_in, reporting)
    endpoints = Endpoints(
        database=database,
        vault=vault,
        clock=clock,
        outbound=outbound,
        base_url=settings.base_url,
    )
    partitions = Partitions(database=database, clock=clock, kept=settings.events_kept)
    flags = Flags(
        database=database,
        vault=vault,
        clock=clock,
        outbox=on.outbox,
        admin=settings.admin_email,
        base_url=settings.base_url,
    )
    office = Office(
        database=database,
        clock=clock,
        events=events,
        endpoints=endpoints,
        outbound=outbound,
        forced=ForcedDeliveries(on.forcing),
        flags=flags,
        partitions=partitions,
    )
    return Telling(
        events=events,
        endpoints=endpoints,
        deliveries=Deliveries(database=database, clock=clock, events=events, endpoints=endpoints),
        partitions=partitions,
        postman=Postman(office=office),
        outbound=outbound,
        horizon=Horizon(database),
    )


def _events(on: Coins, paying_out: PayingOut, taking_in: TakingIn, reporting: Reporting) -> Events:
    database = on.database
    records = RecordPortraits(
        database=database,
        deposits=on.deposits,
        approvals=on.approvals,
        wallet_transfers=on.wallet_transfers,
        offramps=paying_out.offramps,
        onramp_backgrounds=taking_in.backgrounds,
    )
    people = PeoplePortraits(
        database=database,
        vault=on.vault,
        users=on.users,
        wallets=on.wallets,
        terms=on.terms,
        dossiers=on.dossiers,
        verification=on.verification,
        links=on.links,
    )
    accounts = AccountPortraits(
        database=database,
        vault=on.vault,
        accounts=on.accounts,
        virtual_accounts=on.virtual_accounts,
    )
    return Events(
        database=database,
        clock=on.clock,
        deposits=on.deposits,
        portraits={
            **records.families(),
            **people.families(),
            **accounts.families(),
            **ReportPortraits(reporting.report_schedules, on.settings.base_url).families(),
            **EndpointPortraits(database, on.vault).families(),
        },
        kept=on.settings.events_kept,
    )
