"""Logs: one event name plus fields, as JSON or for a console.

Secrets and personal data never reach a log: an allow-list of fields is kept here, and any other
field is dropped before the line is written. A test plants markers in every input and searches the
logs for them.
"""

import logging
import os
import sys
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any, cast

import msgspec
import structlog
from structlog.typing import EventDict, WrappedLogger

_log = structlog.stdlib.get_logger()

# Fields that may be logged. Each new one is a decision: no names, addresses, amounts, bodies.
FIELDS = frozenset(
    {
        "event",
        "level",
        "timestamp",
        "request_id",
        "method",
        "route",
        "status",
        "ms",
        "kind",
        "id",
        "org_id",
        "reason",
        "count",
        "exception",
        "process",
        "schedule",
        "pid",
        "exit",
        "delay_s",
        "endpoint",
        "event_id",
        "mode",
        "listen",
        "bound",
        "times",
        "attempts",
        "approval",
        "day",
        "chain_id",
        "chain",
        "block",
        "head",
        "followed",
        "currency",
        "units",
        "floor_units",
        "missing_units",
        "account",
        "order",
        "credit",
        "hash",
        "result",
        "node",
        "provider",
    }
)

# Maximum exceptions of an exception group that are logged.
_CAUSES_MAX = 6

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def set_up(*, level: str, is_json: bool) -> None:
    """Configure the logs of this process, which go to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _exception,
        _only_known_fields,
    ]
    renderer = _json if is_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    factory = (
        structlog.BytesLoggerFactory(sys.stderr.buffer)
        if is_json
        else structlog.PrintLoggerFactory(sys.stderr)
    )
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=factory,
        cache_logger_on_first_use=True,
    )
    # Libraries log here too, from warnings up. uvicorn's tracebacks are left out: we log them.
    logging.basicConfig(handlers=[_Foreign()], level=logging.WARNING, force=True)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    sys.excepthook = _crashed


class _Foreign(logging.Handler):
    """Handler for logs of libraries; drops their messages, which may quote a row or a value."""

    def emit(self, record: logging.LogRecord) -> None:
        log = _log.error if record.levelno >= logging.ERROR else _log.warning
        log(
            "library.said",
            reason=f"{record.name} {record.filename}:{record.lineno}",
            exc_info=record.exc_info[1] if record.exc_info else None,
        )


def _crashed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Log an uncaught exception that ends the process; Ctrl-C is left to Python."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        _log.critical("process.crashed", pid=os.getpid(), exc_info=error)


def _exception(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Format a traceback without variable values and messages.

    The message of a foreign exception may quote a row or a value, so only its type is kept.
    """
    error = event.pop("exc_info", None)
    if isinstance(error, BaseException):
        event["exception"] = "; because ".join(_location(each) for each in _causes(error))
    return event


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and a few exceptions of its group, outermost first."""
    waiting = deque([error])
    for _ in range(_CAUSES_MAX):
        if not waiting:
            return
        each = waiting.popleft()
        yield each
        if isinstance(each, BaseExceptionGroup):
            group = cast("BaseExceptionGroup[BaseException]", each)
            waiting.extend(group.exceptions[:_CAUSES_MAX])


def _location(error: BaseException) -> str:
    """Return the type of an exception, and where it was raised."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' > '.join(frames[-12:])}"


def _only_known_fields(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {name: value for name, value in event.items() if name in FIELDS}


def _json(_logger: WrappedLogger, _method: str, event: EventDict) -> bytes:
    return msgspec.json.encode(event)
