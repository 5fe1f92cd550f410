"""Tests that can't pass on a cluster, with the reason of each."""

from typing import Final

_ALL: Final = "checks all organisations by one statement, which a cluster never does"
_MIXED: Final = "has several organisations in a batch, which a cluster never does"
_LOCKS: Final = "waits for a lock that only the worker shows"
_OWN: Final = "its own statement adds an interval to a column, which Citus refuses"
_AUDIT: Final = "tests/ledger/test_audit.py::"
_CORRUPTION: Final = f"{_AUDIT}test_audit_reports_each_corruption"
_HOUSES: Final = "tests/ledger/test_house_accounts.py::"
_SERVICE: Final = "tests/ledger/test_service.py::"
_WRITERS: Final = "tests/platform/changes/test_concurrent_writers.py::"
LEFT_OUT: Final = {
    f"{_AUDIT}test_audit_of_all_organisations_reports_a_corruption": _ALL,
    f"{_AUDIT}test_clean_audit_reports_checked_rows": _ALL,
    f"{_AUDIT}test_no_check_uses_a_nested_loop": "looks at plans of one server",
    f"{_CORRUPTION}[an entry of another moment]": _OWN,
    f"{_CORRUPTION}[another moment of creation]": _OWN,
    f"{_CORRUPTION}[another moment of its last update]": _OWN,
    f"{_CORRUPTION}[a sequence of numbers that was not restored]": "each node has its sequence",
    f"{_WRITERS}test_number_drawn_before_the_lock_is_found": "draws numbers at the coordinator",
    "tests/ledger/test_held_rows.py": _LOCKS,
    "tests/ledger/test_house_rebuild.py::test_rebuild_repairs_the_roll_up": _ALL,
    f"{_HOUSES}test_locked_row_of_one_organisation_does_not_stop_other_roll_ups": _MIXED,
    f"{_SERVICE}test_due_records_are_ordered_by_their_organisations_clocks": _MIXED,
    "tests/ledger/test_store.py::test_records_with_one_id_in_two_organisations_are_two": _MIXED,
    "tests/ledger/test_lock_order.py": _LOCKS,
}
