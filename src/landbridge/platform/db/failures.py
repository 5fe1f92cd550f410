"""Logging of a failure in one of many tasks, so that the others continue."""

from collections.abc import Generator
from contextlib import contextmanager

import structlog

from landbridge.platform.core.errors import Busy

_log = structlog.stdlib.get_logger()


@contextmanager
def logged_failures(*, busy: str, failed: str, **fields: object) -> Generator[None]:
    """Log an error of the body instead of raising it; `busy` and `failed` are the log events.

    A database that does not answer (`Busy`) is logged as a warning with its reason, any other error
    with its traceback. The caller's schedule runs the body again.
    """
    try:
        yield
    except Busy as error:
        _log.warning(busy, **fields, reason=str(error))
    except Exception as error:  # noqa: BLE001  one failure must not stop the others
        _log.error(failed, **fields, exc_info=error)
