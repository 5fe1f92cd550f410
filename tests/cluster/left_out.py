"""Tests that can't pass on a cluster, with the reason of each."""

from typing import Final

_MIXED: Final = "a batch of several organisations, which is refused there"
_PLANS: Final = "looks at plans or locks of one server"
_ALL: Final = "checks all organisations by one statement, which a cluster never does"
LEFT_OUT: Final = {
    "tests/ledger/test_audit.py::test_audit_of_all_organisations_reports_a_corruption": _ALL,
    "tests/ledger/test_audit.py::test_clean_audit_reports_checked_rows": _ALL,
    "tests/ledger/test_audit.py::test_no_check_uses_a_nested_loop": _PLANS,
}
