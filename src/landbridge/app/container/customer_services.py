"""Services of users: profiles, verification, wallets and bank accounts."""

from collections.abc import Sequence
from dataclasses import dataclass

from landbridge.app.container.adapters import identity, policy
from landbridge.app.container.base_services import BaseServices
from landbridge.app.container.registry import TRANSITIONS
from landbridge.customers.bank_accounts.account_lists import BankAccountLists
from landbridge.customers.bank_accounts.holder_screening import AccountRescreening, HolderScreening
from landbridge.customers.bank_accounts.metadata import AccountMetadata
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.chain_deposits.deposit_lists import DepositLists
from landbridge.customers.chain_operations.service import ChainMonitoring, ChainOperations
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.onboarding.document_uploads import DocumentUploads
from landbridge.customers.onboarding.form_service import FormVisits
from landbridge.customers.onboarding.service import KycLinks, erasing
from landbridge.customers.payee_verifications.service import PayeeVerifications
from landbridge.customers.revealed_numbers.service import RevealedNumbers
from landbridge.customers.team.login_rate_limit import LoginRateLimit
from landbridge.customers.travel_exchanges import service as travel_exchange_service
from landbridge.customers.travel_rule import service as travel_rule_service
from landbridge.customers.travel_rule.waiting import WaitingTransfers
from landbridge.customers.users.service import Leaving, Users
from landbridge.customers.users.terms import TermsOfService
from landbridge.customers.verification.announcements import ApplicationAnnouncements
from landbridge.customers.verification.cases import VerificationCases, VerificationEmails
from landbridge.customers.verification.provider_checks import VerificationSteps
from landbridge.customers.verification.provider_links import VerificationLinks
from landbridge.customers.verification.rescreening import Rescreening
from landbridge.customers.verification.reviews import KycReviews
from landbridge.customers.verification.service import Verification
from landbridge.customers.wallets.external_wallet_lists import ExternalWalletLists
from landbridge.ledger.record_queues import RecordQueues
from landbridge.payments.approvals import service as approvals_service
from landbridge.payments.incoming_payments import service as incoming_payments_service
from landbridge.payments.offramps.texts import TextArchive
from landbridge.payments.resolutions import service as resolutions_service
from landbridge.payments.rfis.service import Rfis
from landbridge.payments.transactions import notes
from landbridge.payments.virtual_accounts import service as virtual_accounts_service
from landbridge.payments.virtual_accounts.account_lists import VirtualAccountLists
from landbridge.platform.core.fields import field_values
from landbridge.platform.metadata import service as metadata_service
from landbridge.providers.identity.port import Identity
from landbridge.providers.sidecar.identity import ProviderIdentity
from landbridge.reporting.user_summaries import UserSummaries


@dataclass(frozen=True, kw_only=True)
class CustomerServices(BaseServices):
    """Services of users: profiles, verification, wallets and bank accounts."""

    users: Users
    terms: TermsOfService
    kyc_profiles: KycProfiles
    verification: Verification
    kyc_reviews: KycReviews
    rescreening: Rescreening
    application_announcements: ApplicationAnnouncements | None
    verification_links: VerificationLinks
    bank_accounts: BankAccounts
    account_rescreening: AccountRescreening
    account_metadata: AccountMetadata
    # Lists of an organisation, across its users.
    bank_account_lists: BankAccountLists
    virtual_account_lists: VirtualAccountLists
    external_wallet_lists: ExternalWalletLists
    deposit_lists: DepositLists
    user_summaries: UserSummaries
    payee_verifications: PayeeVerifications
    revealed_numbers: RevealedNumbers
    waiting_transfers: WaitingTransfers
    kyc_links: KycLinks
    form_visits: FormVisits
    document_uploads: DocumentUploads
    rfis: Rfis
    chain_operations: ChainOperations
    chain_monitoring: ChainMonitoring


def build_customer_services(on: BaseServices) -> CustomerServices:
    """Wire users, verification and bank accounts."""
    settings, database, vault, clock = on.settings, on.database, on.vault, on.clock
    rules, throttle = policy(settings), LoginRateLimit(database, clock)
    dossiers = KycProfiles(database, vault, on.files, clock, policy=rules, mode=settings.mode)
    cases = VerificationCases(database, vault, VerificationEmails(on.outbox))
    rfis, lists = Rfis(database, vault, on.files), BankAccountLists(database, vault)
    users = Users(
        *(database, on.wallets, vault, clock),
        policy=rules,
        transitions=TRANSITIONS,
        joined=[dossiers.begin],
        leaving=[dossiers.forget, cases.forget, rfis.forget, *_leaving(on)],
    )
    checker = _identity(on)
    verification = _verification(on, cases, users, dossiers, checker)
    terms = TermsOfService(database, vault, clock, version=settings.terms_version)
    provider_links = VerificationLinks(users, verification, checker)
    links = KycLinks(
        *(database, vault, users, on.outbox, clock), throttle=throttle, public_url=settings.base_url
    )
    visits = FormVisits(
        *(links, terms, users, dossiers),
        verification=verification,
        provider_links=provider_links,
        orgs=on.orgs,
        clock=clock,
        policy=rules,
    )
    operations, accounts = _chain_operations(on), _bank_accounts(on, users, verification)
    return CustomerServices(
        **field_values(on),
        users=users,
        terms=terms,
        kyc_profiles=dossiers,
        verification=verification,
        kyc_reviews=KycReviews(cases, users, on.screening, clock),
        rescreening=Rescreening(cases, on.screening, clock),
        application_announcements=_announcements(on, cases, checker),
        verification_links=provider_links,
        bank_accounts=accounts,
        account_rescreening=_account_rescreening(on),
        account_metadata=AccountMetadata(database),
        bank_account_lists=lists,
        virtual_account_lists=VirtualAccountLists(database),
        external_wallet_lists=ExternalWalletLists(database, vault),
        deposit_lists=DepositLists(database),
        user_summaries=UserSummaries(database, on.valuation, lists),
        payee_verifications=PayeeVerifications(database, accounts, on.rails, clock),
        revealed_numbers=RevealedNumbers(
            database, clock, users=users, kyc_profiles=dossiers, bank_accounts=accounts
        ),
        waiting_transfers=WaitingTransfers(RecordQueues(database, on.ledger), clock),
        kyc_links=links,
        form_visits=visits,
        document_uploads=DocumentUploads(links, dossiers, on.files, database),
        rfis=rfis,
        chain_operations=operations,
        chain_monitoring=ChainMonitoring(database, clock, operations),
    )


def _verification(
    on: BaseServices,
    cases: VerificationCases,
    users: Users,
    dossiers: KycProfiles,
    checker: Identity,
) -> Verification:
    checks = VerificationSteps(cases, checker, on.screening, on.clock, read_file=on.files.content)
    return Verification(
        on.database, cases, checks, users, dossiers, identity=checker, clock=on.clock
    )


def _identity(on: BaseServices) -> Identity:
    """Return who verifies users: the providers of routes, and for all others the settings."""
    others, providers = identity(on.settings), on.providers
    return others if providers is None else providers.verify_users(on.database, on.clock, others)


def _announcements(
    on: BaseServices, cases: VerificationCases, checker: Identity
) -> ApplicationAnnouncements | None:
    """Return what follows webhooks of identity providers; None without a providers file."""
    if not isinstance(checker, ProviderIdentity):
        return None
    return ApplicationAnnouncements(on.database, cases, checker, on.clock)


def _leaving(on: BaseServices) -> Sequence[Leaving]:
    """Return what erases a user's data in other packages."""
    return [
        *(on.limits.forget_accounts, approvals_service.forget, virtual_accounts_service.forget),
        *(
            incoming_payments_service.forget,
            resolutions_service.forget,
            metadata_service.delete_of_user,
        ),
        *(travel_rule_service.forget, travel_exchange_service.forget),
        *(notes.forget, TextArchive(on.database, on.vault, on.files).forget, erasing(on.vault)),
    ]


def _bank_accounts(on: BaseServices, users: Users, verification: Verification) -> BankAccounts:
    return BankAccounts(
        *(on.database, on.vault, on.clock),
        users=users,
        verified=verification,
        screening=on.screening,
    )


def _account_rescreening(on: BaseServices) -> AccountRescreening:
    return AccountRescreening(on.database, on.vault, HolderScreening(on.screening), on.clock)


def _chain_operations(on: BaseServices) -> ChainOperations:
    """Return the operations of connected chains; of none without a chains file."""
    return ChainOperations(
        on.database,
        on.wallets,
        on.clock,
        {} if on.evm is None else on.evm.connected,
        orgs=on.orgs,
    )
