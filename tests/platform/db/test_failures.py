"""Failures of one among many."""

from structlog.testing import capture_logs

from landbridge.platform.core.errors import Busy
from landbridge.platform.db.failures import logged_failures


def test_others_continue_after_a_failure() -> None:
    done: list[str] = []
    failures: dict[str, Exception] = {"second": Busy("no connection"), "third": KeyError("bug")}
    with capture_logs() as logs:
        for each in ("first", "second", "third", "fourth"):
            with logged_failures(busy="some.busy", failed="some.failed", id=each):
                if each in failures:
                    raise failures[each]
                done.append(each)
    assert done == ["first", "fourth"]
    assert logs == [
        {
            "event": "some.busy",
            "log_level": "warning",
            "id": "second",
            "reason": str(failures["second"]),
        },
        {
            "event": "some.failed",
            "log_level": "error",
            "id": "third",
            "exc_info": failures["third"],
        },
    ]
