"""References, purposes and documents: each applies to some accounts, in their format."""

from typing import Any

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.offramps.references import GLOBAL_PURPOSES, PURPOSES, RULES
from tests.contract.resources import send_file
from tests.matrices import each_value_once
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import (
    OFFRAMPS,
    WAYS,
    accept,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    way,
)
from tests.tenants import Tenant, good, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"

# References by account type and rail.
GOES_WITH = {
    ("us", "ach"): {"achReference"},
    ("us", "wire"): {"wireMessage"},
    ("us", "rtp"): {"paymentReference"},
    ("us", "swift"): {"swiftReference", "swiftCharges"},
    ("europeGlobalNetwork", "sepa"): {"sepaReference"},
    ("europeGlobalNetwork", "sepaInstant"): {"sepaReference"},
    ("europeGlobalNetwork", "swift"): {"swiftReference", "swiftCharges", "paymentReference"},
    ("hongKongGlobalNetwork", "swift"): {"swiftReference", "swiftCharges", "paymentReference"},
    ("chinaGlobalNetwork", None): {"swiftReference", "swiftCharges", "paymentReference"},
    ("singaporeGlobalNetwork", None): {"swiftReference", "swiftCharges", "paymentReference"},
}
OTHERS = {"paymentReference"}
GOOD = {
    "achReference": "Invoice 1",
    "wireMessage": "Invoice 1\nof March",
    "swiftReference": "Invoice 1",
    "swiftCharges": "our",
    "sepaReference": "Invoice 1 & 2",
    "paymentReference": "Invoice 1: a boat",
}
ACCOUNTS = sorted(
    {(case.table.name, case.words.get("transferType")) for case in WAYS.values()}, key=str
)


@pytest.mark.parametrize(("table", "rail"), each_value_once(ACCOUNTS, values=lambda row: (row[1],)))
async def test_reference_is_sent_only_on_rails_that_carry_it(
    org: Tenant, table: str, rail: str | None
) -> None:
    case = way(table, rail)
    currency = case.words.get("currency", case.table.currencies[0])
    user = await make_payee(org, case.table.kyc_rail(currency))
    account = await make_account(org, user, case, currency=currency)
    purpose = "other" if table == "africa" else None
    fitting = GOES_WITH.get((table, rail), OTHERS)
    for name, text in GOOD.items():
        body = offramp_body(
            *(user, account),
            destination={"currency": currency, name: text},
            purposeOfPayment=purpose,
        )
        answer = await org.send("POST", OFFRAMPS, body)
        if name in fitting:
            assert answer.status_code == 200, (name, answer.text)
        else:
            assert refusal(answer) == FIELD, name
            assert sentence(answer).startswith(f"destination.{name} ")


BAD = [
    ("ach", "achReference", "", False),
    ("ach", "achReference", " ", False),
    ("ach", "achReference", "12345678901", False),
    ("ach", "achReference", "a-b", False),
    ("ach", "achReference", "ünter", False),
    ("ach", "achReference", "ABCDE 1234", True),
    ("wire", "wireMessage", "a\nb\nc\nd", True),
    ("wire", "wireMessage", "a\r\nb", True),
    ("wire", "wireMessage", "a\nb\nc\nd\ne", False),
    ("wire", "wireMessage", "x" * 35, True),
    ("wire", "wireMessage", "x" * 36, False),
    ("wire", "wireMessage", "a\n\nb", False),
    ("swift", "swiftReference", "\n".join(["x" * 35] * 4), True),
    ("swift", "swiftReference", "\n".join(["x" * 35] * 5), False),
    ("swift", "swiftCharges", "sha", True),
    ("swift", "swiftCharges", "ben", False),
    ("sepa", "sepaReference", "abcde", False),
    ("sepa", "sepaReference", "abcdef", True),
    ("sepa", "sepaReference", "Rent 5 & 6 - May. A/B", True),
    ("sepa", "sepaReference", "x" * 140, True),
    ("sepa", "sepaReference", "x" * 141, False),
    ("sepa", "sepaReference", "Invoice #1", False),
    ("rtp", "paymentReference", "x" * 140, True),
    ("rtp", "paymentReference", "x" * 141, False),
    ("rtp", "paymentReference", "a\nb", False),
    ("ach", "sameDayAch", True, True),
    ("wire", "sameDayAch", True, False),
    ("wire", "sameDayAch", False, True),
]


@pytest.mark.parametrize(
    ("rail", "name", "value", "is_good"),
    each_value_once(BAD, values=lambda row: (row[0], (row[1], row[3]))),
)
async def test_the_form_of_a_reference(
    org: Tenant, rail: str, name: str, value: Any, *, is_good: bool
) -> None:
    is_sepa = rail == "sepa"
    user = await make_payee(org, Rail.GLOBAL_NETWORK if is_sepa else Rail.USD)
    account = await make_account(org, user, way("europeGlobalNetwork" if is_sepa else "us", rail))
    parties = {"currency": "eur" if is_sepa else "usd", name: value}
    answer = await org.send("POST", OFFRAMPS, offramp_body(user, account, destination=parties))
    if is_good:
        created = good(answer)["transferDetails"]
        assert created["destination"]["sameDayAch"] is (value is True)
    else:
        assert refusal(answer) == FIELD
        assert f"destination.{name}" in sentence(answer)


def test_every_rule_has_a_valid_example() -> None:
    assert {rule.name for rule in RULES} == GOOD.keys()


async def test_purposes_of_the_usd_rail(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    for purpose in PURPOSES:
        await make_offramp(org, user, account, purposeOfPayment=purpose)
    await _refuse_purpose(org, user, account, "usd", "payroll")


async def test_purposes_of_the_global_network(org: Tenant) -> None:
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    account = await make_account(org, user, way("brazilGlobalNetwork"))
    for purpose in GLOBAL_PURPOSES:
        await make_offramp(
            org, user, account, 20, destination={"currency": "brl"}, purposeOfPayment=purpose
        )
    assert len(GLOBAL_PURPOSES) == 30
    await _refuse_purpose(org, user, account, "brl", "gift")


async def test_a_purpose_is_required_in_africa(org: Tenant) -> None:
    user = await make_payee(org, Rail.AFRICA_GENERAL)
    account = await make_account(org, user, way("africa", currency="kes"))
    await _refuse_purpose(org, user, account, "kes", None)
    await make_offramp(
        org, user, account, destination={"currency": "kes"}, purposeOfPayment="school-fees"
    )


async def _refuse_purpose(
    org: Tenant, user: str, account: str, currency: str, purpose: str | None
) -> None:
    body = offramp_body(user, account, destination={"currency": currency}, purposeOfPayment=purpose)
    answer = await org.send("POST", OFFRAMPS, body)
    assert refusal(answer) == FIELD
    assert sentence(answer).startswith("purposeOfPayment")


URL = "https://example.com/invoice.pdf"
DOCUMENTS: list[tuple[dict[str, Any], str | None]] = [
    ({"supportingDocumentType": "billing_document", "supportingDocumentUrl": URL}, None),
    ({"supportingDocumentType": "billing_document"}, "supportingDocumentUrl is required"),
    ({"supportingDocumentUrl": URL}, "supportingDocumentType is required"),
    (
        {"supportingDocumentType": "a_photo", "supportingDocumentUrl": URL},
        "supportingDocumentType must be one of",
    ),
    (
        {"supportingDocumentType": "other_document", "supportingDocumentUrl": "x"},
        "supportingDocumentUrl must be",
    ),
    ({"description": "x" * 1000}, None),
    ({"description": "a\nb"}, None),
    ({"description": "x" * 1001}, "description must have"),
    ({"description": ""}, "description must have"),
    ({"supportingInformation": {}}, None),
    ({"supportingInformation": {"detailedPurposeOfPayment": "A boat"}}, None),
    (
        {"supportingInformation": {"detailedPurposeOfPayment": ""}},
        "supportingInformation.detailedPurposeOfPayment",
    ),
    (
        {
            "supportingInformation": {
                "beneficiaryDetails": {
                    "legalEntityName": "Boats Ltd",
                    "jurisdictionOfIncorporation": "GBR",
                    "natureOfBusiness": "Boats",
                    "relationshipToBeneficiary": "supplier",
                    "website": "https://boats.example",
                }
            }
        },
        None,
    ),
    (
        {"supportingInformation": {"beneficiaryDetails": {"website": "boats"}}},
        "supportingInformation.beneficiaryDetails.website",
    ),
    (
        {"supportingInformation": {"documents": [{"fileId": "file_x", "type": "INVOICE"}]}},
        "supportingInformation.documents[0].fileId: there is no such file",
    ),
    (
        {"supportingInformation": {"documents": [{"type": "INVOICE"}]}},
        "supportingInformation.documents[0].fileId is required",
    ),
    (
        {
            "supportingInformation": {
                "documents": [{"fileId": "file_x", "type": "INVOICE"} for _ in range(21)]
            }
        },
        "supportingInformation.documents must have at most 20",
    ),
]


async def test_supporting_information_is_validated(org: Tenant, subtests: pytest.Subtests) -> None:
    user = await make_payee(org, funds="10000")
    account = await make_account(org, user, way("us", "swift"))
    for body, message in DOCUMENTS:
        with subtests.test(message, body=body):
            answer = await org.send("POST", OFFRAMPS, offramp_body(user, account, **body))
            if message is None:
                assert answer.status_code == 200, answer.text
            else:
                assert refusal(answer) == FIELD
                assert sentence(answer).startswith(message)


async def test_document_files_are_kept(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    file = await send_file(org)
    documents = [{"fileId": file, "type": "INVOICE", "description": "of March"}]
    await make_offramp(org, user, account, supportingInformation={"documents": documents})
    assert await org.refused("DELETE", f"/v2/files/{file}") == "409 RESOURCE_CONFLICT"


async def test_bank_order_contains_references_and_purpose(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(
        destination={"wireMessage": "Invoice 1\r\nof March"},
        purposeOfPayment="bills",
        description="not for the bank",
    )
    await accept(scenario.org, created)
    await scenario.run()
    (payment,) = scenario.rails.orders
    assert payment.texts == {"wireMessage": "Invoice 1\nof March", "purposeOfPayment": "bills"}


async def test_bank_order_contains_same_day_ach(scenario: OfframpScenario) -> None:
    account = await make_account(scenario.org, scenario.ada, way("us", "ach"))
    created = await make_offramp(
        scenario.org, scenario.ada, account, destination={"sameDayAch": True}
    )
    await accept(scenario.org, created)
    await scenario.run()
    assert [each.is_same_day for each in scenario.rails.orders] == [True]
