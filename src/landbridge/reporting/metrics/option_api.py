"""Routes of options: /v2/reporting/params. Source: contract, reporting 5."""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.platform.core.errors import FieldsInvalid, ResourceNotFound
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import integer, query
from landbridge.platform.http.responses import WireStruct
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.contract_templates import USER
from landbridge.reporting.metrics.params import VALUES_MAX
from landbridge.reporting.metrics.templates import FILTERS
from landbridge.reporting.metrics.user_options import user_page

_LIMIT_DEFAULT = 100
# Largest page number, far above what any organisation has.
_PAGE_MAX = 1_000_000_000


class OptionMetadata(WireStruct, frozen=True):
    """Page position: `count` is of the page, `total` of all pages."""

    count: int
    page: int
    limit: int
    total: int
    total_pages: int
    has_more: bool


class OptionList(WireStruct, frozen=True):
    """Values of a parameter; users oldest first, others in the order that templates have them."""

    status: str
    data: list[str]
    metadata: OptionMetadata


class OptionRoutes(Controller):
    """Allowed values of parameters."""

    path = "/v2/reporting/params"
    tags = ("Reporting",)

    @get(
        "/{name:str}/options",
        summary="List what a parameter may be",
        operation_id="metrics.listOptions",
    )
    async def page(
        self,
        request: ApiRequest,
        name: FromPath[str],
        calculator: NamedDependency[Calculator],
        page: Annotated[
            str | None,
            query("page", integer(1, _PAGE_MAX), description="From 1, which is the default."),
        ] = None,
        limit: Annotated[
            str | None,
            query(
                "limit", integer(1, VALUES_MAX), description="Values per page, 1 to 1000; else 100."
            ),
        ] = None,
    ) -> OptionList:
        """List a page of the values of `transactionTypes`, `userIds` and other template filters."""
        dimension = FILTERS.get(name)
        if dimension is None or (dimension.options is None and dimension.name != USER.name):
            raise ResourceNotFound(f"there are no options of {name[:100]}")
        number, size = _window(page, limit)
        offset = (number - 1) * size
        if dimension.options is None:
            org_id = request.user.org_id
            ids, total = await user_page(calculator.sources, org_id, offset=offset, limit=size)
            data = [str(each) for each in ids]
        else:
            data, total = list(dimension.options[offset : offset + size]), len(dimension.options)
        pages = -(-total // size)
        return OptionList(
            status="success",
            data=data,
            metadata=OptionMetadata(
                count=len(data),
                page=number,
                limit=size,
                total=total,
                total_pages=pages,
                has_more=number < pages,
            ),
        )


def _window(page: str | None, limit: str | None) -> tuple[int, int]:
    """Return page number and page size; raises `FieldsInvalid` with every invalid parameter."""
    number, size = _whole(page, 1, _PAGE_MAX), _whole(limit, _LIMIT_DEFAULT, VALUES_MAX)
    problems: dict[str, str] = {}
    if number is None:
        problems["page"] = f"page must be a whole number from 1 to {_PAGE_MAX}"
    if size is None:
        problems["limit"] = f"limit must be a whole number from 1 to {VALUES_MAX}"
    if number is None or size is None:
        raise FieldsInvalid(problems)
    return number, size


def _whole(text: str | None, default: int, most: int) -> int | None:
    """Parse a number from 1 to `most`; None if the text is not such a number."""
    if text is None:
        return default
    is_number = len(text) <= len(str(most)) and text.isascii() and text.isdigit()
    return int(text) if is_number and 1 <= int(text) <= most else None
