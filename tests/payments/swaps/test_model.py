from itertools import product

import pytest

from landbridge.payments.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.payments.swaps.model import (
    CURRENCIES,
    TRANSITIONS,
    SwapStatus,
    accept_refusal,
    check_route,
)
from landbridge.platform.core.errors import InvariantBroken, Refused
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain
from tests.matrices import in_one_test
from tests.tenants import SWAPS, Tenant, make_swap, make_user, swap_of

OPEN, CREATED, PENDING = SwapStatus.OPEN_QUOTE, SwapStatus.CREATED, SwapStatus.PENDING
COMPLETED, FAILED, QUOTE_FAILED = SwapStatus.COMPLETED, SwapStatus.FAILED, SwapStatus.QUOTE_FAILED
EDGES = {
    (OPEN, CREATED),
    (OPEN, QUOTE_FAILED),
    (CREATED, PENDING),
    (CREATED, FAILED),
    (PENDING, PENDING),
    (PENDING, COMPLETED),
    (PENDING, FAILED),
}


@in_one_test(product(SwapStatus, SwapStatus))
def test_only_these_transitions_are_allowed(before: SwapStatus, after: SwapStatus) -> None:
    assert TRANSITIONS.is_path(before, (after,)) == ((before, after) in EDGES)


def test_a_swap_begins_with_an_open_quote() -> None:
    assert TRANSITIONS.start == {OPEN}
    assert [status for status in SwapStatus if TRANSITIONS.is_terminal(status)] == [
        *(COMPLETED, FAILED, QUOTE_FAILED)
    ]


def test_accept_follows_allowed_transitions() -> None:
    assert TRANSITIONS.is_path(OPEN, (CREATED, PENDING, COMPLETED))
    assert not TRANSITIONS.is_path(OPEN, (COMPLETED,))


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (OPEN, None),
        (CREATED, None),
        (PENDING, None),
        (COMPLETED, None),
        (FAILED, QuoteInvalid),
        (QUOTE_FAILED, QuoteInvalid),
    ],
)
def test_refusal_of_an_accept_by_status(status: SwapStatus, refusal: type[Refused] | None) -> None:
    found = accept_refusal(status)
    assert (None if found is None else type(found)) is refusal


@pytest.mark.parametrize("verb", ["accept", "expire"])
@pytest.mark.parametrize("status", [OPEN, COMPLETED, QUOTE_FAILED])
async def test_every_action_at_every_status_advances_refuses_or_does_nothing(
    org: Tenant, status: SwapStatus, verb: str
) -> None:
    user = await make_user(org, funds="10")
    before = await make_swap(org, user, status=status)
    swap = await swap_of(org, before["id"])
    outcomes = {
        (OPEN, "accept"): COMPLETED,
        (OPEN, "expire"): QUOTE_FAILED,
        (COMPLETED, "accept"): COMPLETED,
        (COMPLETED, "expire"): InvariantBroken,
        (QUOTE_FAILED, "accept"): QuoteInvalid,
        (QUOTE_FAILED, "expire"): InvariantBroken,
    }
    expected = outcomes[status, verb]

    async def run() -> object:
        if verb == "accept":
            return await org.container.swaps.accept(org.caller, swap.record.id)
        return await org.container.swaps.expire(swap, "test", swap.details.quote_expires_at)

    if isinstance(expected, SwapStatus):
        await run()
        assert (await swap_of(org, before["id"])).status is expected
    else:
        # Expiring a settled swap is a bug of the caller: a step reads the status first.
        with pytest.raises(expected):
            await run()
        assert (await org.get(f"{SWAPS}/{before['id']}"))["transferDetails"] == before


def _is_served(source: tuple[Chain, str], destination: tuple[Chain, str]) -> bool:
    (from_chain, sold), (to_chain, bought) = source, destination
    served = CURRENCIES.get(from_chain, frozenset[str]())
    return from_chain is to_chain and sold != bought and {sold, bought} <= served


@in_one_test(product(TOKENS, TOKENS))
def test_routes_are_different_coins_of_one_chain(
    source: tuple[Chain, str], destination: tuple[Chain, str]
) -> None:
    if _is_served(source, destination):
        sold, bought = _route(source, destination)
        assert (sold, bought) == (TOKENS[source].asset, TOKENS[destination].asset)
    else:
        with pytest.raises(RouteInvalid):
            _route(source, destination)


@pytest.mark.parametrize(
    ("source", "destination", "field"),
    [
        ((Chain.POLYGON, "usdc"), (Chain.SOLANA, "usdt"), "destination.chain"),
        ((Chain.POLYGON, "usdc"), (Chain.POLYGON, "usdc"), "destination.currency"),
        ((Chain.POLYGON, "usdg"), (Chain.POLYGON, "usdc"), "source.currency"),
        ((Chain.POLYGON, "usdc"), (Chain.POLYGON, "usdg"), "destination.currency"),
        ((Chain.BASE, "usdc"), (Chain.BASE, "usdHifi"), "source.currency"),
    ],
)
def test_each_refusal_of_a_route_names_its_field(
    source: tuple[Chain, str], destination: tuple[Chain, str], field: str
) -> None:
    with pytest.raises(RouteInvalid) as refused:
        _route(source, destination)
    assert refused.value.field == field


def test_fourteen_routes_are_served() -> None:
    served = [pair for pair in product(TOKENS, TOKENS) if _is_served(*pair)]
    assert len(served) == 2 + 6 + 6


def test_every_route_has_its_assets() -> None:
    assert all(
        f"{currency}:{chain}" in ASSETS for chain, each in CURRENCIES.items() for currency in each
    )


def _route(source: tuple[Chain, str], destination: tuple[Chain, str]) -> tuple[object, object]:
    return check_route(
        source_chain=source[0],
        source_currency=source[1],
        destination_chain=destination[0],
        currency=destination[1],
    )
