"""Services of team members and their sign-in."""

from dataclasses import dataclass

from landbridge.app.settings import Settings
from landbridge.customers.team.links import MemberLinks
from landbridge.customers.team.login_rate_limit import LoginRateLimit
from landbridge.customers.team.mfa import Mfa
from landbridge.customers.team.passkeys import Passkeys, TeamCleanup
from landbridge.customers.team.passwords import PasswordHashes
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.mail.outbox import Outbox


@dataclass(frozen=True, kw_only=True)
class TeamServices:
    """Services of team members and their sign-in."""

    sessions: Sessions
    team: Team
    sign_in: SignIn
    mfa: Mfa
    passkeys: Passkeys
    team_cleanup: TeamCleanup


def build_team_services(
    settings: Settings, database: Database, clock: Clock, vault: Vault, outbox: Outbox
) -> TeamServices:
    """Wire these services; links and passkeys belong to the site at the base URL."""
    base_url, hashes = settings.base_url, PasswordHashes(settings.password_memory_kib)
    sessions, throttle = Sessions(database, clock, vault), LoginRateLimit(database, clock)
    links = MemberLinks(database, clock, outbox, vault, base_url=base_url)
    members = Team(
        database,
        clock,
        sessions=sessions,
        links=links,
        throttle=throttle,
        vault=vault,
        hashes=hashes,
    )
    passkeys = Passkeys(
        database,
        clock,
        members=members,
        sessions=sessions,
        throttle=throttle,
        base_url=base_url,
    )
    return TeamServices(
        sessions=sessions,
        team=members,
        sign_in=SignIn(
            database,
            clock,
            members=members,
            sessions=sessions,
            links=links,
            throttle=throttle,
            vault=vault,
            hashes=hashes,
        ),
        mfa=Mfa(
            database, clock, vault=vault, sessions=sessions, members=members, throttle=throttle
        ),
        passkeys=passkeys,
        team_cleanup=TeamCleanup(database, clock, passkeys, throttle, vault),
    )
