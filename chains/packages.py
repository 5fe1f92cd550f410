"""Packages from npm: pinned by version and SHA-512, unpacked into a cache outside the repository.

npm only downloads. The digest is checked here, before anything is unpacked, and no script of a
package runs.
"""

import base64
import hashlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".venv" / "chains"

_DOWNLOAD_TIMEOUT_S = 300


class MissingRequirement(Exception):
    """Something that the machine lacks, in one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Package:
    """Version of an npm package with the digest of its tarball."""

    name: str
    version: str
    integrity: str

    @property
    def folder(self) -> str:
        """Folder in the cache; another digest is another folder."""
        digest = base64.b64decode(self.integrity.removeprefix("sha512-")).hex()
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}-{digest[:12]}"


SOLC = Package(
    "solc",
    "0.8.37",
    "sha512-ieUYdPDRGNKMsZpCfi9tY64Q+ASoL8tyhLuvf9cFiqDs+6ijlx8Wn2CRi0N71AlCvRx0V092rlUYu3b3PuxWlA==",
)
OPENZEPPELIN = Package(
    "@openzeppelin/contracts",
    "5.7.0",
    "sha512-IL2AZpI+7THMzt1u6Cxmc1zLwVnudtUGvrqXQ/HnbLKfQ/8dIWMMQPDwPIjRQzNrlAo4cxZaCGRB/XvwPo9ILA==",
)

_ANVIL_VERSION = "1.7.1"
_ANVIL_NAME = "@foundry-rs/anvil-{}"
# By system and processor, as Python names them in lower case.
_ANVILS = {
    ("linux", "x86_64"): (
        "linux-amd64",
        "sha512-+XmShybEaxfCrr0OUUZwYEy2OnYZt5pHH9TzBtLv3+VrK0O/ANuNSVEahqNhKHlgX7GRJ59383ofNhxkRWIYTg==",
    ),
    ("linux", "aarch64"): (
        "linux-arm64",
        "sha512-ykHJmFOGdBR8+9smOKBm9ZZDCCCkLQctiHOAddLvmYx9mPeBDMfq6jP51hKYsO5MG8ClPLSlWe+JpiXPjoXgBQ==",
    ),
    ("darwin", "arm64"): (
        "darwin-arm64",
        "sha512-JNeu3+A3f/npXLn8SR8EahVcqE7BpO9VQZMcPvSIy27/RNc1GsoEBvSLR99aSvt8sGKWAgNg/EzrtjAPq6mxcA==",
    ),
    ("darwin", "x86_64"): (
        "darwin-amd64",
        "sha512-OgwzwY+FsGrsPyDv4mmbhOwARO8s37YHrm2qaNzgSH4VlKnXgJCrnoT7bpgOhLyBPtxXjBT8L2E3b79deesXRg==",
    ),
}


def anvil_package(system: str | None = None, processor: str | None = None) -> Package:
    """Return the package with anvil's binary for this machine, or for the one named.

    Raises:
        MissingRequirement: npm has no binary for such a machine.
    """
    system, processor = system or platform.system(), processor or platform.machine()
    try:
        suffix, integrity = _ANVILS[system.lower(), processor.lower()]
    except KeyError:
        raise MissingRequirement(
            f"No anvil binary for {system} on {processor}: run the chains on Linux or macOS,"
            " on x86-64 or ARM64."
        ) from None
    return Package(_ANVIL_NAME.format(suffix), _ANVIL_VERSION, integrity)


def fetch(package: Package, cache: Path = CACHE) -> Path:
    """Return the folder of the unpacked package; download it if the cache lacks it.

    Raises:
        MissingRequirement: npm is absent or failed, or the tarball has another digest.
    """
    folder = cache / package.folder
    if folder.is_dir():
        return folder
    npm = find_program("npm", purpose=f"download {package.name}")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        tarball = _download(package, npm, Path(temporary))
        check_integrity(package, tarball)
        with tarfile.open(tarball) as archive:
            archive.extractall(Path(temporary, "unpacked"), filter="data")
        try:
            Path(temporary, "unpacked", "package").rename(folder)
        except OSError:
            # Another process was faster.
            if not folder.is_dir():
                raise
    return folder


def fetch_anvil(cache: Path = CACHE) -> Path:
    """Return anvil's binary for this machine.

    Raises:
        MissingRequirement: There is no binary, or npm could not download it.
    """
    binary = fetch(anvil_package(), cache) / "bin" / "anvil"
    binary.chmod(0o755)
    return binary


def find_program(name: str, *, purpose: str) -> str:
    """Return the path of `npm` or `node`.

    Raises:
        MissingRequirement: The machine has no such program.
    """
    found = shutil.which(name)
    if found is None:
        raise MissingRequirement(f"{name} not found: install Node.js and npm to {purpose}.")
    return found


def check_integrity(package: Package, tarball: Path) -> None:
    """Refuse a tarball whose SHA-512 is not the pinned one.

    Raises:
        MissingRequirement: The digest differs.
    """
    with tarball.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    if f"sha512-{base64.b64encode(digest).decode()}" != package.integrity:
        raise MissingRequirement(
            f"{package.name}@{package.version} has not the pinned SHA-512: nothing was unpacked."
        )


def _download(package: Package, npm: str, folder: Path) -> Path:
    command = [npm, "pack", "--ignore-scripts", "--silent", f"{package.name}@{package.version}"]
    try:
        subprocess.run(
            command,
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_DOWNLOAD_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        reason = f"no answer within {_DOWNLOAD_TIMEOUT_S} s"
    except subprocess.CalledProcessError as failure:
        lines = str(failure.stderr).strip().splitlines() or [f"exit code {failure.returncode}"]
        reason = lines[0]
    else:
        return next(folder.glob("*.tgz"))
    raise MissingRequirement(f"npm could not download {package.name}@{package.version}: {reason}.")
