"""Mark of responses that repeat the result of an earlier request with the same request id."""

from contextvars import ContextVar


class ResponseSummary:
    """What the telemetry middleware records about the response to one request."""

    __slots__ = ("is_replay",)

    def __init__(self) -> None:
        self.is_replay = False


RESPONSE_SUMMARY: ContextVar[ResponseSummary | None] = ContextVar("answer", default=None)


def note_replay() -> None:
    """Record that the returned resource existed before this request."""
    summary = RESPONSE_SUMMARY.get()
    if summary is not None:
        summary.is_replay = True
