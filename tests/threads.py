"""Which threads do what."""

import threading
from importlib import import_module
from typing import Any

import pytest


def threads_of(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> set[int]:
    """The threads that call this function of a module from now on, in a set that grows.

    That work is done beside the event loop, and so holds up no request, shows in who does it;
    seconds would depend on what else the machine does.
    """
    threads: set[int] = set()
    work = getattr(import_module(module), name)

    def watched(*args: Any, **named: Any) -> Any:
        threads.add(threading.get_ident())
        return work(*args, **named)

    monkeypatch.setattr(f"{module}.{name}", watched)
    return threads
