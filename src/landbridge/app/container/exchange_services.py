"""Exchange of travel rule data with other providers: the Travel Rule Protocol."""

from dataclasses import dataclass

from landbridge.app.container.registry import TRANSITIONS
from landbridge.app.container.screening_services import check_travel_rule
from landbridge.app.settings import Settings
from landbridge.customers.travel_exchanges.deliveries import ExchangeDeliveries
from landbridge.customers.travel_exchanges.dispatcher import ExchangeDispatcher
from landbridge.customers.travel_exchanges.payments import TransferExchanges
from landbridge.customers.travel_exchanges.service import TravelExchanges
from landbridge.customers.travel_exchanges.vasp_messages import VaspMessages
from landbridge.customers.travel_rule.checks import TravelRuleChecks
from landbridge.customers.travel_rule.service import TravelRule
from landbridge.customers.users.records import UserRecords
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.egress import Egress
from landbridge.platform.http.trusted_certificates import client_certificates
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.trp.client import TrpClient
from landbridge.providers.trp.port import OtherVasps
from landbridge.sandbox.simulated_vasp import SimulatedVasp


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeServices:
    """Settings of the travel rule, and exchanges with other providers."""

    travel_rule: TravelRule
    # None where the installation does not apply it.
    travel_rule_checks: TravelRuleChecks | None
    travel_exchanges: TravelExchanges
    transfer_exchanges: TransferExchanges
    exchange_dispatcher: ExchangeDispatcher
    vasp_messages: VaspMessages
    # Answers inquiries in a sandbox; refuses in production.
    simulated_vasp: SimulatedVasp
    # To other providers, with our certificate if there is one.
    vasp_egress: Egress


def exchange_with_vasps(
    settings: Settings,
    wallets: Wallets,
    ledger: Ledger,
    vault: Vault,
    orgs: Orgs,
    *,
    database: Database,
    clock: Clock,
    vasps: OtherVasps | None,
) -> ExchangeServices:
    """Wire the exchange of travel rule data; tests hand in other providers."""
    allows_loopback = settings.allows_loopback_webhooks
    certificate = settings.trp_certificate
    egress = Egress(
        allows_loopback=allows_loopback,
        tls=None if certificate is None else client_certificates(certificate),
    )
    vasps = vasps or TrpClient(egress)
    travel_rule = TravelRule(
        *(database, vault, UserRecords(vault), clock),
        is_enforced=settings.travel_rule == "on",
        allows_loopback=allows_loopback,
    )
    exchanges = TravelExchanges(database, vault, wallets, orgs, clock, settings.base_url)
    deliveries = ExchangeDeliveries(exchanges, vasps, ledger, TRANSITIONS)
    transfers = TransferExchanges(exchanges, travel_rule, ledger, allows_loopback)
    return ExchangeServices(
        travel_rule=travel_rule,
        travel_rule_checks=check_travel_rule(
            settings, database, vault, orgs, clock, exchanges=transfers
        ),
        travel_exchanges=exchanges,
        transfer_exchanges=transfers,
        exchange_dispatcher=ExchangeDispatcher(deliveries),
        vasp_messages=VaspMessages(exchanges, deliveries, settings.trp_proxy_secret),
        simulated_vasp=SimulatedVasp(settings.mode, vasps, settings.base_url),
        vasp_egress=egress,
    )
