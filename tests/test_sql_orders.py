"""Statements are ordered by columns, never by texts that they make of them.

PostgreSQL reads a bare name in `order by` as the output column. `select tx::text … order by tx`
therefore sorts texts: 9 comes after 10, and no index helps.
"""

import ast
import re

from tests.sources import report, sources

_TEXTS = re.compile(r"\b(?:\w+\.)?(\w+)::text\b(?:\s+as\s+(\w+))?")


def test_no_statement_is_ordered_by_a_text_of_a_column() -> None:
    findings = [
        f"{source.name}:{node.lineno}: {name}"
        for source in sources("src/landbridge")
        for node in source.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for name in sorted(_ordered_texts(node.value))
    ]
    rule = "Qualify the column in `order by`, which otherwise sorts by its text:"
    assert not findings, report(rule, findings)


def test_the_rule_finds_what_it_is_for() -> None:
    assert _ordered_texts("select tx::text from changes order by tx limit 1") == {"tx"}
    assert _ordered_texts("select c.tx::text as n from changes c order by c.seq, n") == {"n"}
    assert not _ordered_texts("select c.tx::text from changes c order by c.tx")
    assert not _ordered_texts("select c.tx::text as text from changes c order by tx")


def _ordered_texts(sql: str) -> set[str]:
    texts = {alias or name for name, alias in _TEXTS.findall(sql)}
    orders = re.findall(r"order by ([^()]*)", sql)
    bare = {each.split()[0] for order in orders for each in order.split(",") if each.split()}
    return texts & bare
