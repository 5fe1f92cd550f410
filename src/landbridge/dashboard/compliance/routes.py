"""Page controllers of the compliance section."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.compliance.account_pages import AccountReviewPages
from landbridge.dashboard.compliance.document_pages import DocumentPages
from landbridge.dashboard.compliance.file_pages import FilePages
from landbridge.dashboard.compliance.inquiry_pages import InquiryPages
from landbridge.dashboard.compliance.owner_pages import OwnerPages
from landbridge.dashboard.compliance.queue_pages import KycReviewPages
from landbridge.dashboard.compliance.reveal_pages import RevealPages
from landbridge.dashboard.compliance.tab_pages import CompliancePages
from landbridge.dashboard.compliance.travel_rule_pages import TravelRulePages

PAGES: Sequence[ControllerRouterHandler] = [
    AccountReviewPages,
    CompliancePages,
    DocumentPages,
    FilePages,
    InquiryPages,
    KycReviewPages,
    OwnerPages,
    RevealPages,
    TravelRulePages,
]
