"""Checks of a sidecar that takes deposits: its accounts, credits, reversals and returns."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPayment
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.credits import CreditEntry, DepositAccount
from landbridge.providers.sidecar.protocol import (
    ACCOUNTS_PATH,
    CREDITS_MAX,
    CREDITS_PATH,
    CreditRail,
    PayoutState,
    ProviderCredit,
    RequestedCredit,
)
from landbridge.providers.sidecar.suite.model import CheckFailed, ContractResult, run_check
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_UNITS = (1, 100, 99_999_999, 12_345, 12_345)
_PAGES_MAX = 10_000
_REPEATS = 5
# Maximum waits of the adapter until a credit or a state must have appeared.
_WAITS_MAX = 60
_INVALID = (b"", b"{", b"null", b"[]", b'{"key": 1}', b"\xff", b'{"after": [], "limit": "x"}')


@dataclass(frozen=True, slots=True)
class DepositChecks:
    """Checks of one sidecar, in the first currency in which it takes deposits."""

    protocol: ProtocolChecks
    currencies: Sequence[str]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar takes no deposits."""
        if not self.currencies:
            return []
        checks: Mapping[str, Callable[[], Awaitable[str | None]]] = {
            "a key has one account, for ever": self._one_account,
            "credits come in order, to the last digit": self._in_order,
            "a cursor is answered with the same credits again": self._repeatable,
            "a credit that the bank reports twice is there once": self._once,
            "a credit is returned once": self._returned_once,
            "a reversed credit is reported, and not returned": self._reversed,
            "invalid requests about deposits are refused": self._invalid,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    @property
    def _client(self) -> SidecarClient:
        return self.protocol.adapter.client

    async def _account(self) -> DepositAccount:
        return await self._client.open_account(new_id(), self.currencies[0], new_id())

    async def _one_account(self) -> None:
        org_id, currency, key = new_id(), self.currencies[0], new_id()
        answers = await asyncio.gather(
            *(self._client.open_account(org_id, currency, key) for _ in range(_REPEATS))
        )
        answers.append(await self._client.open_account(org_id, currency, key))
        if any(each != answers[0] for each in answers):
            raise CheckFailed("one key was answered with different accounts")
        others = {(await self._account()).account_number for _ in range(_REPEATS)}
        if len(others | {answers[0].account_number}) <= _REPEATS:
            raise CheckFailed("two keys were answered with one account number")

    async def _in_order(self) -> None:
        after, made = await self._end(), [await self._make(units) for units in _UNITS]
        found = await self._read(after, len(made))
        if [each.message for each in found] != made:
            raise CheckFailed("the credits are not those that were made, in their order")

    async def _repeatable(self) -> None:
        after = await self._end()
        for units in _UNITS:
            await self._make(units)
        whole = await self._read(after, len(_UNITS))
        for limit in (1, 2, CREDITS_MAX):
            again = await self._read(after, len(_UNITS), limit=limit)
            if again != whole:
                raise CheckFailed(f"pages of {limit} have other credits, or another order")

    async def _once(self) -> None:
        after, credit = await self._end(), await self._make(_UNITS[1])
        for _ in range(_REPEATS):
            await self._client.make_test_credit(RequestedCredit(credit=credit))
        last = await self._make(_UNITS[0])
        found = await self._read(after, 2)
        if [each.message for each in found] != [credit, last]:
            raise CheckFailed("a credit that was reported again was answered again")

    async def _returned_once(self) -> None:
        credit = await self._make(_UNITS[1])
        payment = self._return(credit)
        for _ in range(_REPEATS):
            await self._client.pay(payment, returns=credit.id)
        for _ in range(_WAITS_MAX):
            report = await self.protocol.adapter.find(payment)
            if report is not None and report.state is not PayoutState.PENDING:
                break
            await self.protocol.adapter.pass_time()
        else:
            raise CheckFailed("the return did not become final")
        if report.state is not PayoutState.SETTLED:
            raise CheckFailed(f"the return is {report.state}")
        await self._refused(credit, "a credit was returned twice")

    async def _reversed(self) -> None:
        after, credit = await self._end(), await self._make(_UNITS[1])
        await self._client.make_test_credit(RequestedCredit(credit=credit, is_reversed=True))
        for _ in range(_WAITS_MAX):
            if credit.id in await self._reversals(after):
                break
            await self.protocol.adapter.pass_time()
        else:
            raise CheckFailed("the reversal was not reported")
        await self._refused(credit, "a reversed credit was returned")

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(_INVALID, ACCOUNTS_PATH, CREDITS_PATH)

    async def _make(self, units: int) -> ProviderCredit:
        """Let the sidecar create a credit."""
        account = await self._account()
        credit = ProviderCredit(
            id=f"test-{new_id()}",
            account_number=account.account_number,
            amount=str(Money(units, FIAT[self.currencies[0]])),
            currency=self.currencies[0],
            rail=CreditRail.BANK,
            received_at=self.protocol.clock.now(),
            reference="LB2345",
        )
        await self._client.make_test_credit(RequestedCredit(credit=credit))
        return credit

    def _return(self, credit: ProviderCredit) -> RailPayment:
        money = Money.parse(credit.amount, FIAT[credit.currency])
        return replace(self.protocol.adapter.payment(1), money=money, rail=credit.rail)

    async def _refused(self, credit: ProviderCredit, sentence: str) -> None:
        try:
            await self._client.pay(self._return(credit), returns=credit.id)
        except Rejected:
            return
        raise CheckFailed(sentence)

    async def _end(self) -> str | None:
        """Return the cursor after all present credits."""
        after: str | None = None
        for _ in range(_PAGES_MAX):
            page = await self._client.credits(after, CREDITS_MAX)
            if page.next is None:
                return after
            after = page.next
        raise CheckFailed(f"after {_PAGES_MAX} pages there are still more credits")

    async def _read(
        self, after: str | None, count: int, *, limit: int = CREDITS_MAX
    ) -> Sequence[CreditEntry]:
        """Return the credits after a cursor, once there are `count` of them."""
        found: list[CreditEntry] = []
        for _ in range(_WAITS_MAX):
            page = await self._client.credits(after, limit)
            found += page.credits
            after = page.next or after
            if page.next is None:
                if len(found) >= count:
                    return found
                await self.protocol.adapter.pass_time()
        raise CheckFailed(f"{count} credits were made, and {len(found)} are there")

    async def _reversals(self, after: str | None) -> set[str]:
        found: set[str] = set()
        for _ in range(_WAITS_MAX):
            page = await self._client.credits(after, CREDITS_MAX)
            found.update(page.reversed)
            if page.next is None:
                break
            after = page.next
        return found
