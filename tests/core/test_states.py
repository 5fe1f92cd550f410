from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import Broken
from landbridge.core.states import Moves


class Door(StrEnum):
    OPEN = "OPEN"
    SHUT = "SHUT"
    LOCKED = "LOCKED"
    GONE = "GONE"


NONE: frozenset[Door] = frozenset()
TABLE = {
    Door.OPEN: frozenset({Door.SHUT}),
    Door.SHUT: frozenset({Door.OPEN, Door.LOCKED}),
    Door.LOCKED: frozenset({Door.GONE}),
    Door.GONE: NONE,
}
MOVES = Moves(start=frozenset({Door.OPEN, Door.SHUT}), table=TABLE)


def test_a_status_without_a_row_is_refused() -> None:
    with pytest.raises(Broken, match=r"no row of moves for.*GONE"):
        Moves(
            start=frozenset({Door.OPEN}),
            table={status: after for status, after in TABLE.items() if status is not Door.GONE},
        )


def test_a_status_that_nothing_leads_to_is_refused() -> None:
    with pytest.raises(Broken, match=r"no way to.*LOCKED"):
        Moves(
            start=frozenset({Door.OPEN}),
            table={**TABLE, Door.SHUT: frozenset({Door.OPEN, Door.GONE})},
        )


def test_a_status_that_leads_nowhere_final_is_refused() -> None:
    with pytest.raises(Broken, match="no way out"):
        Moves(
            start=frozenset({Door.OPEN, Door.LOCKED}),
            table={**TABLE, Door.SHUT: frozenset({Door.OPEN})},
        )


def test_terminal_statuses_are_those_that_nothing_follows() -> None:
    assert [status for status in Door if MOVES.is_terminal(status)] == [Door.GONE]


def test_the_edges_are_the_table() -> None:
    assert list(MOVES.edges()) == [
        (Door.OPEN, Door.SHUT),
        (Door.SHUT, Door.LOCKED),
        (Door.SHUT, Door.OPEN),
        (Door.LOCKED, Door.GONE),
    ]


def test_an_empty_path_is_none() -> None:
    assert not MOVES.is_path(Door.OPEN, ())


def test_a_path_from_the_start_begins_at_a_start() -> None:
    assert MOVES.is_path(None, (Door.SHUT, Door.LOCKED))
    assert not MOVES.is_path(None, (Door.LOCKED,))


@given(st.sampled_from(Door), st.lists(st.sampled_from(Door), min_size=1, max_size=6))
def test_a_path_is_allowed_when_each_of_its_steps_is(before: Door, path: list[Door]) -> None:
    steps = zip([before, *path], path, strict=False)
    assert MOVES.is_path(before, tuple(path)) == all(after in TABLE[here] for here, after in steps)


REOPENED = Moves(
    start=MOVES.start, table=TABLE, reopens={Door.GONE: frozenset({Door.LOCKED, Door.SHUT})}
)


def test_a_status_that_is_reopened_stays_terminal() -> None:
    assert [status for status in Door if REOPENED.is_terminal(status)] == [Door.GONE]


def test_the_edges_include_those_that_reopen() -> None:
    assert set(REOPENED.edges()) - set(MOVES.edges()) == {
        (Door.GONE, Door.LOCKED),
        (Door.GONE, Door.SHUT),
    }


def test_only_the_first_move_of_a_path_reopens() -> None:
    assert REOPENED.is_path(Door.GONE, (Door.LOCKED,))
    assert REOPENED.is_path(Door.GONE, (Door.LOCKED, Door.GONE))
    assert not REOPENED.is_path(Door.GONE, (Door.OPEN,))
    assert not REOPENED.is_path(Door.LOCKED, (Door.GONE, Door.LOCKED))
    assert not REOPENED.is_path(None, (Door.LOCKED,))
    assert not MOVES.is_path(Door.GONE, (Door.LOCKED,))


@pytest.mark.parametrize(
    "reopens", [{Door.LOCKED: frozenset({Door.OPEN})}, {Door.GONE: NONE}, {Door.GONE: {Door.GONE}}]
)
def test_only_a_terminal_status_is_reopened_and_to_another(
    reopens: dict[Door, frozenset[Door]],
) -> None:
    with pytest.raises(Broken, match="a terminal status is reopened"):
        Moves(start=MOVES.start, table=TABLE, reopens=reopens)
