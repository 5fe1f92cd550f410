"""Records the threads that call a function."""

import threading
from importlib import import_module
from typing import Any

import pytest


def threads_of(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> set[int]:
    """Return a growing set of the threads that call this function of a module from now on.

    The set shows that work runs outside the event loop and so delays no request. Elapsed time would
    depend on the load of the machine.
    """
    threads: set[int] = set()
    work = getattr(import_module(module), name)

    def watched(*args: Any, **named: Any) -> Any:
        threads.add(threading.get_ident())
        return work(*args, **named)

    monkeypatch.setattr(f"{module}.{name}", watched)
    return threads
