"""Whether a request was answered with what it, or its twin, had made before."""

from contextvars import ContextVar


class Answer:
    """What a middleware wants to know of the answer to one request."""

    __slots__ = ("is_replay",)

    def __init__(self) -> None:
        self.is_replay = False


ANSWER: ContextVar[Answer | None] = ContextVar("answer", default=None)


def note_replay() -> None:
    """Say that the record which is answered was there before this request."""
    answer = ANSWER.get()
    if answer is not None:
        answer.is_replay = True
