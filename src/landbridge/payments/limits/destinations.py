"""Reads what lists and cool-downs need about payment destinations.

A bank account's id on a list also applies to other registrations of the same account. If it is
registered again, by another user or in another spelling, its coordinates (such as the IBAN) have
the same hashes (`customers/bank_accounts/coordinates.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts import erasure as accounts
from landbridge.customers.bank_accounts.coordinates import coordinate_hashes
from landbridge.customers.wallets import service as wallets
from landbridge.payments.limits.evaluation import cool_down_targets
from landbridge.payments.limits.model import (
    DestinationList,
    LimitRules,
    LimitUsage,
    PaymentDestination,
)
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault

_NOBODY: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownDestinations:
    """Times since which destinations are known: accounts by id, addresses by registering user.

    `hashes` are the hashes of bank accounts' coordinates, if a list needs them.
    """

    accounts: Mapping[UUID, datetime]
    addresses: Mapping[tuple[UUID, str], datetime]
    hashes: Mapping[UUID, frozenset[bytes]]

    def of(self, usage: LimitUsage) -> Mapping[str, datetime]:
        """Return since when destinations of a payment are known, by name; unknown are omitted."""
        found = {each.name: self._since(each) for each in usage.targets}
        return {name: since for name, since in found.items() if since is not None}

    def located(self, usage: LimitUsage) -> LimitUsage:
        """Return the usage with the hashes of its bank accounts' coordinates."""
        if not self.hashes:
            return usage
        return replace(usage, targets=tuple(_located(each, self.hashes) for each in usage.targets))

    def _since(self, target: PaymentDestination) -> datetime | None:
        if target.account_id is not None:
            return self.accounts.get(target.account_id)
        times = [self.addresses.get((user_id, target.name)) for user_id in target.user_ids]
        return min((each for each in times if each is not None), default=None)


class Destinations:
    """Reads data of destinations in the transaction that evaluates a payment."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def resolved(self, tx: Tx, org_id: UUID, rules: LimitRules) -> LimitRules:
        """Return the rules with the coordinate hashes of the bank accounts on their lists."""
        ids = listed_ids(rules)
        if not ids:
            return rules
        hashes = await coordinate_hashes(tx, self._vault, org_id, ids)
        return replace(
            rules, block=_resolved(rules.block, hashes), allow=_resolved(rules.allow, hashes)
        )

    async def known(
        self, tx: Tx, org_id: UUID, rules: LimitRules, usages: Sequence[LimitUsage]
    ) -> KnownDestinations:
        """Return since when destinations of these payments are known, if a rule needs that.

        `rules` must have been returned by `resolved`.
        """
        targets = [target for each in usages for target in cool_down_targets(rules, each)]
        account_ids = {each.account_id for each in targets if each.account_id is not None}
        outside = [each for each in targets if each.account_id is None]
        user_ids = {user_id for each in outside for user_id in each.user_ids}
        addresses = {each.name for each in outside}
        listed = _accounts_of(usages) if _lists_accounts(rules) else set[UUID]()
        return KnownDestinations(
            await accounts.known_since(tx, org_id, account_ids) if account_ids else {},
            await wallets.known_since(tx, org_id, user_ids, addresses) if addresses else {},
            await coordinate_hashes(tx, self._vault, org_id, listed) if listed else {},
        )

    async def located(
        self, tx: Tx, org_id: UUID, targets: Sequence[PaymentDestination]
    ) -> Sequence[PaymentDestination]:
        """Return the destinations with the hashes of their bank accounts' coordinates."""
        ids = {each.account_id for each in targets if each.account_id is not None}
        hashes = await coordinate_hashes(tx, self._vault, org_id, ids)
        return [_located(each, hashes) for each in targets]


def _located(
    target: PaymentDestination, hashes: Mapping[UUID, frozenset[bytes]]
) -> PaymentDestination:
    if target.account_id is None:
        return target
    return replace(target, hashes=hashes.get(target.account_id, _NOBODY))


def listed_ids(rules: LimitRules) -> set[UUID]:
    """Return the ids of bank accounts on the lists."""
    lists = [each for each in (rules.block, rules.allow) if each is not None]
    found = (as_uuid(name) for each in lists for name in each.names)
    return {each for each in found if each is not None}


def _resolved(
    listed: DestinationList | None, hashes: Mapping[UUID, frozenset[bytes]]
) -> DestinationList | None:
    if listed is None:
        return None
    found = (each for id_, each in hashes.items() if str(id_) in listed.names)
    return replace(listed, hashes=_NOBODY.union(*found))


def _lists_accounts(rules: LimitRules) -> bool:
    return any(each is not None and each.hashes for each in (rules.block, rules.allow))


def _accounts_of(usages: Sequence[LimitUsage]) -> set[UUID]:
    """Return the ids of the bank accounts that receive these payments."""
    found = (target.account_id for each in usages for target in each.targets)
    return {each for each in found if each is not None}
