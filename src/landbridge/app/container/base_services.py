"""Base services: database, clock, encryption, files, ledger, providers, and travel rule."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from landbridge.app.container.adapters import chains as choose_chains
from landbridge.app.container.adapters import mail, sealer, storage
from landbridge.app.container.adapters import rails as choose_rails
from landbridge.app.container.evm_services import (
    EvmServices,
    build_evm_services,
    read_configured,
    wallet_tokens,
)
from landbridge.app.container.provider_services import ProviderServices, read_providers
from landbridge.app.container.rates import reference, valuation
from landbridge.app.container.registry import LIMITED, TRANSITIONS
from landbridge.app.container.screening_services import (
    PaymentChannels,
    ScreeningServices,
    check_travel_rule,
    find_payment_screenings,
    screen_deposits,
    screen_payments,
)
from landbridge.app.container.team_services import TeamServices, build_team_services
from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.customers.address_policies.service import AddressPolicies
from landbridge.customers.travel_exchanges.deliveries import ExchangeDeliveries
from landbridge.customers.travel_exchanges.dispatcher import ExchangeDispatcher
from landbridge.customers.travel_exchanges.payments import TransferExchanges
from landbridge.customers.travel_exchanges.provider_inbox import ProviderInbox
from landbridge.customers.travel_exchanges.service import TravelExchanges
from landbridge.customers.travel_exchanges.vasp_messages import VaspMessages
from landbridge.customers.travel_rule.checks import TravelRuleChecks
from landbridge.customers.travel_rule.service import TravelRule
from landbridge.customers.users.records import UserRecords
from landbridge.customers.wallets.deposits import WalletDeposits
from landbridge.customers.wallets.service import Wallets
from landbridge.customers.wallets.signing_keys import SigningKeys
from landbridge.developers.request_log.service import RequestLog
from landbridge.ledger.service import Ledger
from landbridge.payments.bank_files.file_writer import BankFileWriter
from landbridge.payments.bank_files.funding_accounts import FundingAccounts
from landbridge.payments.bank_files.payments import BankPayments
from landbridge.payments.bank_files.rails import FileRails
from landbridge.payments.limits.maintenance import LimitMaintenance
from landbridge.payments.limits.service import Limits
from landbridge.payments.limits.simulation import LimitSimulation
from landbridge.platform.audit_log.service import AuditLog
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.fields import field_values
from landbridge.platform.db.pool import Database
from landbridge.platform.db.wakeups import DueNotifier
from landbridge.platform.db.worker_shares import WorkerShare
from landbridge.platform.encryption.service import Vault
from landbridge.platform.files.service import Files
from landbridge.platform.http.egress import Egress
from landbridge.platform.http.trusted_certificates import client_certificates
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.platform.mail.mailbox import Mailbox
from landbridge.platform.mail.outbox import Outbox
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.service import Orgs
from landbridge.platform.rate_limits.service import RateLimits
from landbridge.providers.chains.halts import HaltedChains
from landbridge.providers.chains.port import Chains
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.rails.port import Rails
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.rates.valuation import Valuation
from landbridge.providers.screening.model import required_lists
from landbridge.providers.screening.service import Screening
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.travel_vasps import ProviderVasps
from landbridge.providers.sidecar.webhooks import ProviderWebhooks
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders, ScriptedOutcomes
from landbridge.providers.simulation.service import SimulatedState
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.trp.client import TrpClient
from landbridge.providers.trp.port import OtherVasps
from landbridge.reporting.reconciliation.listing import ReconHalts
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


@dataclass(frozen=True, kw_only=True)
class BaseServices(TeamServices, ScreeningServices, PaymentChannels, ExchangeServices):
    """Base services: database, clock, encryption, files, ledger and providers."""

    settings: Settings
    database: Database
    clock: Clock
    orgs: Orgs
    vault: Vault
    idempotency_keys: IdempotencyKeys
    files: Files
    screening: Screening
    address_policies: AddressPolicies
    outbox: Outbox
    # Closed in production.
    mailbox: Mailbox
    # Wakes the worker when something is due at once.
    due_notifier: DueNotifier
    # What this process works on, beside other workers.
    worker_share: WorkerShare = field(default_factory=WorkerShare)
    ledger: Ledger
    wallets: Wallets
    wallet_deposits: WalletDeposits
    # Scripted outcomes of the sandbox; unused in production.
    simulated_state: SimulatedState
    scripted_outcomes: ScriptedOutcomes
    # The chains of the chains file; None without one.
    evm: EvmServices | None
    # The providers of the providers file; None without one.
    providers: ProviderServices | None
    provider_webhooks: ProviderWebhooks
    # Set if the rails are bank files.
    funding_accounts: FundingAccounts
    bank_payments: BankPayments
    bank_file_writer: BankFileWriter
    limits: Limits
    request_log: RequestLog
    rate_limits: RateLimits
    audit_log: AuditLog
    limit_simulation: LimitSimulation
    limit_maintenance: LimitMaintenance
    reference_rates: ReferenceRates
    valuation: Valuation


def build_base_services(
    settings: Settings,
    database: Database,
    clock: Clock,
    *,
    chains: Chains | None = None,
    rails: Rails | None = None,
    vasps: OtherVasps | None = None,
) -> BaseServices:
    """Wire the services that need only settings, database and clock; tests hand in adapters."""
    vault, orgs = Vault(sealer(settings)), Orgs(database, clock, settings.mode)
    simulated_state, ledger = SimulatedState(database), Ledger(database, DueNotifier(database))
    networks, is_sandbox = read_configured(settings), settings.mode is Mode.SANDBOX
    scripted_outcomes = _scripted_outcomes(settings, database)
    scripted_orders = ScriptedOrders(simulated_state, scripted_outcomes)
    wallets = Wallets(database, ledger, vault, clock, tokens=wallet_tokens(*networks))
    address_policies = AddressPolicies(database, _screening(settings, database, clock), clock)
    evm = _evm(settings, networks, SigningKeys(database, vault, wallets), ledger, address_policies)
    own_accounts, bank_payments = FundingAccounts(database, vault), BankPayments(ledger)
    files = FileRails(database, vault, own_accounts, bank_payments)
    own_rails = rails or choose_rails(settings, scripted_orders, files)
    providers = read_providers(settings, vault, database, clock, own_rails, files)
    exchanges = exchange_with_vasps(
        *(settings, wallets, ledger, vault, orgs), on=(database, clock), by=(vasps, providers)
    )
    checks, inbox = exchanges.travel_rule_checks, exchanges.provider_inbox
    channels = screen_payments(
        find_payment_screenings(settings, providers, ledger, orgs, clock, travel_rule=checks),
        wallets,
        chains or choose_chains(settings, scripted_orders, database, clock, evm),
        own_rails if providers is None else providers.rails,
    )
    deposits = screen_deposits(settings, providers, database, vault, ledger, travel_rule=checks)
    outbox = Outbox(database, vault, clock, mail(settings), captures=is_sandbox)
    return BaseServices(
        **field_values(build_team_services(settings, database, clock, vault, outbox)),
        **field_values(deposits) | field_values(exchanges) | _halted(channels, database),
        settings=settings,
        database=database,
        clock=clock,
        orgs=orgs,
        vault=vault,
        screening=address_policies.screening,
        address_policies=address_policies,
        **_mail_services(database, vault, clock, outbox, is_sandbox=is_sandbox),
        due_notifier=ledger.notifier,
        ledger=ledger,
        wallets=wallets,
        wallet_deposits=WalletDeposits(database, ledger, wallets),
        simulated_state=simulated_state,
        scripted_outcomes=scripted_outcomes,
        evm=evm,
        providers=providers,
        provider_webhooks=_provider_webhooks(database, ledger, clock, providers, inbox),
        funding_accounts=own_accounts,
        bank_payments=bank_payments,
        **_request_services(settings, database, vault, clock),
        **_limit_services(database, vault, ledger, clock, own_accounts),
        **_rate_services(settings, database, clock),
    )


def _mail_services(
    database: Database, vault: Vault, clock: Clock, outbox: Outbox, *, is_sandbox: bool
) -> dict[str, Any]:
    mailbox = Mailbox(database, vault, clock, is_open=is_sandbox)
    return {"outbox": outbox, "mailbox": mailbox}


def _halted(channels: PaymentChannels, database: Database) -> dict[str, Any]:
    """Return the channels with chains on which payments wait while coins are missing."""
    chains = HaltedChains(channels.chains, ReconHalts(database))
    return field_values(replace(channels, chains=chains))


def _provider_webhooks(
    database: Database,
    ledger: Ledger,
    clock: Clock,
    providers: ProviderServices | None,
    inbox: ProviderInbox | None,
) -> ProviderWebhooks:
    if providers is None:
        return ProviderWebhooks(database, ledger, clock, None)
    return ProviderWebhooks(
        *(database, ledger, clock, providers.rails, providers.screener, providers.packages),
        note_exchange=None if inbox is None else inbox.note_webhook,
    )


def _scripted_outcomes(settings: Settings, database: Database) -> ScriptedOutcomes:
    is_sandbox = settings.mode is Mode.SANDBOX
    return ScriptedOutcomes(database, is_sandbox=is_sandbox, has_bank=settings.bank == "sandbox")


def _evm(
    settings: Settings,
    networks: tuple[Mapping[Network, EvmChain], SolanaChain | None],
    keys: SigningKeys,
    ledger: Ledger,
    screening: AddressPolicies,
) -> EvmServices | None:
    """Return the services of the connected chains; None without any."""
    signer = SignerClient(settings.signer_path)
    chains, solana = networks
    if not chains and solana is None:
        return None
    return build_evm_services(
        chains,
        screening.database,
        screening.clock,
        keys,
        signer,
        ledger=ledger,
        screening=screening,
        solana=solana,
    )


def _limit_services(
    database: Database, vault: Vault, ledger: Ledger, clock: Clock, accounts: FundingAccounts
) -> dict[str, Any]:
    """Return the limits, and what keeps to them beside the flows."""
    limits = Limits(database, vault, LIMITED)
    return {
        "limits": limits,
        "bank_file_writer": BankFileWriter(database, vault, accounts, clock, limits),
        "limit_simulation": LimitSimulation(database, ledger, limits),
        "limit_maintenance": LimitMaintenance(database, ledger, limits, clock),
    }


def _rate_services(settings: Settings, database: Database, clock: Clock) -> dict[str, Any]:
    rates = reference(settings, database, clock)
    return {"reference_rates": rates, "valuation": valuation(settings, rates)}


def _request_services(
    settings: Settings, database: Database, vault: Vault, clock: Clock
) -> dict[str, Any]:
    return {
        "idempotency_keys": IdempotencyKeys(database, vault, clock),
        "audit_log": AuditLog(database),
        "files": Files(
            database,
            vault,
            storage(settings),
            clock,
            bytes_per_org=settings.files_per_org_gb * 10**9,
        ),
        "request_log": RequestLog(database, clock, retention=settings.request_log_retention),
        "rate_limits": _request_rates(settings, database, clock),
    }


def _request_rates(settings: Settings, database: Database, clock: Clock) -> RateLimits:
    return RateLimits(
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
        required_lists=(
            required_lists(settings.screening_lists) if settings.mode is Mode.PRODUCTION else ()
        ),
    )
