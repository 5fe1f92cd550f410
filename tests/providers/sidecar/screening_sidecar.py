"""A scripted sidecar that screens deposits."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from landbridge.platform.core.ids import new_id
from tests.providers.sidecar.deposit_world import ScriptedBank
from tests.providers.sidecar.kit import KEY


@dataclass
class ScriptedScreener(ScriptedBank):
    """Sidecar that answers `state` about every deposit; `status` or `answer` replace the answer.

    `forgets` makes a query answer that the key is unknown.
    """

    state: str = "clear"
    screening_status: int = 200
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    screened: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    forgets: bool = False

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        if not path.startswith("/v1/screenings"):
            return super().answer(path, message)
        if path == "/v1/screenings":
            self.screened.append(message)
        elif self.forgets:
            return 404, {"code": "unknown_key"}
        answer = {
            "key": message["key"],
            "state": self.state,
            "providerReference": "case-1",
            "categories": ["mixer"] if self.state == "hit" else [],
            **self.changes,
        }
        return self.screening_status, answer


def screenings_file(folder: Path, port: int, name: str | None = None, *, routes: str = "") -> Path:
    """Write a providers file that has a sidecar on this machine screen all deposits."""
    name = name or f"kyt-{new_id().hex}"[:40]
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.{name}]
url = "http://127.0.0.1:{port}"
keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]
timeout_s = 5
poll_s = 1
{routes or screenings_route(name)}
"""
    )
    return path


def screenings_route(name: str, *, more: str = "") -> str:
    """Return a route of all deposits to a screener."""
    return f'[[screenings]]\nprovider = "{name}"\n{more}\n'
