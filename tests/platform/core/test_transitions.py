from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.transitions import Transitions


class LockStatus(StrEnum):
    OPEN = "OPEN"
    SHUT = "SHUT"
    LOCKED = "LOCKED"
    GONE = "GONE"


NONE: frozenset[LockStatus] = frozenset()
TABLE = {
    LockStatus.OPEN: frozenset({LockStatus.SHUT}),
    LockStatus.SHUT: frozenset({LockStatus.OPEN, LockStatus.LOCKED}),
    LockStatus.LOCKED: frozenset({LockStatus.GONE}),
    LockStatus.GONE: NONE,
}
TRANSITIONS = Transitions(start=frozenset({LockStatus.OPEN, LockStatus.SHUT}), table=TABLE)


def test_a_status_without_a_row_is_refused() -> None:
    with pytest.raises(InvariantBroken, match=r"no row of moves for.*GONE"):
        Transitions(
            start=frozenset({LockStatus.OPEN}),
            table={
                status: after for status, after in TABLE.items() if status is not LockStatus.GONE
            },
        )


def test_unreachable_status_is_refused() -> None:
    with pytest.raises(InvariantBroken, match=r"no way to.*LOCKED"):
        Transitions(
            start=frozenset({LockStatus.OPEN}),
            table={**TABLE, LockStatus.SHUT: frozenset({LockStatus.OPEN, LockStatus.GONE})},
        )


def test_status_without_a_path_to_an_end_is_refused() -> None:
    with pytest.raises(InvariantBroken, match="no way out"):
        Transitions(
            start=frozenset({LockStatus.OPEN, LockStatus.LOCKED}),
            table={**TABLE, LockStatus.SHUT: frozenset({LockStatus.OPEN})},
        )


def test_terminal_statuses_have_no_next_status() -> None:
    assert [status for status in LockStatus if TRANSITIONS.is_terminal(status)] == [LockStatus.GONE]


def test_the_edges_are_the_table() -> None:
    assert list(TRANSITIONS.edges()) == [
        (LockStatus.OPEN, LockStatus.SHUT),
        (LockStatus.SHUT, LockStatus.LOCKED),
        (LockStatus.SHUT, LockStatus.OPEN),
        (LockStatus.LOCKED, LockStatus.GONE),
    ]


def test_empty_path_is_refused() -> None:
    assert not TRANSITIONS.is_path(LockStatus.OPEN, ())


def test_a_path_from_the_start_begins_at_a_start() -> None:
    assert TRANSITIONS.is_path(None, (LockStatus.SHUT, LockStatus.LOCKED))
    assert not TRANSITIONS.is_path(None, (LockStatus.LOCKED,))


@given(st.sampled_from(LockStatus), st.lists(st.sampled_from(LockStatus), min_size=1, max_size=6))
def test_path_is_allowed_when_each_of_its_steps_is(
    before: LockStatus, path: list[LockStatus]
) -> None:
    steps = zip([before, *path], path, strict=False)
    assert TRANSITIONS.is_path(before, tuple(path)) == all(
        after in TABLE[here] for here, after in steps
    )


REOPENED = Transitions(
    start=TRANSITIONS.start,
    table=TABLE,
    reopens={LockStatus.GONE: frozenset({LockStatus.LOCKED, LockStatus.SHUT})},
)


def test_reopened_status_stays_terminal() -> None:
    assert [status for status in LockStatus if REOPENED.is_terminal(status)] == [LockStatus.GONE]


def test_edges_include_reopening_ones() -> None:
    assert set(REOPENED.edges()) - set(TRANSITIONS.edges()) == {
        (LockStatus.GONE, LockStatus.LOCKED),
        (LockStatus.GONE, LockStatus.SHUT),
    }


def test_only_the_first_move_of_a_path_reopens() -> None:
    assert REOPENED.is_path(LockStatus.GONE, (LockStatus.LOCKED,))
    assert REOPENED.is_path(LockStatus.GONE, (LockStatus.LOCKED, LockStatus.GONE))
    assert not REOPENED.is_path(LockStatus.GONE, (LockStatus.OPEN,))
    assert not REOPENED.is_path(LockStatus.LOCKED, (LockStatus.GONE, LockStatus.LOCKED))
    assert not REOPENED.is_path(None, (LockStatus.LOCKED,))
    assert not TRANSITIONS.is_path(LockStatus.GONE, (LockStatus.LOCKED,))


@pytest.mark.parametrize(
    "reopens",
    [
        {LockStatus.LOCKED: frozenset({LockStatus.OPEN})},
        {LockStatus.GONE: NONE},
        {LockStatus.GONE: {LockStatus.GONE}},
    ],
)
def test_only_a_terminal_status_is_reopened_and_to_another(
    reopens: dict[LockStatus, frozenset[LockStatus]],
) -> None:
    with pytest.raises(InvariantBroken, match="a terminal status is reopened"):
        Transitions(start=TRANSITIONS.start, table=TABLE, reopens=reopens)
