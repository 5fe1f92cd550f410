"""The documentation of events lists every type of the catalogue."""

import os

from landbridge.developers.events.names import CATALOGUE
from tests.sources import ROOT

PAGE = ROOT / "docs/reference/events.md"
BEGIN, END = "<!-- names:begin -->\n", "<!-- names:end -->"


def test_the_page_has_every_name() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    due = f"{before}{BEGIN}\n{_table()}\n\n{END}{after}"
    if os.environ.get("WRITE_FIGURES"):
        PAGE.write_text(due, encoding="utf-8")
        text = due
    assert text == due, "Run this with WRITE_FIGURES=1 to renew the table of docs/reference."


def _table() -> str:
    lines = ["| `eventType` | When |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{each.type}` | {each.meaning} |" for each in CATALOGUE)])
