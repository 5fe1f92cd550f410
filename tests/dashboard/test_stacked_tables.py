"""Labels that table cells have on a phone."""

from markupsafe import Markup

from landbridge.dashboard.stacked_tables import label_cells


def test_each_cell_has_the_heading_of_its_column() -> None:
    rows = Markup(
        '<tr><th scope="row">A</th><td class="number">1</td></tr><tr><th>B</th><td>2</td>'
    )
    labelled = label_cells(rows, ["Account", ("In & out", "number")])
    assert labelled == (
        '<tr><th scope="row">A</th><td data-label="In &amp; out" class="number">1</td></tr>'
        '<tr><th>B</th><td data-label="In &amp; out">2</td>'
    )


def test_a_cell_across_columns_has_no_label_and_counts_them() -> None:
    rows = Markup('<tr><th colspan="2">Total</th><td>1</td></tr><tr><td colspan="3">All</td></tr>')
    labelled = label_cells(rows, ["Account", "Chain", "Debit"])
    assert labelled == (
        '<tr><th colspan="2">Total</th><td data-label="Debit">1</td></tr>'
        '<tr><td colspan="3">All</td></tr>'
    )


def test_values_of_cells_stay_escaped() -> None:
    value = Markup("<tr><td>{}</td></tr>").format("<td>")
    assert "&lt;td&gt;" in label_cells(value, ["Name"])
