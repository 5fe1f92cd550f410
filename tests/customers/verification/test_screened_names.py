"""Which names of a submission are compared with sanctions lists."""

from typing import Any

from landbridge.customers.verification.model import SubmissionSnapshot, SubmittedOwner
from landbridge.customers.verification.screened_names import needs_person, subjects
from landbridge.platform.core.ids import new_id
from landbridge.providers.screening.model import ScreeningResult


def snapshot(*, is_business: bool, **data: Any) -> SubmissionSnapshot:
    """Build a submission with this data."""
    owner = SubmittedOwner(id=new_id(), data={"firstName": "Bob", "lastName": "Owner"})
    return SubmissionSnapshot(
        is_business=is_business,
        email="ada@example.com",
        first_name=None if is_business else "Ada",
        last_name=None if is_business else "Account",
        business_name="Account Ltd" if is_business else None,
        data=data,
        owners=(owner,) if is_business else (),
        documents=(),
    )


def test_a_person_is_screened_by_every_name_once() -> None:
    kyc = snapshot(
        is_business=False,
        firstName="Ada",
        middleName="King",
        lastName="Lovelace",
        firstNameLocal="Ада",
        dateOfBirth="1990-01-01",
    )
    assert [each.name for each in subjects(kyc)] == ["Ada King Lovelace", "Ada Account", "Ада"]
    assert {str(each.born) for each in subjects(kyc)} == {"1990-01-01"}


def test_a_business_is_screened_with_its_owners() -> None:
    kyc = snapshot(
        is_business=True,
        businessName="Account Ltd",
        tradeName="Shop",
        alternativeNames=["Store", 7, " "],
        dateOfBirth="nonsense",
    )
    assert [(each.name, each.type) for each in subjects(kyc)] == [
        ("Account Ltd", "business"),
        ("Shop", "business"),
        ("Bob Owner", "individual"),
        ("Store", "business"),
    ]


def test_only_a_main_name_that_could_not_be_compared_needs_a_person() -> None:
    kyc = snapshot(is_business=False, firstName="Ада", firstNameLocal="Ädä")
    assert needs_person(kyc, ScreeningResult("v", (), ("Ада",)))
    assert not needs_person(kyc, ScreeningResult("v", (), ("Ädä",)))
    assert not needs_person(kyc, ScreeningResult(None, ()))
    assert needs_person(kyc, ScreeningResult(None, (), lacks_list=True))
