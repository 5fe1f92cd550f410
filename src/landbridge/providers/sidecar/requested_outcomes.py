"""What a sidecar under test is asked to do with applications and travel rule messages."""

from enum import StrEnum


class RequestedVerification(StrEnum):
    """What a sidecar under test is asked to make of an application."""

    APPROVE = "approve"  # pending once it is submitted, then approved
    RETRY = "retry"  # pending, then declined with a field to correct
    DECLINE = "decline"  # pending, then declined for good
    INFORMATION = "information"  # pending, then more information is requested
    REVIEW = "review"  # pending, then handed to our reviewers
    REFUSE = "refuse"  # refused for good when it is created
    SILENCE = "silence"  # the first call is never answered, later ones are as for `approve`


class RequestedTravel(StrEnum):
    """What a sidecar under test is asked to have another provider answer to an inquiry."""

    APPROVE = "approve"  # pending, then approved
    REJECT = "reject"  # pending, then rejected with a comment
    REFUSE = "refuse"  # refused by the provider itself, at once
    UNKNOWN = "unknown"  # the counterparty is not known, at once
    SILENCE = "silence"  # the first call is never answered, later ones are as for `approve`
    # As `approve`. The counterparty also inquires about the same transfer, and confirms it if we
    # approve.
    INQUIRE = "inquire"
