"""Payment forms, filled in as by a browser without scripts."""

from typing import Any

from tests.dashboard.browsing import DashboardPage, Visitor

NEW = "/dashboard/new"


def filled(page: DashboardPage, **fields: Any) -> dict[str, Any]:
    """Return all fields of the page's form, with these values entered."""
    form = page.tree.xpath("//main//form[@method='post'][.//button[@name='step']]")[0]
    found: dict[str, Any] = {}
    for name, value in form.form_values():
        found.setdefault(name, []).append(value)
    found.pop("csrf", None)
    return {**found, **fields}


async def begin(visitor: Visitor, kind: str, user: str, **fields: Any) -> dict[str, Any]:
    """Return the fields of a new form, with these values entered."""
    return filled(await visitor.load(f"{NEW}/{kind}", userId=user), **fields)


async def review(visitor: Visitor, kind: str, user: str, **form_fields: Any) -> DashboardPage:
    """Submit a form for review."""
    fields = await begin(visitor, kind, user, **form_fields)
    return await visitor.send(f"{NEW}/{kind}", {**fields, "step": "review"})


async def create_payment(visitor: Visitor, kind: str, user: str, **fields: Any) -> str:
    """Review and create a payment, and return its ID."""
    page = await review(visitor, kind, user, **fields)
    assert page.status == 200, f"{page.status} {page.text}"
    path = await visitor.submit(f"{NEW}/{kind}", {**filled(page), "step": "create"})
    assert path.startswith("/dashboard/transactions/")
    return path.rpartition("/")[2]
