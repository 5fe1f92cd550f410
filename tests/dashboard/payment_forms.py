"""Filling in forms of payments as a browser without scripts would."""

from typing import Any

from tests.dashboard.browsing import Opened, Visit

NEW = "/dashboard/new"


def filled(page: Opened, **typed: Any) -> dict[str, Any]:
    """All fields of the page's form as they stand there, with what was typed."""
    form = page.tree.xpath("//main//form[@method='post'][.//button[@name='step']]")[0]
    found: dict[str, Any] = {}
    for name, value in form.form_values():
        found.setdefault(name, []).append(value)
    found.pop("csrf", None)
    return {**found, **typed}


async def begin(somebody: Visit, kind: str, user: str, **typed: Any) -> dict[str, Any]:
    """The fields of a new form, filled in."""
    return filled(await somebody.see(f"{NEW}/{kind}", userId=user), **typed)


async def review(somebody: Visit, kind: str, user: str, **typed: Any) -> Opened:
    """The review of a form."""
    fields = await begin(somebody, kind, user, **typed)
    return await somebody.send(f"{NEW}/{kind}", {**fields, "step": "review"})


async def make(somebody: Visit, kind: str, user: str, **typed: Any) -> str:
    """The id of a payment that was reviewed and made."""
    seen = await review(somebody, kind, user, **typed)
    assert seen.status == 200, f"{seen.status} {seen.text}"
    where = await somebody.done(f"{NEW}/{kind}", {**filled(seen), "step": "create"})
    assert where.startswith("/dashboard/transactions/")
    return where.rpartition("/")[2]
