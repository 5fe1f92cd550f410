"""Checks of transfers by the travel rule of their organisation.

Guarantees:
- Each check reads the present data from the database; nothing is cached.
- If a rate is not known, all tiers apply to an amount.
- The message of a complete transfer is stored before the decision has an effect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Context
from typing import Any, Protocol, TypeVar
from uuid import UUID

import msgspec

from landbridge.customers.kyc.service import read_profile
from landbridge.customers.travel_rule import store
from landbridge.customers.travel_rule.ivms101 import MessageContext, build_message
from landbridge.customers.travel_rule.jurisdictions import TIERS, Jurisdiction, RuleTier
from landbridge.customers.travel_rule.model import (
    MISSING_CHANGE,
    MISSING_CHANGE_KIND,
    OutsideWallet,
    TransferParties,
    TransferPerson,
    TravelRuleDecision,
    TravelRuleOutcome,
    WalletData,
    decide,
    parties_of,
)
from landbridge.customers.travel_rule.service import message_context, open_wallet
from landbridge.customers.users.model import UserType
from landbridge.customers.users.records import UserRecords
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable, UserFrozen
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.addresses import Address
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.chains.tokens import CURRENCIES
from landbridge.providers.kyt.port import (
    NotScreened,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningReport,
    ScreeningVerdict,
    TransferScreener,
)
from landbridge.providers.rates.valuation import Valuation
from landbridge.providers.screening.model import comparable_address

T = TypeVar("T")

_WORKER = "worker"
_NOT_APPLICABLE = TravelRuleDecision(outcome=TravelRuleOutcome.NOT_APPLICABLE)
# Most statements read about the sender of a deposit that has no user yet.
_STATED_BY_MAX = 20
# Exact products: amounts have up to 38 digits, and rates up to 30.
_EXACT = Context(prec=90)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A user's statement about the counterparty wallet, as the parties of the transfer."""

    user_id: UUID
    parties: TransferParties | None


class ExchangeChecks(Protocol):
    """Interface of exchanges with other providers (customers/travel_exchanges) for checks."""

    async def payment_waits(
        self, transfer: ScreenedTransfer, *, is_complete: bool
    ) -> Sequence[str]:
        """Return for what, except data, a payment waits; empty if it may be sent."""
        ...

    async def originator(self, transfer: ScreenedTransfer) -> WalletData | None:
        """Return a deposit's source wallet as another provider has stated it; else None."""
        ...


@dataclass(frozen=True, slots=True)
class TravelRuleChecks:
    """Checks transfers of all organisations."""

    database: Database
    vault: Vault
    records: UserRecords
    orgs: Orgs
    valuation: Valuation
    clock: Clock
    exchanges: ExchangeChecks

    async def check(self, transfer: ScreenedTransfer) -> tuple[str, ...]:
        """Return what a transfer of coins lacks under the law of the organisation's jurisdiction.

        A payment with all data may still wait for the other provider. Whenever the missing items
        differ from those of the last check, a change is recorded.
        """
        decision = await self._decide(transfer)
        missing = [each.value for each in decision.missing]
        if not missing and transfer.direction is ScreeningDirection.PAYMENT:
            is_complete = decision.outcome is TravelRuleOutcome.COMPLETE
            missing = [*await self.exchanges.payment_waits(transfer, is_complete=is_complete)]
        org_id, screening_id = transfer.org_id, transfer.key
        known = await self.database.single(lambda tx: store.missing(tx, org_id, screening_id))
        if list(known) != missing:
            await self._announce(transfer, missing)
        return tuple(missing)

    async def _announce(self, transfer: ScreenedTransfer, missing: Sequence[str]) -> None:
        org_id, screening_id = transfer.org_id, transfer.key
        at = self.clock.stamp(await self.orgs.clock_offset(org_id))

        async def work(tx: Tx) -> None:
            version = await store.set_missing(tx, org_id, screening_id, missing, at)
            if version is None:
                return
            await append_change(
                tx,
                org_id=org_id,
                object_id=derived_id(screening_id, MISSING_CHANGE_KIND),
                seq=version,
                kind=MISSING_CHANGE_KIND,
                change_type=MISSING_CHANGE if missing else "complete",
                actor=_WORKER,
                at=at,
                facts={"screening_id": str(screening_id), "missing": list(missing)},
            )

        await self.database.transact(work)

    async def _decide(self, transfer: ScreenedTransfer) -> TravelRuleDecision:
        setting = await self.database.single(lambda tx: store.setting(tx, transfer.org_id))
        jurisdiction = setting.jurisdiction
        if jurisdiction is None:
            return _NOT_APPLICABLE
        tiers = await self._tiers(jurisdiction, transfer.money, transfer.now.date())
        if not tiers:
            return _NOT_APPLICABLE
        statements = [
            *await self._exchanged(transfer),
            *await self.database.read(lambda tx: self._statements(tx, transfer)),
        ]
        decided = [(each, decide(tiers, each.parties)) for each in statements]
        for statement, decision in decided:
            if decision.outcome is TravelRuleOutcome.COMPLETE:
                await self._keep(transfer, statement, jurisdiction)
                return decision
        # No statement is complete, so the first one counts, which is the latest.
        return decided[0][1] if decided else decide(tiers, None)

    async def _tiers(
        self, jurisdiction: Jurisdiction, money: Money, on: date
    ) -> tuple[RuleTier, ...]:
        """Return the tiers that apply to an amount."""
        tiers = TIERS[jurisdiction]
        currency = money.asset.currency
        rates = await self.valuation.rates({currency, *(each.currency for each in tiers)}, on)
        unit = rates.per_unit(currency)
        usd = None if unit is None else _EXACT.multiply(money.decimal, unit)
        return tuple(each for each in tiers if each.applies_to(usd, rates.per_unit(each.currency)))

    async def _exchanged(self, transfer: ScreenedTransfer) -> list[_Statement]:
        """Return what the provider of a deposit's sender has stated; empty without an inquiry."""
        if transfer.direction is not ScreeningDirection.DEPOSIT:
            return []
        wallet = await self.exchanges.originator(transfer)
        if wallet is None or wallet.person is None:
            return []
        org_id, user_id = transfer.org_id, transfer.user_id
        user = await self.database.read(lambda tx: self._user(tx, org_id, user_id))
        parties = TransferParties(
            originator=wallet.person, beneficiary=user, wallet=wallet, is_proven=False
        )
        return [_Statement(user_id, parties)]

    async def _statements(self, tx: Tx, transfer: ScreenedTransfer) -> list[_Statement]:
        """Return the user's statement about the counterparty wallet; without a user, all users'."""
        is_payment = transfer.direction is ScreeningDirection.PAYMENT
        outside = transfer.destination_address if is_payment else transfer.source_address
        if outside is None:
            return []
        address, org_id = comparable_address(outside), transfer.org_id
        if transfer.user_id != org_id:
            row = await store.find_wallet(tx, org_id, transfer.user_id, address)
            rows = [] if row is None else [row]
        else:
            rows = await store.wallets_at(tx, org_id, address, _STATED_BY_MAX)
        statements: list[_Statement] = []
        for row in rows:
            user_id = row["user_id"]
            key = await self.vault.find(tx, org_id, user_id)
            wallet: OutsideWallet = open_wallet(org_id, row, key)
            user = await self._user(tx, org_id, user_id)
            parties = parties_of(user, wallet, transfer.direction)
            statements.append(_Statement(user_id, parties))
        return statements

    async def _user(self, tx: Tx, org_id: UUID, user_id: UUID) -> TransferPerson:
        """Return a user as originator or beneficiary, built from the KYC data."""
        user, _ = await self.records.get(tx, org_id, user_id)
        profile = await read_profile(tx, self.vault, org_id, user)
        return user_person(user.type, profile.data)

    async def _keep(
        self, transfer: ScreenedTransfer, statement: _Statement, jurisdiction: Jurisdiction
    ) -> None:
        """Store the message of a complete transfer."""
        if statement.parties is None:
            return
        org_id, user_id = transfer.org_id, statement.user_id
        context = MessageContext(
            direction=transfer.direction,
            org_name=(await self.orgs.get(org_id)).name,
            user_id=user_id,
            source_address=transfer.source_address,
            destination_address=transfer.destination_address,
        )
        message = build_message(statement.parties, context)
        at = self.clock.stamp(await self.orgs.clock_offset(org_id))

        async def work(tx: Tx) -> None:
            try:
                _, key = await self.records.lock(tx, org_id, user_id)
            except UserFrozen as error:
                raise Unavailable("the data of the user were erased meanwhile") from error
            await store.put_message(
                tx,
                org_id,
                transfer.key,
                user_id,
                jurisdiction=jurisdiction,
                sealed=key.seal(message, context=message_context(transfer.key)),
                at=at,
            )

        await self.database.transact(work)


def user_person(type_: UserType, data: Mapping[str, Any]) -> TransferPerson:
    """Return a user as originator or beneficiary, from KYC data under the names of the contract."""
    return TransferPerson(
        type=type_,
        first_name=data.get("firstName"),
        last_name=data.get("lastName"),
        business_name=data.get("businessName"),
        address=_converted(data.get("address"), Address),
        date_of_birth=_converted(data.get("dateOfBirth"), date),
        place_of_birth=data.get("placeOfBirth"),
        gov_id_number=data.get("govIdNumber"),
    )


def _converted(value: Any, type_: type[T]) -> T | None:
    """Return a value of KYC data converted to a type; None if it is absent or incomplete."""
    try:
        return None if value is None else msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return None


NAME = "travel-rule"


@dataclass(frozen=True, slots=True)
class TravelRuleScreener:
    """Screens coins by the travel rule, and all transfers by the provider (KYT); see the port.

    A payment is screened for risk only once its data are complete, so that a decision about a hit
    cannot send it without them. A deposit is screened for risk first; one without a hit is held
    until the data are complete, or until two people release or reject it.
    """

    provider: TransferScreener
    checks: TravelRuleChecks

    def screens(self, org_id: UUID, currency: str, direction: ScreeningDirection) -> bool:
        """Return whether the currency is a coin, or the provider screens it; see the port."""
        return currency in CURRENCIES or self.provider.screens(org_id, currency, direction)

    async def screen(self, transfer: ScreenedTransfer) -> ScreeningReport:
        """Return the result of the screening; see the port."""
        if transfer.direction is ScreeningDirection.PAYMENT:
            missing = await self._missing(transfer)
            if missing:
                return ScreeningReport(
                    verdict=ScreeningVerdict.PENDING, provider=NAME, missing=missing
                )
            return await self._screen_risk(transfer)
        report = await self._screen_risk(transfer)
        if report.verdict is not ScreeningVerdict.CLEAR:
            return report
        missing = await self._missing(transfer)
        if not missing:
            return report
        return ScreeningReport(verdict=ScreeningVerdict.HIT, provider=NAME, missing=missing)

    async def _missing(self, transfer: ScreenedTransfer) -> tuple[str, ...]:
        """Return what a transfer of coins lacks: data, or the other provider's answer."""
        if transfer.money.asset.currency not in CURRENCIES:
            return ()
        return await self.checks.check(transfer)

    async def _screen_risk(self, transfer: ScreenedTransfer) -> ScreeningReport:
        try:
            return await self.provider.screen(transfer)
        except NotScreened:
            # The provider may not screen coins: they are here only for the travel rule.
            if transfer.money.asset.currency not in CURRENCIES:
                raise
        return ScreeningReport(verdict=ScreeningVerdict.CLEAR, provider=NAME)
