"""Access to review queues."""

from landbridge.platform.http.caller import Caller, check_reviewer


def check_reviewer_access(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may read reviews.

    Keys with the scope `review` may, and members in every role. Source: contract, dashboard 2.
    """
    if caller.member is None:
        check_reviewer(caller)
