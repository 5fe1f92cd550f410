"""Our own lint on transactions: what has a connection waits for no other one.

Transactions that wait for a second connection can hold all that there are: then none of them ends.
"""

import ast
from collections.abc import Iterator

from tests.sources import PACKAGE, report, sources

# File, and what is awaited there without the transaction.
ALLOWED = {
    ("app/backups/backup.py", "pg_programs.dump"): "another program, and a command",
    ("payments/bank_files/payments.py", "self._end"): "passes the transaction on, in a tuple",
    ("providers/evm/outbox/signing_step.py", "self._attempt"): "no database: the signer",
    ("providers/evm/outbox/sending_step.py", "context.signer.sign_transaction"): "no database",
    ("providers/evm/outbox/sending_step.py", "self._relayers.key_of"): "kept in memory",
    ("providers/evm/outbox/sending_step.py", "self._context.wallet_keys.signing_key"): (
        "one transaction of a chain at a time, in a worker"
    ),
    ("ledger/record_audit.py", "records.fetch"): "a cursor of the transaction",
    ("ledger/record_audit.py", "changes.take"): "a cursor of the transaction",
    ("ledger/record_audit.py", "entries.take"): "a cursor of the transaction",
}


def test_a_transaction_waits_for_no_other_connection() -> None:
    findings = [
        f"{path}:{line}: {awaited}"
        for path, line, awaited in _found()
        if (path, awaited) not in ALLOWED
    ]
    rule = "Await it before the transaction, or pass the transaction on:"
    assert not findings, report(rule, findings)


def test_every_exception_is_needed() -> None:
    assert {(path, awaited) for path, _, awaited in _found()} >= set(ALLOWED)


def _found() -> Iterator[tuple[str, int, str]]:
    """Yield each await in a function with a transaction that does not pass it on."""
    for source in sources("src"):
        path = source.path.relative_to(PACKAGE).as_posix()
        for function in source.nodes:
            if isinstance(function, ast.AsyncFunctionDef) and "tx" in _parameters(function):
                for call in _awaited(function):
                    if not _passes_on(call):
                        yield path, call.lineno, ast.unparse(call.func)


def _awaited(node: ast.AST) -> Iterator[ast.Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.AsyncFunctionDef | ast.FunctionDef):
            continue
        if isinstance(child, ast.Await) and isinstance(child.value, ast.Call):
            yield child.value
        yield from _awaited(child)


def _passes_on(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "tx" for each in ast.walk(call))


def _parameters(function: ast.AsyncFunctionDef) -> set[str]:
    return {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
