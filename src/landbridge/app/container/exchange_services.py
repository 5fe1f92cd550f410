"""Exchange of travel rule data with other providers: by TRP, or by a connected provider."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from landbridge.app.container.provider_services import ProviderServices
from landbridge.app.container.registry import TRANSITIONS
from landbridge.app.container.screening_services import check_travel_rule
from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.customers.travel_exchanges.deliveries import ExchangeDeliveries
from landbridge.customers.travel_exchanges.dispatcher import ExchangeDispatcher
from landbridge.customers.travel_exchanges.payments import TransferExchanges
from landbridge.customers.travel_exchanges.provider_inbox import ProviderInbox
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
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.travel_vasps import ProviderVasps
from landbridge.providers.trp.client import TrpClient
from landbridge.providers.trp.port import OtherVasps
from landbridge.sandbox.simulated_vasp import SimulatedVasp


@dataclass(frozen=True, kw_only=True)
class ExchangeServices:
    """Settings of the travel rule, and exchanges with other providers."""

    travel_rule: TravelRule
    # None where the installation does not apply it.
    travel_rule_checks: TravelRuleChecks | None
    travel_exchanges: TravelExchanges
    exchange_dispatcher: ExchangeDispatcher
    vasp_messages: VaspMessages
    # Messages of others at the connected provider; None without one.
    provider_inbox: ProviderInbox | None
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
    on: tuple[Database, Clock],
    by: tuple[OtherVasps | None, ProviderServices | None],
) -> ExchangeServices:
    """Wire the exchange of travel rule data; tests hand in other providers.

    Raises `SettingsInvalid` for a connected provider where the travel rule is not applied.
    """
    (database, clock), (vasps, providers) = on, by
    client = None if providers is None else providers.travel_rule
    if client is not None and settings.travel_rule != "on":
        raise SettingsInvalid(
            f"the providers file has travel_rule of {client.name}, and LANDBRIDGE_TRAVEL_RULE is "
            "not on: switch it on, or leave travel_rule out"
        )
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
    if providers is not None:
        exchanges = replace(exchanges, provider_of=providers.rails.routes.travel_provider)
    connected: Mapping[str, SidecarClient] = {} if providers is None else providers.clients
    deliveries = ExchangeDeliveries(
        *(exchanges, vasps, ledger, TRANSITIONS),
        providers={name: ProviderVasps(each) for name, each in connected.items()},
    )
    messages = VaspMessages(exchanges, deliveries, settings.trp_proxy_secret)
    transfers = TransferExchanges(exchanges, travel_rule, ledger, allows_loopback)
    return ExchangeServices(
        travel_rule=travel_rule,
        travel_rule_checks=check_travel_rule(
            settings, database, vault, orgs, clock, exchanges=transfers
        ),
        travel_exchanges=exchanges,
        exchange_dispatcher=ExchangeDispatcher(deliveries),
        vasp_messages=messages,
        provider_inbox=_inbox(providers, messages),
        simulated_vasp=SimulatedVasp(settings.mode, vasps, settings.base_url),
        vasp_egress=egress,
    )


def _inbox(providers: ProviderServices | None, messages: VaspMessages) -> ProviderInbox | None:
    client = None if providers is None else providers.travel_rule
    if providers is None or client is None:
        return None
    poll_s = providers.rails.routes.sidecars[client.name].poll_s
    return ProviderInbox(client.name, client, messages, timedelta(seconds=poll_s))
