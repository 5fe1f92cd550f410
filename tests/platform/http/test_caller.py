"""Callers of requests."""

from datetime import timedelta
from itertools import product

from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller, KeyScope


def test_a_key_reads_only_if_it_has_no_other_scope() -> None:
    rights = ("can_review", "can_approve", "can_pay", "can_administer")
    for chosen in product((False, True), repeat=len(rights)):
        caller = Caller(new_id(), new_id(), timedelta(), **dict(zip(rights, chosen, strict=True)))
        assert caller.is_read_only == (caller.scopes == {KeyScope.READ})
