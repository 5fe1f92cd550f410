"""The database's functions are those that the statements generate."""

import pytest

from landbridge.ledger.functions import LOCK_AND_ADVANCE, LOCK_AND_CREATE, check_functions
from landbridge.platform.changes import placing
from landbridge.platform.db.migrate import MigrationRejected, migrations
from landbridge.platform.db.pool import Database


@pytest.mark.parametrize(
    "definition",
    [LOCK_AND_CREATE.definition, LOCK_AND_ADVANCE.definition, placing.DEFINITION],
    ids=["create", "advance", "place"],
)
def test_the_migration_holds_the_generated_function(definition: str) -> None:
    assert any(definition in each.sql for each in migrations())


async def test_a_database_with_these_functions_is_accepted(database: Database) -> None:
    await check_functions(database)


@pytest.mark.parametrize("name", [LOCK_AND_ADVANCE.name, placing.NAME])
async def test_a_function_of_another_version_is_refused(own_database: Database, name: str) -> None:
    await own_database.rows(f"drop function {name}")
    with pytest.raises(MigrationRejected, match=name):
        await check_functions(own_database)
