"""Test outcomes in Sumsub's Sandbox mode, where no applicant is reviewed before it is simulated.

Source: docs.sumsub.com/reference/simulate-review-response-in-sandbox. What an applicant is to
become is in its metadata, so that a copy that starts later knows it too.
"""

from collections.abc import Mapping
from typing import Any

from landbridge.providers.packages.interface import RequestedVerification
from landbridge_sumsub.messages import PENDING_STATUSES, SUBMITTED, TEST_OUTCOME, SumsubApplicant

_RESULTS: Mapping[str, Mapping[str, Any]] = {
    RequestedVerification.APPROVE: {"reviewAnswer": "GREEN", "rejectLabels": []},
    RequestedVerification.RETRY: {
        "reviewAnswer": "RED",
        "reviewRejectType": "RETRY",
        "rejectLabels": ["UNSATISFACTORY_PHOTOS", "SCREENSHOTS"],
    },
    RequestedVerification.DECLINE: {
        "reviewAnswer": "RED",
        "reviewRejectType": "FINAL",
        "rejectLabels": ["SANCTIONS"],
    },
}
TEST_OUTCOMES = (
    RequestedVerification.APPROVE,
    RequestedVerification.RETRY,
    RequestedVerification.DECLINE,
)


def next_result(applicant: SumsubApplicant) -> Mapping[str, Any] | None:
    """Return what the sandbox is to make of a submitted test applicant; None if nothing."""
    if not applicant.item(SUBMITTED) or applicant.review.review_status not in PENDING_STATUSES:
        return None
    return _RESULTS.get(applicant.item(TEST_OUTCOME) or "")
