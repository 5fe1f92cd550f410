"""States, refusals and routes of bridges, each by table."""

from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from landbridge.chains.port import Action, Order
from landbridge.chains.tokens import ASSETS, NETWORK_TOKENS, TOKENS, Chain, Network
from landbridge.core.errors import Broken, Refused
from landbridge.flows.bridges.model import MOVES, Status, check_route, why_not_accept
from landbridge.ledger.model import Transfer
from landbridge.payments.errors import QuoteNotFound
from landbridge.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.wiring.coins import coin_steps
from tests.flows.bridges.bridging import Play

WAITS, OPEN, CREATED = Status.PENDING_APPROVAL, Status.OPEN_QUOTE, Status.CREATED
SENT, BURNING, BURNED = Status.SOURCE_INITIATED, Status.SOURCE_PENDING, Status.SOURCE_PROCESSED
GOING, MINTING = Status.DESTINATION_INITIATED, Status.DESTINATION_PENDING
UNKNOWN, COMPLETED = Status.UNKNOWN, Status.COMPLETED
EDGES = {
    (WAITS, OPEN),
    (WAITS, Status.REJECTED),
    (WAITS, Status.EXPIRED),
    (OPEN, CREATED),
    (OPEN, Status.QUOTE_FAILED),
    (CREATED, SENT),
    (CREATED, Status.NOT_INITIATED),
    (SENT, BURNING),
    (SENT, Status.SOURCE_FAILED),
    (SENT, UNKNOWN),
    (BURNING, BURNED),
    (BURNING, Status.SOURCE_FAILED),
    (BURNING, UNKNOWN),
    (BURNED, GOING),
    (GOING, MINTING),
    (GOING, Status.DESTINATION_FAILED),
    (GOING, UNKNOWN),
    (MINTING, COMPLETED),
    (MINTING, Status.DESTINATION_FAILED),
    (MINTING, UNKNOWN),
    (UNKNOWN, BURNING),
    (UNKNOWN, BURNED),
    (UNKNOWN, Status.SOURCE_FAILED),
    (UNKNOWN, COMPLETED),
    (UNKNOWN, Status.DESTINATION_FAILED),
    # A person halted the mint, or redirected the coins that go back.
    (GOING, GOING),
    (MINTING, MINTING),
    (UNKNOWN, UNKNOWN),
}
# Source: interface/cross-chain-bridge (status); the last three: lifecycles 2, and ours.
PUBLISHED = {
    *("NOT_INITIATED", "OPEN_QUOTE", "CREATED", "SOURCE_INITIATED", "SOURCE_PENDING"),
    *("SOURCE_PROCESSED", "SOURCE_FAILED", "DESTINATION_INITIATED", "DESTINATION_PENDING"),
    *("COMPLETED", "DESTINATION_FAILED", "QUOTE_FAILED", "UNKNOWN"),
    *("PENDING_APPROVAL", "REJECTED", "EXPIRED"),
}
ENDS = [
    COMPLETED,
    Status.NOT_INITIATED,
    Status.SOURCE_FAILED,
    Status.DESTINATION_FAILED,
    Status.QUOTE_FAILED,
    Status.REJECTED,
    Status.EXPIRED,
]


@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_only_these_moves_are_allowed(before: Status, after: Status) -> None:
    assert MOVES.is_path(before, (after,)) == ((before, after) in EDGES)


def test_statuses_begin_and_end_as_the_contract_has_it() -> None:
    assert set(Status) == PUBLISHED
    assert MOVES.start == {OPEN, WAITS}
    assert [status for status in Status if MOVES.is_terminal(status)] == ENDS


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (WAITS, QuoteNotFound),
        *((each, None) for each in (OPEN, CREATED, SENT, BURNING, BURNED, GOING, MINTING)),
        *((each, None) for each in (COMPLETED, UNKNOWN)),
        *((each, QuoteInvalid) for each in ENDS if each is not COMPLETED),
    ],
)
def test_why_not_accept(status: Status, refusal: type[Refused] | None) -> None:
    found = why_not_accept(status)
    assert (None if found is None else type(found)) is refusal
    if found is not None:
        has_failed = status in {
            Status.NOT_INITIATED,
            Status.SOURCE_FAILED,
            Status.DESTINATION_FAILED,
        }
        assert ("was accepted and has failed; create a new one" in str(found)) == has_failed


async def _at(play: Play, status: Status) -> str:
    """A bridge at a status, by whatever leads there."""
    play.chains.only = _always
    match status:
        case Status.PENDING_APPROVAL | Status.REJECTED | Status.EXPIRED:
            made = await play.make(requireApproval=True)
            if status is Status.REJECTED:
                await play.decide(made, yes=False)
            elif status is Status.EXPIRED:
                await play.work(after=timedelta(weeks=1, seconds=1))
        case Status.OPEN_QUOTE | Status.QUOTE_FAILED:
            made = await play.make()
            if status is Status.QUOTE_FAILED:
                await play.work(after=timedelta(minutes=11))
        case Status.CREATED:
            made = await play.accepted()
        case _:
            made = await _carried_to(play, status)
    assert await play.status(made) == status
    return made


async def _carried_to(play: Play, status: Status) -> str:
    """One that the worker has taken as far as the chains let it."""
    made = await play.accepted()
    match status:
        case Status.NOT_INITIATED:
            await play.org.post(f"/v2/users/{play.bob}/freeze", {"reason": "a"})
        case Status.SOURCE_INITIATED:
            play.chains.is_silent = True
        case Status.SOURCE_PENDING | Status.UNKNOWN:
            play.chains.only, play.chains.late_by = _is_burn, timedelta(minutes=5)
        case Status.SOURCE_FAILED:
            play.chains.fail_next = "reverted"
        case Status.DESTINATION_INITIATED:
            play.chains.only = _is_mint
            play.chains.raise_before_next = RuntimeError("killed")
        case Status.DESTINATION_PENDING:
            play.chains.only, play.chains.late_by = _is_mint, timedelta(minutes=5)
        case Status.DESTINATION_FAILED:
            play.chains.only, play.chains.fail_next = _is_mint, "paused"
        case _:
            pass
    await play.work()
    if status is Status.UNKNOWN:
        play.chains.is_silent = True
        await play.work(after=timedelta(days=2))
    return made


def _always(order: Order) -> bool:
    del order
    return True


def _is_burn(order: Order) -> bool:
    return order.action is Action.BURN


def _is_mint(order: Order) -> bool:
    return order.action is Action.MINT


# SOURCE_PROCESSED is passed in one go; only a death right there leaves a bridge at it.
RESTS = [status for status in Status if status is not BURNED]


@pytest.mark.parametrize("status", RESTS)
async def test_accept_at_every_status_is_a_move_a_refusal_or_nothing(
    play: Play, status: Status
) -> None:
    made = await _at(play, status)
    before = await play.get(made)
    refusal = why_not_accept(status)
    if status is OPEN:
        assert (await play.accept(made))["status"] == "CREATED"
        assert (await play.accept(made))["status"] == "CREATED"
    elif refusal is None:
        assert await play.accept(made) == before
    else:
        with pytest.raises(type(refusal)):
            await play.house.bridges.accept(play.org.caller, UUID(made))
        assert await play.get(made) == before
    await play.check_books(is_over=False)


@pytest.mark.parametrize("status", RESTS)
async def test_time_ends_every_status(play: Play, status: Status) -> None:
    made = await _at(play, status)
    play.chains.is_silent, play.chains.late_by = False, None
    for _ in range(4):
        await play.work(after=timedelta(weeks=2))
    assert MOVES.is_terminal(Status(await play.status(made)))
    await play.check_books()


@pytest.mark.parametrize("status", ENDS)
async def test_a_step_at_an_end_is_a_bug(play: Play, status: Status) -> None:
    record = (await play.bridge(await _at(play, status))).record
    with pytest.raises(Broken):
        await _step(play, record)


async def _step(play: Play, record: Transfer) -> None:
    steps = coin_steps(play.house).by_kind
    await steps[record.kind].run(record, timedelta())


def _served(source: tuple[Chain, str], destination: tuple[Network, str]) -> bool:
    (from_chain, sold), (to_network, bought) = source, destination
    return (
        from_chain in {"POLYGON", "ETHEREUM", "SOLANA"}
        and from_chain.value != to_network.value
        and sold == bought
        and sold in {"usdc", "usdt"}
    )


@pytest.mark.parametrize(("source", "destination"), list(product(TOKENS, NETWORK_TOKENS)))
def test_routes_are_one_coin_on_unlike_chains(
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


def test_a_coin_that_a_chain_does_not_have_is_no_route() -> None:
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
