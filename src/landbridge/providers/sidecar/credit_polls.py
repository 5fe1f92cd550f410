"""Credits of connected providers: polls for them, and creates an incoming payment for each.

Guarantees:
- A credit makes one incoming payment, whatever is repeated, killed or run twice: a page and the
  cursor after it are stored in one transaction, and only if no other worker has moved the cursor.
- A credit that can't be credited becomes a problem for a person, and does not delay later credits.
- An answer that is invalid as a whole moves nothing. The provider is asked again for fewer credits:
  payers write the texts, and fifty long ones may not fit into an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, Unavailable, Unclear
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.sidecar import account_store, credit_store
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.credit_store import PollClaim
from landbridge.providers.sidecar.credits import (
    CreditEntry,
    CreditProblem,
    GivenAccount,
    ProviderCreditPage,
    StoredCredit,
    decide_credit,
)
from landbridge.providers.sidecar.model import AnswerUnusable
from landbridge.providers.sidecar.protocol import CREDITS_MAX, ProviderCredit

_log = structlog.stdlib.get_logger()

# Pages, and time, after which a poll ends even if the provider has more credits.
PAGES_MAX = 100
_POLL_MAX = timedelta(seconds=10)


class AcceptedCredit(NamedTuple):
    """Valid credit on an account that the provider has given us."""

    provider: str
    message: ProviderCredit
    account: GivenAccount
    money: Money


class CreditReceiver(Protocol):
    """Creates incoming payments."""

    async def receive_credit(
        self, tx: Tx, credit: AcceptedCredit, clock_offset: timedelta
    ) -> UUID | None:
        """Create the incoming payment of a credit, or find it, and return its id.

        Runs in the caller's transaction. Returns None if the credit has an incoming payment with
        another amount or account.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderCredits:
    """Polls the providers of a providers file for credits, for all organisations."""

    database: Database
    receiver: CreditReceiver
    clock: Clock
    routes: ProvidersFile
    providers: Mapping[str, SidecarClient]
    # Providers for which this process has stored a cursor.
    _known: set[str] = field(default_factory=set[str])
    # Maximum credits of the next page, after an answer that could not be parsed.
    _limits: dict[str, int] = field(default_factory=dict[str, int])

    async def run_once(self, name: str, offsets: Mapping[UUID, timedelta]) -> bool:
        """Read a provider's new credits, if its poll is due; return whether there may be more.

        Providers named by routes are polled, and all that were ever polled.
        """
        began = self.clock.now()
        if name not in self._known and name in {each.provider for each in self.routes.deposits}:
            await self.database.single(lambda tx: credit_store.add_cursor(tx, name, began))
        self._known.add(name)
        every = timedelta(seconds=self.routes.sidecars[name].poll_s)
        poll = await self.database.single(
            lambda tx: credit_store.claim(tx, name, now=began, next_at=began + every)
        )
        pages = 0
        while poll is not None and pages < PAGES_MAX and self.clock.now() - began < _POLL_MAX:
            page = await self._page(poll)
            poll = None if page is None else await self._store(poll, page, offsets)
            pages += 1
        return False

    async def _page(self, poll: PollClaim) -> ProviderCreditPage | None:
        """Return the next page; None if the provider does not answer, or its answer is invalid."""
        limit = self._limits.pop(poll.provider, CREDITS_MAX)
        try:
            return await self.providers[poll.provider].credits(poll.cursor, limit)
        except AnswerUnusable as error:
            if await self.database.transact(
                lambda tx: credit_store.set_unusable(tx, poll.provider)
            ):
                _log.warning("provider.problem", provider=poll.provider, reason=str(error))
        except Unavailable as error:
            _log.debug("provider.unanswered", provider=poll.provider, reason=str(error))
            return None
        except Unclear as error:
            _log.debug("provider.unanswered", provider=poll.provider, reason=str(error))
        self._limits[poll.provider] = max(limit // 2, 1)
        return None

    async def _store(
        self, poll: PollClaim, page: ProviderCreditPage, offsets: Mapping[UUID, timedelta]
    ) -> PollClaim | None:
        """Store a page; return the next poll, None after the last page or if another was faster."""

        async def work(tx: Tx) -> list[StoredCredit] | None:
            if not await credit_store.move_cursor(tx, poll, page.next, self.clock.now()):
                return None
            return await self._store_in(tx, poll.provider, page, offsets)

        problems = await self.database.transact(work)
        for each in problems or ():
            _log.warning(
                "provider.problem",
                provider=each.provider,
                credit=each.credit_id,
                reason=each.problem,
            )
        if problems is None or page.next is None:
            return None
        return PollClaim(poll.provider, page.next)

    async def _store_in(
        self, tx: Tx, provider: str, page: ProviderCreditPage, offsets: Mapping[UUID, timedelta]
    ) -> list[StoredCredit]:
        """Store new or changed credits of a page; return the ones with a new problem."""
        ids = {*page.reversed, *(each.id for each in page.credits)}
        numbers = {each.message.account_number for each in page.credits if each.message}
        known = dict(await credit_store.find(tx, provider, ids))
        accounts = await account_store.of_provider(tx, provider, numbers)
        problems: list[StoredCredit] = []
        for credit_id in page.reversed:
            found = known.get(credit_id) or _new(provider, credit_id, self.clock.now())
            known[credit_id] = replace(found, problem=CreditProblem.REVERSED)
            if known[credit_id] != found:
                await credit_store.put(tx, known[credit_id])
                problems.append(known[credit_id])
        for entry in page.credits:
            account = accounts.get(entry.message.account_number) if entry.message else None
            found = known.get(entry.id) or _new(provider, entry.id, self.clock.now())
            known[entry.id] = await self._judge(tx, entry, found, account, offsets)
            if known[entry.id] != found:
                await credit_store.put(tx, known[entry.id])
                if known[entry.id].problem is not None:
                    problems.append(known[entry.id])
        return problems

    async def _judge(
        self,
        tx: Tx,
        entry: CreditEntry,
        known: StoredCredit,
        account: GivenAccount | None,
        offsets: Mapping[UUID, timedelta],
    ) -> StoredCredit:
        """Return a reported credit with its effect: an incoming payment or a problem.

        Raises `Busy` for an organisation that this worker does not know yet.
        """
        decision = decide_credit(entry, known, account)
        if decision.money is None or account is None or entry.message is None:
            org_id = known.org_id or (account and account.org_id)
            return replace(known, org_id=org_id, problem=decision.problem)
        offset = offsets.get(account.org_id)
        if offset is None:
            raise Busy(f"organisation {account.org_id} is new to this worker")
        payment_id = await self.receiver.receive_credit(
            tx, AcceptedCredit(known.provider, entry.message, account, decision.money), offset
        )
        if payment_id is None:
            return replace(known, org_id=account.org_id, problem=CreditProblem.CHANGED)
        return replace(
            known,
            org_id=account.org_id,
            incoming_payment_id=payment_id,
            account_number=account.account_number,
            money=decision.money,
            problem=None,
        )


def _new(provider: str, credit_id: str, at: datetime) -> StoredCredit:
    return StoredCredit(
        provider=provider,
        credit_id=credit_id,
        org_id=None,
        incoming_payment_id=None,
        account_number=None,
        money=None,
        problem=None,
        received_at=at,
    )
