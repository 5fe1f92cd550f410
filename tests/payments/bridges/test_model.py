"""States, refusals and routes of bridges, each by table."""

from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from landbridge.app.container.coin_flows import coin_steps
from landbridge.ledger.model import Transfer
from landbridge.payments.bridges.model import TRANSITIONS, BridgeStatus, accept_refusal, check_route
from landbridge.payments.engine.errors import QuoteNotFound
from landbridge.payments.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.platform.core.errors import InvariantBroken, Refused
from landbridge.providers.chains.port import ChainAction, ChainOrder
from landbridge.providers.chains.tokens import ASSETS, NETWORK_TOKENS, TOKENS, Chain, Network
from tests.matrices import in_one_test
from tests.payments.bridges.bridge_scenario import BridgeScenario

WAITS, OPEN, CREATED = BridgeStatus.PENDING_APPROVAL, BridgeStatus.OPEN_QUOTE, BridgeStatus.CREATED
SENT, BURNING, BURNED = (
    BridgeStatus.SOURCE_INITIATED,
    BridgeStatus.SOURCE_PENDING,
    BridgeStatus.SOURCE_PROCESSED,
)
GOING, MINTING = BridgeStatus.DESTINATION_INITIATED, BridgeStatus.DESTINATION_PENDING
UNKNOWN, COMPLETED = BridgeStatus.UNKNOWN, BridgeStatus.COMPLETED
EDGES = {
    (WAITS, OPEN),
    (WAITS, BridgeStatus.REJECTED),
    (WAITS, BridgeStatus.EXPIRED),
    (OPEN, CREATED),
    (OPEN, BridgeStatus.QUOTE_FAILED),
    (CREATED, SENT),
    (CREATED, BridgeStatus.NOT_INITIATED),
    (SENT, BURNING),
    (SENT, BridgeStatus.SOURCE_FAILED),
    (SENT, UNKNOWN),
    (BURNING, BURNED),
    (BURNING, BridgeStatus.SOURCE_FAILED),
    (BURNING, UNKNOWN),
    (BURNED, GOING),
    (GOING, MINTING),
    (GOING, BridgeStatus.DESTINATION_FAILED),
    (GOING, UNKNOWN),
    (MINTING, COMPLETED),
    (MINTING, BridgeStatus.DESTINATION_FAILED),
    (MINTING, UNKNOWN),
    (UNKNOWN, BURNING),
    (UNKNOWN, BURNED),
    (UNKNOWN, BridgeStatus.SOURCE_FAILED),
    (UNKNOWN, COMPLETED),
    (UNKNOWN, BridgeStatus.DESTINATION_FAILED),
    # A reviewer stopped the mint, or redirected the returned coins.
    (GOING, GOING),
    (MINTING, MINTING),
    (UNKNOWN, UNKNOWN),
}
# Source: interface/cross-chain-bridge (status); the last three: lifecycles 2, and our own.
PUBLISHED = {
    *("NOT_INITIATED", "OPEN_QUOTE", "CREATED", "SOURCE_INITIATED", "SOURCE_PENDING"),
    *("SOURCE_PROCESSED", "SOURCE_FAILED", "DESTINATION_INITIATED", "DESTINATION_PENDING"),
    *("COMPLETED", "DESTINATION_FAILED", "QUOTE_FAILED", "UNKNOWN"),
    *("PENDING_APPROVAL", "REJECTED", "EXPIRED"),
}
ENDS = [
    COMPLETED,
    BridgeStatus.NOT_INITIATED,
    BridgeStatus.SOURCE_FAILED,
    BridgeStatus.DESTINATION_FAILED,
    BridgeStatus.QUOTE_FAILED,
    BridgeStatus.REJECTED,
    BridgeStatus.EXPIRED,
]


@in_one_test(product(BridgeStatus, BridgeStatus))
def test_only_these_transitions_are_allowed(before: BridgeStatus, after: BridgeStatus) -> None:
    assert TRANSITIONS.is_path(before, (after,)) == ((before, after) in EDGES)


def test_start_and_terminal_statuses_match_the_contract() -> None:
    assert set(BridgeStatus) == PUBLISHED
    assert TRANSITIONS.start == {OPEN, WAITS}
    assert [status for status in BridgeStatus if TRANSITIONS.is_terminal(status)] == ENDS


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (WAITS, QuoteNotFound),
        *((each, None) for each in (OPEN, CREATED, SENT, BURNING, BURNED, GOING, MINTING)),
        *((each, None) for each in (COMPLETED, UNKNOWN)),
        *((each, QuoteInvalid) for each in ENDS if each is not COMPLETED),
    ],
)
def test_refusal_of_an_accept_by_status(
    status: BridgeStatus, refusal: type[Refused] | None
) -> None:
    found = accept_refusal(status)
    assert (None if found is None else type(found)) is refusal
    if found is not None:
        has_failed = status in {
            BridgeStatus.NOT_INITIATED,
            BridgeStatus.SOURCE_FAILED,
            BridgeStatus.DESTINATION_FAILED,
        }
        assert ("was accepted and has failed; create a new one" in str(found)) == has_failed


async def _at(scenario: BridgeScenario, status: BridgeStatus) -> str:
    """Bring a bridge to a status."""
    scenario.chains.only = _always
    match status:
        case BridgeStatus.PENDING_APPROVAL | BridgeStatus.REJECTED | BridgeStatus.EXPIRED:
            created = await scenario.make(requireApproval=True)
            if status is BridgeStatus.REJECTED:
                await scenario.decide(created, yes=False)
            elif status is BridgeStatus.EXPIRED:
                await scenario.work(after=timedelta(weeks=1, seconds=1))
        case BridgeStatus.OPEN_QUOTE | BridgeStatus.QUOTE_FAILED:
            created = await scenario.make()
            if status is BridgeStatus.QUOTE_FAILED:
                await scenario.work(after=timedelta(minutes=11))
        case BridgeStatus.CREATED:
            created = await scenario.accepted()
        case _:
            created = await _carried_to(scenario, status)
    assert await scenario.status(created) == status
    return created


async def _carried_to(scenario: BridgeScenario, status: BridgeStatus) -> str:
    """Return a bridge that the worker has advanced as far as the chains allow."""
    created = await scenario.accepted()
    match status:
        case BridgeStatus.NOT_INITIATED:
            await scenario.org.post(f"/v2/users/{scenario.bob}/freeze", {"reason": "a"})
        case BridgeStatus.SOURCE_INITIATED:
            scenario.chains.is_silent = True
        case BridgeStatus.SOURCE_PENDING | BridgeStatus.UNKNOWN:
            scenario.chains.only, scenario.chains.late_by = _is_burn, timedelta(minutes=5)
        case BridgeStatus.SOURCE_FAILED:
            scenario.chains.fail_next = "reverted"
        case BridgeStatus.DESTINATION_INITIATED:
            scenario.chains.only = _is_mint
            scenario.chains.raise_before_next = RuntimeError("killed")
        case BridgeStatus.DESTINATION_PENDING:
            scenario.chains.only, scenario.chains.late_by = _is_mint, timedelta(minutes=5)
        case BridgeStatus.DESTINATION_FAILED:
            scenario.chains.only, scenario.chains.fail_next = _is_mint, "paused"
        case _:
            pass
    await scenario.work()
    if status is BridgeStatus.UNKNOWN:
        scenario.chains.is_silent = True
        await scenario.work(after=timedelta(days=2))
    return created


def _always(order: ChainOrder) -> bool:
    del order
    return True


def _is_burn(order: ChainOrder) -> bool:
    return order.action is ChainAction.BURN


def _is_mint(order: ChainOrder) -> bool:
    return order.action is ChainAction.MINT


# SOURCE_PROCESSED is passed in one go; only a death right there leaves a bridge at it.
RESTS = [status for status in BridgeStatus if status is not BURNED]


@pytest.mark.parametrize("status", RESTS)
async def test_accept_at_every_status_advances_refuses_or_does_nothing(
    scenario: BridgeScenario, status: BridgeStatus
) -> None:
    created = await _at(scenario, status)
    before = await scenario.get(created)
    refusal = accept_refusal(status)
    if status is OPEN:
        assert (await scenario.accept(created))["status"] == "CREATED"
        assert (await scenario.accept(created))["status"] == "CREATED"
    elif refusal is None:
        assert await scenario.accept(created) == before
    else:
        with pytest.raises(type(refusal)):
            await scenario.container.bridges.accept(scenario.org.caller, UUID(created))
        assert await scenario.get(created) == before
    await scenario.check_books(is_over=False)


@pytest.mark.parametrize("status", RESTS)
async def test_every_status_ends_with_time(scenario: BridgeScenario, status: BridgeStatus) -> None:
    created = await _at(scenario, status)
    scenario.chains.is_silent, scenario.chains.late_by = False, None
    for _ in range(4):
        await scenario.work(after=timedelta(weeks=2))
    assert TRANSITIONS.is_terminal(BridgeStatus(await scenario.status(created)))
    await scenario.check_books()


@pytest.mark.parametrize("status", ENDS)
async def test_step_of_a_terminal_bridge_raises(
    scenario: BridgeScenario, status: BridgeStatus
) -> None:
    record = (await scenario.bridge(await _at(scenario, status))).record
    with pytest.raises(InvariantBroken):
        await _step(scenario, record)


async def _step(scenario: BridgeScenario, record: Transfer) -> None:
    steps = coin_steps(scenario.container, scenario.container.swaps).by_kind
    await steps[record.kind].run(record, timedelta())


def _served(source: tuple[Chain, str], destination: tuple[Network, str]) -> bool:
    (from_chain, sold), (to_network, bought) = source, destination
    return (
        from_chain in {"POLYGON", "ETHEREUM", "SOLANA"}
        and from_chain.value != to_network.value
        and sold == bought
        and sold in {"usdc", "usdt"}
    )


@in_one_test(product(TOKENS, NETWORK_TOKENS))
def test_routes_are_one_coin_on_different_chains(
    source: tuple[Chain, str], destination: tuple[Network, str]
) -> None:
    (from_chain, sold), (to_network, bought) = source, destination

    def route() -> object:
        return check_route(
            source_chain=from_chain,
            source_currency=sold,
            destination_chain=to_network,
            currency=bought,
        )

    if _served(source, destination):
        assert route() == (TOKENS[source].asset, NETWORK_TOKENS[destination].asset)
    else:
        with pytest.raises(RouteInvalid):
            route()


def test_twenty_one_routes_are_served() -> None:
    served = [pair for pair in product(TOKENS, NETWORK_TOKENS) if _served(*pair)]
    assert len(served) == 3 * 5 + 3 * 2


@pytest.mark.parametrize(
    ("source", "destination", "field"),
    [
        ((Chain.POLYGON, "usdc"), (Network.POLYGON, "usdc"), "destination.chain"),
        ((Chain.POLYGON, "usdc"), (Network.SOLANA, "usdt"), "destination.currency"),
        ((Chain.POLYGON, "usdHifi"), (Network.SOLANA, "usdHifi"), "source.currency"),
        ((Chain.BASE, "usdc"), (Network.SOLANA, "usdc"), "source.chain"),
        ((Chain.POLYGON, "usdt"), (Network.BASE, "usdt"), "destination.currency"),
    ],
)
def test_each_refusal_of_a_route_names_its_field(
    source: tuple[Chain, str], destination: tuple[Network, str], field: str
) -> None:
    with pytest.raises(RouteInvalid) as refused:
        check_route(
            source_chain=source[0],
            source_currency=source[1],
            destination_chain=destination[0],
            currency=destination[1],
        )
    assert refused.value.field == field


def test_coin_missing_on_a_chain_is_no_route() -> None:
    with pytest.raises(RouteInvalid, match="there is no usdt on ARBITRUM"):
        check_route(
            source_chain=Chain.POLYGON,
            source_currency="usdt",
            destination_chain=Network.ARBITRUM,
            currency="usdt",
        )


def test_networks_are_the_chains_and_two_more() -> None:
    assert {network for network in Network if network.chain is None} == {"OPTIMISM", "ARBITRUM"}
    assert {str(network.chain) for network in Network if network.chain} == set(Chain)
    assert {token.asset.code for token in NETWORK_TOKENS.values()} == ASSETS.keys()
    assert all(network.address_chain.is_evm for network in Network if network != "SOLANA")
