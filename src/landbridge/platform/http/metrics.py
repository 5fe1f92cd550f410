"""Metrics in text form: rendered in a thread, one at a time, and at most once a second.

Rendering takes a third of a second with some hundred routes.
"""

import asyncio
import os

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess

_FRESH_S = 1.0


class MetricsText:
    """Metrics of all processes of this installation, in the text format of Prometheus."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._text = b""
        self._rendered_at_s: float | None = None

    async def get(self) -> bytes:
        """Return the text, which is at most a second old."""
        async with self._lock:
            if not self._is_fresh():
                self._text = await asyncio.to_thread(_rendered)
                self._rendered_at_s = _now_s()
            return self._text

    def _is_fresh(self) -> bool:
        return self._rendered_at_s is not None and _now_s() - self._rendered_at_s < _FRESH_S


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _rendered() -> bytes:
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)
    return generate_latest(registry)
