"""Labels of table cells: on a phone, rows are stacked and the column headings are hidden."""

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

_START_TAG = re.compile(r"<(tr|td|th)\b([^>]*)>")
_SPAN = re.compile(r'colspan="(\d+)"')


def label_cells(rows: Markup, columns: Sequence[str | Sequence[str]]) -> Markup:
    """Return table rows whose data cells name their column in `data-label`, which the style shows.

    `columns` are as of the macro `table`: a heading, or a heading and more about it. Values
    in cells are escaped, so a tag found here is one of the table's.
    """
    headings = [each if isinstance(each, str) else each[0] for each in columns]
    index = 0

    def label(tag: re.Match[str]) -> str:
        nonlocal index
        name, attributes = tag.groups()
        if name == "tr":
            index = 0
            return tag[0]
        span = _SPAN.search(attributes)
        heading = headings[index] if index < len(headings) else ""
        index += 1 if span is None else int(span[1])
        if name == "th" or span is not None or not heading:
            return tag[0]
        return f'<td data-label="{escape(heading)}"{attributes}>'

    return Markup(_START_TAG.sub(label, rows))  # noqa: S704  the template's own markup
