"""The API's application, built before there is a database.

Building takes a second and 30 MB. A process that is built for before it is forked saves the time,
and shares the memory.
"""

from typing import Any, cast

from litestar.types import ASGIApp

from landbridge.app.api import build_app
from landbridge.app.container import Container
from landbridge.app.settings import Settings
from landbridge.platform.formats.preload import warm_up
from landbridge.platform.http.round_robin import round_robin
from landbridge.platform.http.telemetry import with_telemetry


class _ContainerSlot:
    """Stands for a container that is opened later; until then, only its settings are known."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._container: Container | None = None

    def fill(self, container: Container) -> None:
        # Those of the container may differ: the supervisor decides on some of them.
        del self.settings
        self._container = container

    def __getattr__(self, name: str) -> Any:
        if self._container is None:
            raise AttributeError(name)
        return getattr(self._container, name)


class PreparedApplication:
    """Application without a container yet; format tables are loaded too."""

    def __init__(self, settings: Settings) -> None:
        warm_up()
        self._slot = _ContainerSlot(settings)
        self._app = application(cast("Container", self._slot))

    def over(self, container: Container) -> ASGIApp:
        """Return the application over this container; once."""
        self._slot.fill(container)
        return self._app


def application(container: Container) -> ASGIApp:
    """Return the API as a server calls it."""
    # Outermost, so that answers to unknown paths carry a request id too.
    return with_telemetry(round_robin(build_app(container)))
