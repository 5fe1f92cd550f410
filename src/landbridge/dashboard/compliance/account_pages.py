"""Reviews of bank accounts with a holder that matches a list."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import Controller, get, post
from litestar.params import FromQuery

from landbridge.customers.bank_accounts.review_api import AccountReviewPage
from landbridge.dashboard.list_queries import load_list
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.users.account_labels import type_label
from landbridge.platform.core.errors import Busy, FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_TEMPLATE = "compliance/accounts.html"
_ADDRESS = "/dashboard/reviews/accounts"
_REVIEWS = "/v2/reviews/accounts"
_PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class AccountReviewResult:
    """Result for one selected account; `refusal` is None if the decision was recorded."""

    account_id: str
    refusal: Refused | Busy | None

    @property
    def refusal_message(self) -> str | None:
        """Return the message of a refusal; None if decided or if the service was busy."""
        return self.refusal.message if isinstance(self.refusal, Refused) else None


class AccountReviewPages(Controller):
    """Bank accounts waiting for review."""

    path = "/reviews/accounts"

    @get()
    async def queue(self, request: PageRequest, *, after: FromQuery[str] = "") -> Page:
        """List accounts, longest waiting first."""
        return request.page(_TEMPLATE, **await _values(request.interface, after, Form()))

    @post(status_code=200)
    async def decide(self, request: PageRequest) -> Page:
        """Decide on all selected accounts; a refusal is reported and does not stop the others."""
        form = await read_form(request)
        account_ids = [each for each in dict.fromkeys(form.texts("accountId")) if each][:_PAGE_SIZE]
        submitted = {"decision": form.text("decision"), "reason": form.maybe("reason")}
        body = {name: value for name, value in submitted.items() if value is not None}
        results = [await _decide(request.interface, each, body) for each in account_ids]
        refusals = [each.refusal for each in results if each.refusal is not None]
        if results and not refusals:
            return redirect(_ADDRESS, notice=_("Decision recorded"))
        values = await _values(request.interface, "", form)
        if len(refusals) < len(results):
            values["results"] = results
            return request.page(_TEMPLATE, **values)
        none_selected = FieldInvalid(_("Select at least one account first."), field="accountId")
        problem = next((each for each in refusals if isinstance(each, Refused)), None)
        if results and problem is None:
            raise refusals[0]
        return request.with_problem(_TEMPLATE, problem or none_selected, **values)


async def _decide(
    interface: InternalClient, account_id: str, body: Mapping[str, str]
) -> AccountReviewResult:
    """Decide on one account."""
    try:
        await interface.post(f"{_REVIEWS}/{account_id}", body)
    except (Refused, Busy) as error:
        return AccountReviewResult(account_id, error)
    return AccountReviewResult(account_id, None)


async def _values(interface: InternalClient, after: str, form: Form) -> dict[str, object]:
    found, filter_error = await load_list(
        interface.read(AccountReviewPage, _REVIEWS, limit=_PAGE_SIZE, cursor=after or None),
        AccountReviewPage(count=0, reviews=[]),
    )
    return {
        "filter_error": filter_error,
        "results": [],
        "reviews": found.reviews,
        "next_cursor": found.next_cursor if found.count == _PAGE_SIZE else None,
        "after": after,
        "form": form,
        "type_label": type_label,
        "selected": set(form.texts("accountId")),
    }
