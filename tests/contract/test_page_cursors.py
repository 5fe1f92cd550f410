"""Following `nextCursor` shows each item of a list once, and ends: as the client libraries do."""

import re
from typing import Any

from tests.contract.resources import KINDS, kind_of, make_things
from tests.tenants import Tenant

# More pages than the things of a test have.
_PAGES_MAX = 500
# Parameters that a list requires.
_REQUIRED = {"chain": "POLYGON", "currency": "usdc"}


def _values(schema: dict[str, Any]) -> list[str]:
    """Return the choices of a parameter that is one of them, or several."""
    for part in (schema, schema.get("items", {}), *schema.get("oneOf", ())):
        found = part.get("enum") or part.get("items", {}).get("enum")
        if found:
            return [each for each in found if each]
    return []


async def test_pages_by_cursor_have_each_item_once_and_end(org: Tenant) -> None:
    things = await make_things(org)
    document = (await org.client.get("/openapi.json")).json()
    followed: dict[str, int] = {}
    for path, operations in document["paths"].items():
        operation = operations.get("get", {})
        items = operation.get("x-items")
        given = {each["name"]: each.get("schema", {}) for each in operation.get("parameters", ())}
        required = {
            each["name"] for each in operation.get("parameters", ()) if each.get("required")
        }
        if items is None or "cursor" not in given:
            continue
        query: dict[str, str | int] = {"limit": 1} if "limit" in given else {}
        query |= {name: value for name, value in _REQUIRED.items() if name in required}
        # A queue shows what waits; what was decided on is of another status.
        statuses = _values(given.get("status", {})) if path.startswith("/v2/reviews/") else []
        if statuses:
            query["status"] = ",".join(statuses)
        where = re.sub(
            r"{(\w+)}",
            lambda name, path=path: (
                things.by_kind[kind_of(path, name[1])] if name[1] in KINDS else "NEW_USERS"
            ),
            path,
        )
        answer = await org.send("GET", where, **query)
        seen: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_PAGES_MAX):
            if answer.status_code != 200:
                break
            page = answer.json()
            seen += page[items]
            # The end of the log of events has a cursor too, for those that come later.
            if page.get("nextCursor") in {None, cursor}:
                break
            cursor = page["nextCursor"]
            answer = await org.send("GET", where, **query, cursor=page["nextCursor"])
        else:
            raise AssertionError(f"{where} does not end")
        assert answer.status_code == 200, f"{where}: {answer.text}"
        ids = [each["id"] for each in seen if "id" in each]
        assert len(set(ids)) == len(ids), f"{where} repeats items"
        followed[path] = len(seen)
    assert len(followed) > 25
    assert sum(each > 1 for each in followed.values()) > 8
