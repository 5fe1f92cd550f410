"""Contract of the identity port; each adapter's tests run it with their adapter."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicantOwner,
    ApplicationStatus,
    CheckResult,
    Identity,
    IdentityReview,
    NotSubmitted,
    RejectType,
    ReviewOutcome,
    StillPending,
    validate_reference,
    validate_result,
)

DAY = timedelta(days=1)
ORG_ID = uuid4()


def applicant(
    *,
    key: str | None = None,
    last_name: str = "Example",
    facts: Mapping[str, Any] | None = None,
) -> Applicant:
    """Return an individual applicant."""
    return Applicant(
        key=key or f"{uuid4().hex}-{uuid4().hex}-1",
        org_id=ORG_ID,
        case_id=uuid4(),
        is_business=False,
        rail="USD",
        last_name=last_name,
        business_name=None,
        facts={"firstName": "Ada", "lastName": last_name} if facts is None else facts,
        owners=(),
    )


def business(*owners: str, name: str = "Example Ltd", file_name: str | None = None) -> Applicant:
    """Return a business with owners of these last names."""
    return Applicant(
        key=f"{uuid4().hex}-{uuid4().hex}-1",
        org_id=ORG_ID,
        case_id=uuid4(),
        is_business=True,
        rail="USD",
        last_name=None,
        business_name=name,
        facts={"businessName": name if file_name is None else file_name},
        owners=[
            ApplicantOwner(id=uuid4(), last_name=each, facts={"lastName": each}) for each in owners
        ],
    )


def document(document_id: UUID | None = None) -> ApplicantDocument:
    """Return a passport."""

    async def read() -> bytes:
        return b"%PDF-1.4"

    return ApplicantDocument(
        id=document_id or uuid4(),
        owner_id=None,
        type="PASSPORT",
        sub_type="SINGLE_SIDE",
        issued_country="USA",
        number="P1234567",
        url=None,
        read=read,
    )


async def submitted(identity: Identity, applicant_: Applicant) -> str:
    """Submit a complete application and return its reference."""
    reference = validate_reference(await identity.create(applicant_))
    await identity.attach(reference, document())
    assert isinstance(validate_result(await identity.submit(reference)), StillPending)
    return reference


class IdentityContract:
    """Subclass it, and provide an `identity` fixture."""

    async def test_one_key_creates_one_application(self, identity: Identity) -> None:
        applicant_ = applicant()
        first = validate_reference(await identity.create(applicant_))
        assert await identity.create(applicant_) == first
        await identity.submit(first)
        assert await identity.create(applicant_) == first

    async def test_another_key_creates_another_application(self, identity: Identity) -> None:
        assert await identity.create(applicant()) != await identity.create(applicant())

    async def test_a_document_can_be_attached_twice(self, identity: Identity) -> None:
        reference, one = await identity.create(applicant()), document()
        await identity.attach(reference, one)
        await identity.attach(reference, one)

    async def test_a_submission_can_be_repeated(self, identity: Identity) -> None:
        reference = await submitted(identity, applicant())
        before = validate_result(await identity.status(reference, waited=timedelta()))
        assert isinstance(validate_result(await identity.submit(reference)), StillPending)
        assert validate_result(await identity.status(reference, waited=timedelta())) == before

    async def test_a_submitted_application_is_never_reported_as_not_submitted(
        self, identity: Identity
    ) -> None:
        reference = await submitted(identity, applicant())
        for waited in (timedelta(), timedelta(seconds=10), DAY):
            status = validate_result(await identity.status(reference, waited=waited))
            assert not isinstance(status, NotSubmitted)

    async def test_a_result_stays_the_same(self, identity: Identity) -> None:
        reference = await submitted(identity, applicant())
        answers = [validate_result(await identity.status(reference, waited=DAY)) for _ in range(3)]
        assert answers[0] == answers[1] == answers[2]

    async def test_a_foreign_message_is_rejected(self, identity: Identity) -> None:
        for raw in (b"", b"{}", b"\xff\x00", b'{"key": "a"}', b"[" * 10_000):
            with pytest.raises(Rejected):
                identity.read_review(raw, {})

    async def test_a_business_can_be_verified(self, identity: Identity) -> None:
        reference = await submitted(identity, business("Example"))
        status: ApplicationStatus = validate_result(await identity.status(reference, waited=DAY))
        assert not isinstance(status, NotSubmitted)


def declined(reject_type: RejectType, *reasons: str, comment: str | None = None) -> IdentityReview:
    """Return a decline of the whole application."""
    result = CheckResult(
        answer=ReviewOutcome.DECLINED,
        reject_type=reject_type,
        reject_reasons=reasons,
        comment=comment,
    )
    return IdentityReview(result=result)


def approved() -> IdentityReview:
    """Return an approval."""
    return IdentityReview(result=CheckResult(answer=ReviewOutcome.APPROVED))
