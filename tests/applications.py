"""Applications of a test process: to build one takes a second, so each serves many containers."""

from collections import defaultdict
from typing import Any, cast

from litestar import Litestar

from landbridge.app.api import build_app
from landbridge.app.container import Container


class _Current:
    """The container that an application serves now."""

    def __init__(self, container: Container) -> None:
        self.container = container

    def __getattr__(self, name: str) -> Any:
        return getattr(self.container, name)


class Application:
    """Application whose container can be replaced."""

    def __init__(self, container: Container) -> None:
        self._current = _Current(container)
        self.app: Litestar = build_app(cast("Any", self._current))

    @property
    def container(self) -> Container:
        """The container that it serves now."""
        return self._current.container

    @container.setter
    def container(self, container: Container) -> None:
        self._current.container = container


# Unused ones, by the only container setting that their construction reads.
_idle: defaultdict[bool, list[Application]] = defaultdict(list)
# Those whose lifespan runs, and the most recent ones without.
_served: list[Application] = []
_unserved: list[Application] = []
_UNSERVED_MAX = 2


def take(container: Container) -> Application:
    """Return an application over `container` that nothing else uses until it is given back."""
    application = _idle_one(container)
    _served.append(application)
    return application


def give_back(application: Application) -> None:
    """Let others have the application."""
    _served.remove(application)
    _put(application)


def app_of(container: Container) -> Litestar:
    """Return the application over `container`: the served one, or one without its lifespan."""
    for each in (*_served, *_unserved):
        if each.container is container:
            return each.app
    _unserved.insert(0, _idle_one(container))
    if len(_unserved) > _UNSERVED_MAX:
        _put(_unserved.pop())
    return _unserved[0].app


def _idle_one(container: Container) -> Application:
    idle = _idle[container.request_log.is_on]
    if not idle:
        return Application(container)
    application = idle.pop()
    application.container = container
    return application


def _put(application: Application) -> None:
    _idle[application.container.request_log.is_on].append(application)
