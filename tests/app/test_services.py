"""Services that handlers depend on."""

from landbridge.app.api import SERVICES


def test_only_services_that_handlers_depend_on_are_dependencies() -> None:
    assert {"clock", "database", "offramps", "report_schedules", "team"} <= set(SERVICES)
    assert not {"ledger", "outbox", "rails", "settings", "vault"} & set(SERVICES)
