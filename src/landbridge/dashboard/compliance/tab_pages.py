"""Compliance tab of a user: rail statuses, missing data, editing and submission."""

from collections.abc import Sequence
from typing import Annotated

from litestar import Controller, get, post
from litestar.params import FromPath, QueryParameter

from landbridge.customers.kyc.fields import BY_TYPE
from landbridge.customers.onboarding.api import KycLinkCreatedReply
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.verification.api import ProviderLinkReply
from landbridge.dashboard.compliance.kyc_data import RAIL_LABELS, load_verification, split_form
from landbridge.dashboard.compliance.kyc_form import FieldValues, changed_fields, decode_original
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.sandbox_personas import KEYWORDS
from landbridge.dashboard.users.page_context import user_context, user_path
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_TAB, _LINK = "compliance/tab.html", "compliance/link.html"
_PROVIDER_LINK = "compliance/provider_link.html"
Rails = Annotated[list[str] | None, QueryParameter(name="rails")]


class CompliancePages(Controller):
    """The compliance tab of a user."""

    path = "/users/{user_id:str}/compliance"

    @get()
    async def show(
        self, request: PageRequest, *, user_id: FromPath[str], rails: Rails = None
    ) -> Page:
        """Show the status of each rail and what is missing."""
        return request.page(_TAB, **await _tab(request, user_id, rails or ()))

    @post(status_code=200)
    async def save(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Save only the fields that were changed on the page."""
        form = await read_form(request)
        rails = form.texts("rails")
        user = await request.interface.read(UserReply, user_path(user_id))
        fields = BY_TYPE[user.type]
        original = decode_original(form.text("original"))
        changed = changed_fields(fields, form.fields, original, locale=request.user.language)
        try:
            if changed:
                await request.interface.post(f"/v2/users/{user_id}/kyc", changed)
        except Refused as error:
            values = await _tab(request, user_id, rails, form.fields)
            return request.with_problem(
                _TAB, error, **{**values, "original_values": form.text("original")}
            )
        message = _("Data saved") if changed else _("No changes to save")
        return redirect(_address(user_id, rails), notice=message)

    @post("/submit", status_code=200)
    async def submit(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Submit for all chosen rails, or for none."""
        rails = (await read_form(request)).texts("rails")
        try:
            await request.interface.post(f"/v2/users/{user_id}/kyc/submissions", {"rails": rails})
        except Refused as error:
            return request.with_problem(_TAB, error, **await _tab(request, user_id, rails))
        return redirect(
            _address(user_id, rails), notice=_("Submitted. Check the statuses below for progress.")
        )

    @get("/kyc-link")
    async def link_form(
        self, request: PageRequest, *, user_id: FromPath[str], rails: Rails = None
    ) -> Page:
        """Show the form for a link with which the user completes KYC themselves."""
        check_may_edit(request.user)
        values = await _link(request.interface, user_id, Form({"rails": rails or ["USD"]}))
        return request.page(_LINK, **values)

    @post("/kyc-link", status_code=200)
    async def create_link(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Create the link; it is shown only once."""
        form = await read_form(request)
        values = await _link(request.interface, user_id, form)
        fields = {
            "userId": user_id,
            "rails": form.texts("rails"),
            "redirectUrl": form.maybe("redirectUrl"),
            "recipientEmail": form.maybe("recipientEmail"),
        }
        body = {name: value for name, value in fields.items() if value is not None}
        try:
            created = await request.interface.submit(KycLinkCreatedReply, "/v2/kyc-link", body)
        except Refused as error:
            return request.with_problem(_LINK, error, **values)
        return request.page(_LINK, **{**values, "link_url": created.kyc_link_url})

    @post("/provider-link", status_code=200)
    async def open_provider_link(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Show a new link to the identity provider's page for the user."""
        rail = (await read_form(request)).text("rails")
        try:
            link = await request.interface.submit(
                ProviderLinkReply, f"/v2/users/{user_id}/kyc/provider-links", {"rails": rail}
            )
        except Refused as error:
            return request.with_problem(_TAB, error, **await _tab(request, user_id, [rail]))
        values = await _link(request.interface, user_id, Form({}))
        return request.page(_PROVIDER_LINK, **values, provider_link=link, rail=RAIL_LABELS[rail])


async def _tab(
    request: PageRequest, user_id: str, rails: Sequence[str], submitted: FieldValues | None = None
) -> dict[str, object]:
    found = await load_verification(request.interface, user_id, rails, request.user.language)
    return {
        **found.values,
        **split_form(BY_TYPE[found.user_type], found.info, found.requirements.user, submitted),
        "keywords": KEYWORDS,
    }


async def _link(interface: InternalClient, user_id: str, form: Form) -> dict[str, object]:
    return {
        **await user_context(interface, user_id),
        "form": form,
        "rail_labels": RAIL_LABELS,
        "link_url": None,
    }


def _address(user_id: str, rails: Sequence[str]) -> str:
    query = "&".join(f"rails={each}" for each in rails if each in RAIL_LABELS)
    return f"/dashboard/users/{user_id}/compliance" + (f"?{query}" if query else "")
