"""Finds parts of a migration that break the previous version, which still runs during it.

The rules are listed in docs/internals/testing.md. `find_breaks` reads SQL by words: enough for
migrations, which are plain DDL.
"""

import re
from collections.abc import Iterator

# Comments, and the inside of literals, which may hold any word.
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r"'(?:[^']|'')*'|(\$\w*\$).*?\1", re.DOTALL)
_CREATE_TABLE = re.compile(r"create (?:unlogged )?table (?:if not exists )?([\w.]+)")
_UNIQUE_INDEX = re.compile(
    r"create unique index (?:concurrently )?(?:if not exists )?(\w+) on (?:only )?([\w.]+)"
)
_ALTER_TABLE = re.compile(r"alter table (?:if exists )?(?:only )?([\w.]+) (.+)")
_DROP = re.compile(r"drop (table|view|type|schema) (?:if exists )?([\w.]+)")
_DROP_INDEX = re.compile(r"drop index (?:concurrently )?(?:if exists )?(\w+_p?key)\b")
_RENAME = re.compile(r"alter (\w+) (?:if exists )?([\w.]+) rename\b")
_CONSTRAINT = re.compile(r"add (?:constraint (\w+)|(primary|unique|foreign|check|exclude)\b)")
_ADD_COLUMN = re.compile(r"add (?:column )?(?:if not exists )?(\w+) (.+)")
_DROP_CONSTRAINT = re.compile(r"drop constraint (?:if exists )?(\w+_p?key)\b")
_DROP_COLUMN = re.compile(r"drop (?:column )?(?:if exists )?(\w+)")
_ALTER_COLUMN = re.compile(
    r"alter (?:column )?(\w+) (set not null|drop not null|drop default|(?:set data )?type\b)"
)
_DEFAULT = re.compile(r"\bdefault (?!null\b)|\bgenerated\b")


def find_breaks(sql: str) -> list[str]:
    """Return each part of a migration that may break the previous version: `orgs: drop column x`.

    Tables that the same migration creates are exempt: the previous version does not use them.
    """
    created: set[str] = set()
    breaks: list[str] = []
    for statement in _statements(sql):
        if new := _CREATE_TABLE.match(statement):
            created.add(new[1])
        elif altered := _ALTER_TABLE.match(statement):
            if altered[1] not in created:
                found = (_break_of(action) for action in _split(altered[2]))
                breaks += [f"{altered[1]}: {each}" for each in found if each]
        elif renamed := _RENAME.match(statement):
            breaks.append(f"{renamed[2]}: rename")
        elif unique := _UNIQUE_INDEX.match(statement):
            if unique[2] not in created:
                breaks.append(f"{unique[2]}: create unique index {unique[1]}")
        elif dropped := _DROP.match(statement):
            breaks.append(f"{dropped[2]}: drop {dropped[1]}")
        elif index := _DROP_INDEX.match(statement):
            breaks.append(f"{index[1]}: drop index")
    return breaks


def _break_of(action: str) -> str | None:  # noqa: PLR0911  one for each kind of action
    """Return what one action of `alter table` removes, if anything."""
    if action.startswith("rename"):
        return "rename"
    if added := _CONSTRAINT.match(action):
        return f"add constraint {added[1] or added[2]}"
    if column := _ADD_COLUMN.match(action):
        is_required = "not null" in column[2] or "primary key" in column[2]
        is_filled = _DEFAULT.search(column[2])
        return (
            f"add column {column[1]} without a default" if is_required and not is_filled else None
        )
    if changed := _ALTER_COLUMN.match(action):
        return f"alter column {changed[1]} {changed[2]}"
    if action.startswith("drop constraint"):
        dropped = _DROP_CONSTRAINT.match(action)
        return f"drop constraint {dropped[1]}" if dropped else None
    if column_drop := _DROP_COLUMN.match(action):
        return f"drop column {column_drop[1]}"
    return None


def _statements(sql: str) -> Iterator[str]:
    """Return the statements in lower case with single spaces, without comments and literals."""
    bare = _LITERAL.sub("''", _COMMENT.sub(" ", sql))
    for statement in bare.split(";"):
        if words := statement.lower().replace('"', "").split():
            yield " ".join(words)


def _split(actions: str) -> Iterator[str]:
    """Return the actions of an `alter table`, separated by commas outside parentheses."""
    depth = start = 0
    for index, letter in enumerate(actions):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            yield actions[start:index].strip()
            start = index + 1
    yield actions[start:].strip()
