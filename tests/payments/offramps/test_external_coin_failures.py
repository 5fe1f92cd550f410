"""Deposits at the addresses of several organisations, of which one fails."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.customers.chain_deposits.treasury_service import TreasuryDeposits
from landbridge.payments.offramps.lost_coins import LostCoins
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from tests.tenants import Tenant


async def test_an_organisation_that_fails_stops_no_other(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = new_id(), new_id()
    tried: list[UUID] = []

    async def orgs_with_final(*_of: object) -> list[UUID]:
        return [first, second]

    async def take_back(_coins: LostCoins, org_id: UUID, _offset: timedelta) -> None:
        tried.append(org_id)
        if org_id == first:
            raise InvariantBroken("unexpected")

    monkeypatch.setattr(TreasuryDeposits, "orgs_with_final", orgs_with_final)
    monkeypatch.setattr(LostCoins, "take_back", take_back)
    offsets = {first: timedelta(), second: timedelta()}
    assert not await org.container.external_coins.run_once(offsets)
    assert tried == [first, second]
