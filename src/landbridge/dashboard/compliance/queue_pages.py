"""Reviews of users: the queue, one case with everything about it, and the decision."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from landbridge.core.errors import Refused
from landbridge.dashboard.compliance.file_pages import PICTURES
from landbridge.dashboard.compliance.standing import RAIL_WORDS
from landbridge.dashboard.compliance.told import Row, rows
from landbridge.dashboard.compliance.value_words import value_word
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.kyc.fields import BY_TYPE, OWNER
from landbridge.users.model import UserType
from landbridge.verification.model import KycStatus
from landbridge.verification.reviews import Choice
from landbridge.web.inside import Interface

_QUEUE, _CASE = "compliance/queue.html", "compliance/case.html"
_ADDRESS = "/dashboard/reviews/kyc"
_PAGE_SIZE = 50
_UNPROCESSABLE = 422
# What may be decided of a case in each status.
_CHOICES: Mapping[str, Sequence[Choice]] = {
    KycStatus.MANUAL_REVIEW: (
        Choice.APPROVE,
        Choice.REJECT,
        Choice.RETRY,
        Choice.REQUEST_INFORMATION,
    ),
    KycStatus.ACTIVE: (Choice.REVOKE,),
}
_REASON = "reason:"
_VERSION_MAX = 2**31 - 1


class KycReviewPages(Controller):
    """Cases that wait for a reviewer."""

    path = "/reviews/kyc"

    @get()
    async def queue(
        self,
        request: PageRequest,
        *,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        status: Annotated[str, QueryParameter(name="status")] = "",
        after: FromQuery[str] = "",
    ) -> Page:
        """The longest waiting first."""
        found, wrong = await listed(
            interface.get(
                "/v2/reviews/kyc",
                limit=_PAGE_SIZE,
                status=status or KycStatus.MANUAL_REVIEW,
                createdAfter=after or None,
            ),
            {"reviews": [], "count": 0, "nextCursor": None},
        )
        return renderer.page(
            request,
            _QUEUE,
            status=_UNPROCESSABLE if wrong else 200,
            wrong=wrong,
            reviews=found["reviews"],
            next_cursor=found["nextCursor"] if found["count"] == _PAGE_SIZE else None,
            status_wanted=status or KycStatus.MANUAL_REVIEW,
            statuses=[(each, each) for each in KycStatus if each is not KycStatus.INACTIVE],
            after=after,
            rail_words=RAIL_WORDS,
        )

    @get("/{case_id:str}")
    async def show(
        self,
        request: PageRequest,
        case_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """What was told and the documents side by side."""
        values = await _values(request, interface, case_id, Form())
        return renderer.page(request, _CASE, **values)

    @post("/{case_id:str}", status_code=200)
    async def decide(
        self,
        request: PageRequest,
        case_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Decide, and on to the next case that waits."""
        form = await read_form(request)
        try:
            await interface.post(f"/v2/reviews/kyc/{case_id}", _decision(form))
        except Refused as error:
            values = await _values(request, interface, case_id, form)
            return renderer.again(request, _CASE, error, **values)
        waiting = await interface.get("/v2/reviews/kyc", limit=2)
        others = [each["id"] for each in waiting["reviews"] if each["id"] != case_id]
        if not others:
            return go(_ADDRESS, said=_("Decided. Nobody else waits."))
        return go(f"{_ADDRESS}/{others[0]}", said=_("Decided. This is the next case."))


def _decision(form: Form) -> dict[str, Any]:
    """What the interface is told; what belongs to no decision is left out."""
    told = {
        "decision": form.text("decision"),
        "comment": form.maybe("comment"),
        "note": form.maybe("note"),
        "rejectReasons": _lines(form.text("rejectReasons")),
        "fields": form.texts("fields"),
        "documents": [
            {"id": each, "rejectReasons": _lines(form.text(f"{_REASON}{each}"))}
            for each in form.texts("documents")
        ],
    }
    body: dict[str, Any] = {name: value for name, value in told.items() if value}
    if form.text("version"):
        body["version"] = form.whole("version", least=0, most=_VERSION_MAX)
    return body


def _lines(text: str) -> list[str]:
    return [each.strip() for each in text.splitlines() if each.strip()]


async def _values(
    request: PageRequest, interface: Interface, case_id: str, form: Form
) -> dict[str, Any]:
    review = await interface.get(f"/v2/reviews/kyc/{case_id}")
    found = await asyncio.gather(
        *(_file(interface, each["fileId"]) for each in review["documents"] if each["fileId"])
    )
    files = {each["id"]: each for each in found if each}
    locale = request.user.language
    fields = BY_TYPE[UserType(review["kycInfo"]["type"])]
    people: list[tuple[Mapping[str, Any], list[Row]]] = [
        (each, rows(OWNER, each, locale)) for each in review["ultimateBeneficialOwners"]
    ]
    return {
        "review": review,
        "files": files,
        "pictures": PICTURES,
        "told": rows(fields, review["kycInfo"], locale),
        "people": people,
        "choices": _CHOICES.get(review["status"], ()),
        "form": form,
        "ticked": set(form.texts("fields")),
        "rejected": set(form.texts("documents")),
        "rail_words": RAIL_WORDS,
        "worded": value_word,
    }


async def _file(interface: Interface, file_id: str) -> Any:
    """What is known of a file; None if it is gone."""
    try:
        return await interface.get(f"/v2/files/{file_id}")
    except Refused:
        return None
