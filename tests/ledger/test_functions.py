"""The database's functions are those that the statements generate."""

import pytest

from landbridge.ledger.functions import LOCK_AND_ADVANCE, LOCK_AND_CREATE, check_functions
from landbridge.platform.db.migrate import MigrationRejected, migrations
from landbridge.platform.db.pool import Database


@pytest.mark.parametrize("function", [LOCK_AND_CREATE, LOCK_AND_ADVANCE])
def test_the_migration_holds_the_generated_function(function: object) -> None:
    definition = getattr(function, "definition", "")
    assert any(definition in each.sql for each in migrations())


async def test_a_database_with_these_functions_is_accepted(database: Database) -> None:
    await check_functions(database)


async def test_a_function_of_another_version_is_refused(own_database: Database) -> None:
    await own_database.rows(f"drop function {LOCK_AND_ADVANCE.name}")
    with pytest.raises(MigrationRejected, match=LOCK_AND_ADVANCE.name):
        await check_functions(own_database)
