"""Database functions that lock and then write, so that a batch is one round trip.

Their bodies are in `statements.py`, and migration 0079 creates them. A changed body needs a new
migration and a new version in `VERSION`: processes of the previous version may still run, and call
the function they know.
"""

import re
from dataclasses import dataclass
from typing import Final

from landbridge.ledger.statements import (
    ADVANCE_ARGUMENTS,
    ADVANCE_BODY,
    CREATE_ARGUMENTS,
    CREATE_BODY,
    SETTINGS,
)
from landbridge.platform.changes import node_functions, placing
from landbridge.platform.db.migrate import MigrationRejected
from landbridge.platform.db.pool import Database

VERSION: Final = 3
# Functions of the previous version; the next version drops them.
PREVIOUS: Final = ("lock_and_create_2", "lock_and_advance_2")
_ARGUMENT = re.compile(r"\b(\w+) (\w+(?:\[\])?)")
# Patterns of the parts that differ in the variant of a function for one organisation.
_ITS_ORG: Final = re.compile(r"\borg_ids\[(?:[^\[\]]|\[[^\]]*\])*\]|\bi\.org_id\b")
_OTHERS_ORG: Final = re.compile(r"\b(\w+)\.org_id = (\w+)\.org_id\b")
# Pattern of a column set to a bare subscript, which crashes a node of Citus 13.
_SET_TO_SUBSCRIPT: Final = re.compile(r"(\w+ = )(\w+\[i\.item\])(?=[,\n])")
_SOURCE: Final = "select prosrc from pg_proc where proname = $1"


@dataclass(frozen=True, slots=True)
class LockingFunction:
    """Database function that takes locks, and returns the outcome of each item."""

    name: str
    arguments: str
    body: str

    @property
    def of_one(self) -> "LockingFunction":
        """Return the variant for one organisation, which a distributed database runs on its node.

        All tables are compared with the organisation itself, so that the planner finds the node.
        Arrays are passed as texts, because the coordinator sends only constants, without casts.
        """
        arrays = [each for each in _ARGUMENT.findall(self.arguments) if each[1].endswith("[]")]
        declared = "".join(f"    {name} {kind} := {name}_text::{kind};\n" for name, kind in arrays)
        body = _ITS_ORG.sub("org", self.body.replace("declare\n", f"declare\n{declared}", 1))
        body = _OTHERS_ORG.sub(r"\1.org_id = org and \1.org_id = \2.org_id", body)
        body = _SET_TO_SUBSCRIPT.sub(r"\1coalesce(\2)", body)
        arguments = re.sub(r"(\w+) \w+\[\]", r"\1_text text", self.arguments)
        return LockingFunction(f"{self.name}_of_one", f"\n    org uuid,{arguments}", body)

    @property
    def types(self) -> list[str]:
        """Return the types of the arguments."""
        return [kind for _, kind in _ARGUMENT.findall(self.arguments)]

    @property
    def definition(self) -> str:
        """Return the statement that creates the function, as in the migration."""
        settings = " ".join(f"set {each} = off" for each in SETTINGS)
        return (
            f"create function {self.name}({self.arguments}) returns text[]\n"
            f"language plpgsql volatile\n{settings}\nas $function${self.body}$function$;\n"
        )

    @property
    def call(self) -> str:
        """Return the statement that calls the function, with arguments as text (db/arrays.py)."""
        arguments = ", ".join(
            # The coordinator finds the node by a plain parameter, not by an expression.
            f"${n}::uuid" if kind == "uuid" else f"${n}::text::{kind}"
            for n, kind in enumerate(self.types, start=1)
        )
        return f"select {self.name}({arguments})"


LOCK_AND_CREATE: Final = LockingFunction(
    f"lock_and_create_{VERSION}", CREATE_ARGUMENTS, CREATE_BODY
)
LOCK_AND_ADVANCE: Final = LockingFunction(
    f"lock_and_advance_{VERSION}", ADVANCE_ARGUMENTS, ADVANCE_BODY
)

FUNCTIONS: Final = (LOCK_AND_CREATE, LOCK_AND_ADVANCE)
FUNCTIONS_OF_ONE: Final = (LOCK_AND_CREATE.of_one, LOCK_AND_ADVANCE.of_one)
# Functions that a distributed database runs on the node of an organisation.
NODE_FUNCTIONS: Final = (
    *(each.name for each in FUNCTIONS_OF_ONE),
    node_functions.PLACE_NAME,
    node_functions.APPEND_NAME,
)


async def check_functions(database: Database) -> None:
    """Raise `MigrationRejected` unless the database has the functions of this version."""
    bodies = {each.name: each.body for each in (*FUNCTIONS, *FUNCTIONS_OF_ONE)}
    bodies |= {placing.NAME: placing.BODY, node_functions.PLACE_NAME: node_functions.PLACE_BODY}
    bodies[node_functions.APPEND_NAME] = node_functions.APPEND_BODY
    for name, body in bodies.items():
        rows = await database.rows(_SOURCE, name)
        if [row["prosrc"] for row in rows] != [body]:
            raise MigrationRejected(f"The database's function {name} is not that of this version.")
