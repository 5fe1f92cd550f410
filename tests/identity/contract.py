"""What every adapter of the identity port must do; each adapter's tests hand theirs in."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.core.errors import Rejected
from landbridge.identity.port import (
    Answer,
    Applicant,
    Document,
    Identity,
    NotSubmitted,
    Owner,
    RejectType,
    Result,
    Review,
    Standing,
    StillPending,
    checked,
    checked_reference,
)

DAY = timedelta(days=1)


def applicant(
    *,
    key: str | None = None,
    last_name: str = "Example",
    facts: Mapping[str, Any] | None = None,
) -> Applicant:
    """A person."""
    return Applicant(
        key=key or f"{uuid4().hex}-{uuid4().hex}-1",
        is_business=False,
        rail="USD",
        last_name=last_name,
        business_name=None,
        facts={"firstName": "Ada", "lastName": last_name} if facts is None else facts,
        owners=(),
    )


def business(*owners: str, name: str = "Example Ltd", told_name: str | None = None) -> Applicant:
    """A business whose owners have these last names."""
    return Applicant(
        key=f"{uuid4().hex}-{uuid4().hex}-1",
        is_business=True,
        rail="USD",
        last_name=None,
        business_name=name,
        facts={"businessName": name if told_name is None else told_name},
        owners=[Owner(id=uuid4(), last_name=each, facts={"lastName": each}) for each in owners],
    )


def document(document_id: UUID | None = None) -> Document:
    """A passport."""

    async def read() -> bytes:
        return b"%PDF-1.4"

    return Document(
        id=document_id or uuid4(),
        owner_id=None,
        type="PASSPORT",
        sub_type="SINGLE_SIDE",
        issued_country="USA",
        number="P1234567",
        url=None,
        read=read,
    )


async def submitted(identity: Identity, who: Applicant) -> str:
    """The reference of an application that was handed over whole."""
    reference = checked_reference(await identity.create(who))
    await identity.attach(reference, document())
    assert isinstance(checked(await identity.submit(reference)), StillPending)
    return reference


class IdentityContract:
    """Subclass it, and give it an `identity` fixture."""

    async def test_the_same_key_makes_one_application(self, identity: Identity) -> None:
        who = applicant()
        first = checked_reference(await identity.create(who))
        assert await identity.create(who) == first
        await identity.submit(first)
        assert await identity.create(who) == first

    async def test_another_key_makes_another_application(self, identity: Identity) -> None:
        assert await identity.create(applicant()) != await identity.create(applicant())

    async def test_a_document_can_be_attached_twice(self, identity: Identity) -> None:
        reference, one = await identity.create(applicant()), document()
        await identity.attach(reference, one)
        await identity.attach(reference, one)

    async def test_a_submission_can_be_repeated(self, identity: Identity) -> None:
        reference = await submitted(identity, applicant())
        before = checked(await identity.status(reference, waited=timedelta()))
        assert isinstance(checked(await identity.submit(reference)), StillPending)
        assert checked(await identity.status(reference, waited=timedelta())) == before

    async def test_what_was_submitted_is_never_called_unsubmitted(self, identity: Identity) -> None:
        reference = await submitted(identity, applicant())
        for waited in (timedelta(), timedelta(seconds=10), DAY):
            standing = checked(await identity.status(reference, waited=waited))
            assert not isinstance(standing, NotSubmitted)

    async def test_an_answer_stays_the_same(self, identity: Identity) -> None:
        reference = await submitted(identity, applicant())
        answers = [checked(await identity.status(reference, waited=DAY)) for _ in range(3)]
        assert answers[0] == answers[1] == answers[2]

    async def test_a_message_that_is_not_the_providers_is_refused(self, identity: Identity) -> None:
        for raw in (b"", b"{}", b"\xff\x00", b'{"key": "a"}', b"[" * 10_000):
            with pytest.raises(Rejected):
                identity.read_review(raw, {})

    async def test_a_business_can_be_checked(self, identity: Identity) -> None:
        reference = await submitted(identity, business("Example"))
        standing: Standing = checked(await identity.status(reference, waited=DAY))
        assert not isinstance(standing, NotSubmitted)


def declined(reject_type: RejectType, *reasons: str, comment: str | None = None) -> Review:
    """A decline of the whole."""
    result = Result(
        answer=Answer.DECLINED, reject_type=reject_type, reject_reasons=reasons, comment=comment
    )
    return Review(result=result)


def approved() -> Review:
    """An approval."""
    return Review(result=Result(answer=Answer.APPROVED))
