"""Who may see what waits for reviewers."""

from landbridge.web.caller import Caller, check_reviewer


def check_looker(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may look at reviews.

    Those who decide may, and every member, whatever their role. Source: contract, dashboard 2.
    """
    if caller.member is None:
        check_reviewer(caller)
