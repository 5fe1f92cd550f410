"""Checks of parties that need no lookup."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import combinations, product
from typing import Any
from uuid import UUID

import pytest

from landbridge.payments.engine.parties import PartyRequest, check_own_wallet, token_asset
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.virtual_accounts.destinations import check_member_may_deliver
from landbridge.platform.core.errors import FieldInvalid, RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.providers.chains.tokens import NETWORK_TOKENS, Network

PAYER, OTHER, ACCOUNT = UUID(int=1), UUID(int=2), UUID(int=3)
MEMBERS: Mapping[str, Mapping[str, Any]] = {
    "userId": {"user_id": PAYER},
    "externalWalletId": {"external_wallet_id": OTHER},
    "walletAddress": {"wallet_address": "0xb"},
}


def _caller(role: MemberRole | None) -> Caller:
    if role is None:
        return Caller(UUID(int=9), UUID(int=8), timedelta())
    return Caller(UUID(int=9), None, timedelta(), member=SignedInMember(UUID(int=8), role))


@pytest.mark.parametrize(
    ("role", "payee", "account"),
    list(product([None, *MemberRole], [PAYER, OTHER, None], [ACCOUNT, None])),
)
def test_only_keys_and_admins_pay_others_without_an_approval(
    role: MemberRole | None, payee: UUID | None, account: UUID | None
) -> None:
    is_own = payee == PAYER and account is not None
    if is_own or role in {None, MemberRole.ADMIN}:
        check_own_wallet(_caller(role), PAYER, payee, account)
    else:
        with pytest.raises(RoleNotAllowed):
            check_own_wallet(_caller(role), PAYER, payee, account)


@pytest.mark.parametrize(("role", "external"), list(product([None, *MemberRole], [OTHER, None])))
def test_only_keys_and_admins_deliver_to_others(
    role: MemberRole | None, external: UUID | None
) -> None:
    if external is None or role in {None, MemberRole.ADMIN}:
        check_member_may_deliver(_caller(role), external)
    else:
        with pytest.raises(RoleNotAllowed):
            check_member_may_deliver(_caller(role), external)


@pytest.mark.parametrize(("first", "second"), list(combinations(MEMBERS, 2)))
def test_party_is_named_once(first: str, second: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        PartyRequest(side="destination", **MEMBERS[first], **MEMBERS[second])
    assert refused.value.field == f"destination.{second}"
    assert f"destination.{first}" in refused.value.message


@pytest.mark.parametrize("name", MEMBERS)
def test_party_named_in_one_way_is_accepted(name: str) -> None:
    assert not PartyRequest(side="destination", **MEMBERS[name]).is_empty
    assert PartyRequest(side="destination").is_empty


@pytest.mark.parametrize(
    ("network", "currency"),
    list(product(Network, ["usdc", "usdt", "usdg", "usdHifi", "eur", ""])),
)
def test_currency_that_a_chain_lacks_is_refused(network: Network, currency: str) -> None:
    token = NETWORK_TOKENS.get((network, currency))
    if token is not None:
        assert token_asset(network, currency, field="currency") == token.asset
        return
    with pytest.raises(RouteInvalid) as refused:
        token_asset(network, currency, field="currency")
    assert refused.value.field == "currency"
