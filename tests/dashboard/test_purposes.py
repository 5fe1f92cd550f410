"""Purposes of payments and types of documents are shown by name."""

from landbridge.dashboard.payments.choices import DOCUMENT_TYPE_LABELS, PURPOSE_LABELS
from landbridge.payments.offramps.references import DOCUMENT_TYPES, GLOBAL_PURPOSES, PURPOSES
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, make_user


def test_each_purpose_and_document_type_has_a_label() -> None:
    assert PURPOSE_LABELS.keys() == {*PURPOSES, *GLOBAL_PURPOSES}
    assert DOCUMENT_TYPE_LABELS.keys() == set(DOCUMENT_TYPES)


async def test_a_form_shows_labels_and_sends_codes(org: Tenant) -> None:
    admin, user = await visit(org), await make_user(org)
    form = await admin.load(f"/dashboard/new/offramp?userId={user}")
    options = form.tree.xpath('//select[@name="purposeOfPayment"]/option')
    shown = {each.get("value"): each.text for each in options}
    assert shown["school-fees"] == "School fees"
    assert shown["transfer_to_own_account"] == "Transfer to own account"
    assert len(shown) == len(PURPOSE_LABELS) + 1
