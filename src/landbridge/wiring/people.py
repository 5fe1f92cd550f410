"""Users, and all that is known of them."""

from dataclasses import dataclass

from landbridge.accounts import service as accounts_service
from landbridge.accounts.service import Accounts
from landbridge.approvals import service as approvals_service
from landbridge.flows.offramps.texts import TextArchive
from landbridge.flows.resolutions import service as resolutions_service
from landbridge.kyc.service import Dossiers
from landbridge.onboarding.service import Links, erasing
from landbridge.onboarding.uploading import Uploading
from landbridge.onboarding.visits import Visits
from landbridge.receipts import service as receipts_service
from landbridge.rfis.service import Rfis
from landbridge.users.service import Users
from landbridge.users.terms import Terms
from landbridge.verification.cases import Cases
from landbridge.verification.checks import Checks
from landbridge.verification.letters import Letters
from landbridge.verification.rescreening import Rescreening
from landbridge.verification.reviews import Reviews
from landbridge.verification.service import Verification
from landbridge.virtual_accounts import service as virtual_accounts_service
from landbridge.wiring.adapters import identity, policy
from landbridge.wiring.foundation import Foundation, members
from landbridge.wiring.kinds import MOVES


@dataclass(frozen=True, slots=True, kw_only=True)
class People(Foundation):
    """Users, and all that is known of them."""

    users: Users
    terms: Terms
    dossiers: Dossiers
    verification: Verification
    reviews: Reviews
    rescreening: Rescreening
    accounts: Accounts
    links: Links
    visits: Visits
    uploading: Uploading
    rfis: Rfis


def know_people(on: Foundation) -> People:
    """Wire users, verification and bank accounts."""
    settings, database, vault, clock = on.settings, on.database, on.vault, on.clock
    rules = policy(settings)
    dossiers = Dossiers(database, vault, on.files, clock, policy=rules, mode=settings.mode)
    cases = Cases(database, vault, Letters(on.outbox))
    rfis = Rfis(database, vault, on.files)
    users = Users(
        database,
        on.wallets,
        vault,
        clock,
        policy=rules,
        moves=MOVES,
        joined=[dossiers.begin],
        leaving=[
            *(dossiers.forget, cases.forget, accounts_service.forget, approvals_service.forget),
            *(rfis.forget, virtual_accounts_service.forget, receipts_service.forget),
            resolutions_service.forget,
            *(TextArchive(database, vault, on.files).forget, erasing(vault)),
        ],
    )
    checker = identity(settings)
    checks = Checks(cases, checker, on.screening, clock, read_file=on.files.content)
    verification = Verification(
        database, cases, checks, users, dossiers, identity=checker, clock=clock
    )
    terms = Terms(database, vault, clock, version=settings.terms_version)
    links = Links(database, vault, users, on.outbox, clock, public_url=settings.base_url)
    visits = Visits(
        *(links, terms, users, dossiers),
        verification=verification,
        orgs=on.orgs,
        clock=clock,
        policy=rules,
    )
    return People(
        **members(on),
        users=users,
        terms=terms,
        dossiers=dossiers,
        verification=verification,
        reviews=Reviews(cases, users, on.screening, clock),
        rescreening=Rescreening(cases, on.screening, clock),
        accounts=Accounts(
            database, vault, clock, users=users, verified=verification, screening=on.screening
        ),
        links=links,
        visits=visits,
        uploading=Uploading(links, dossiers, on.files, database),
        rfis=rfis,
    )
