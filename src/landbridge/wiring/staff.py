"""The organisation's own people, and how they sign in."""

from dataclasses import dataclass

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.mail.outbox import Outbox
from landbridge.members.links import MemberLinks
from landbridge.members.passkeys import Passkeys
from landbridge.members.second import SecondFactors
from landbridge.members.service import Members
from landbridge.members.sessions import Sessions
from landbridge.members.sign_in import SignIn
from landbridge.members.sweeping import MemberSweeping
from landbridge.members.throttle import Throttle
from landbridge.privacy.service import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Staff:
    """The organisation's own people, and how they sign in."""

    sessions: Sessions
    members: Members
    sign_in: SignIn
    second_factors: SecondFactors
    passkeys: Passkeys
    member_sweeping: MemberSweeping


def gather_staff(
    database: Database, clock: Clock, vault: Vault, outbox: Outbox, *, base_url: str
) -> Staff:
    """Wire members; links and passkeys are of the site at `base_url`."""
    sessions, throttle = Sessions(database, clock, vault), Throttle(database, clock)
    links = MemberLinks(database, clock, outbox, vault, base_url=base_url)
    members = Members(database, clock, sessions, links, vault)
    passkeys = Passkeys(
        database,
        clock,
        members=members,
        sessions=sessions,
        throttle=throttle,
        base_url=base_url,
    )
    return Staff(
        sessions=sessions,
        members=members,
        sign_in=SignIn(
            database, clock, members=members, sessions=sessions, links=links, throttle=throttle
        ),
        second_factors=SecondFactors(
            database, clock, vault=vault, sessions=sessions, members=members, throttle=throttle
        ),
        passkeys=passkeys,
        member_sweeping=MemberSweeping(database, clock, passkeys, throttle, vault),
    )
