"""Reviews of bank accounts whose holder is like somebody on the sanctions list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery

from landbridge.core.errors import Busy, FieldInvalid, Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_TEMPLATE = "compliance/accounts.html"
_ADDRESS = "/dashboard/reviews/accounts"
_REVIEWS = "/v2/reviews/accounts"
_PAGE_SIZE = 50
_UNPROCESSABLE = 422


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of one of the accounts that were chosen: None if it was decided."""

    account_id: str
    refusal: Refused | Busy | None

    @property
    def why_not(self) -> str | None:
        """The sentence of a refusal; None if there is none, as of a service that was busy."""
        return self.refusal.message if isinstance(self.refusal, Refused) else None


class AccountReviewPages(Controller):
    """Accounts that wait for a reviewer."""

    path = "/reviews/accounts"

    @get()
    async def queue(
        self,
        request: PageRequest,
        *,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        after: FromQuery[str] = "",
    ) -> Page:
        """The longest waiting first."""
        values = await _values(interface, after, Form())
        status = _UNPROCESSABLE if values["wrong"] else 200
        return renderer.page(request, _TEMPLATE, status=status, **values)

    @post(status_code=200)
    async def decide(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Decide on all that were ticked; what is refused is told, and stops none of the others."""
        form = await read_form(request)
        wanted = [each for each in dict.fromkeys(form.texts("accountId")) if each][:_PAGE_SIZE]
        told = {"decision": form.text("decision"), "reason": form.maybe("reason")}
        body = {name: value for name, value in told.items() if value is not None}
        decided = [await _decide(interface, each, body) for each in wanted]
        refusals = [each.refusal for each in decided if each.refusal is not None]
        if decided and not refusals:
            return go(_ADDRESS, said=_("Decided."))
        values = await _values(interface, "", form)
        if len(refusals) < len(decided):
            values["decided"] = decided
            return renderer.page(request, _TEMPLATE, **values)
        nothing = FieldInvalid(_("Choose the accounts to decide on first."))
        problem = next((each for each in refusals if isinstance(each, Refused)), None)
        if decided and problem is None:
            raise refusals[0]
        return renderer.again(request, _TEMPLATE, problem or nothing, **values)


async def _decide(interface: Interface, account_id: str, body: Mapping[str, str]) -> Decided:
    """Decide on one."""
    try:
        await interface.post(f"{_REVIEWS}/{account_id}", body)
    except (Refused, Busy) as error:
        return Decided(account_id, error)
    return Decided(account_id, None)


async def _values(interface: Interface, after: str, form: Form) -> dict[str, Any]:
    found, wrong = await listed(
        interface.get(_REVIEWS, limit=_PAGE_SIZE, createdAfter=after or None),
        {"reviews": [], "count": 0, "nextCursor": None},
    )
    return {
        "wrong": wrong,
        "decided": [],
        "reviews": found["reviews"],
        "next_cursor": found["nextCursor"] if found["count"] == _PAGE_SIZE else None,
        "after": after,
        "form": form,
        "ticked": set(form.texts("accountId")),
    }
