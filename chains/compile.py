"""Compiler of our contracts: `python -m chains.compile` renews `compiled/`.

The same sources give the same bytes on every machine: compiler and OpenZeppelin are pinned, source
names are relative, and no metadata is appended to the bytecode. A test compiles again and compares.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from chains.packages import OPENZEPPELIN, SOLC, MissingRequirement, fetch, find_program

CONTRACTS = Path(__file__).with_name("contracts")
COMPILED = Path(__file__).with_name("compiled")

_TIMEOUT_S = 300
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";', re.MULTILINE)
_SETTINGS = {
    "evmVersion": "cancun",
    "optimizer": {"enabled": True, "runs": 200},
    "metadata": {"appendCBOR": False, "bytecodeHash": "none"},
    "outputSelection": {
        "*": {"*": ["abi", "evm.bytecode.object", "evm.deployedBytecode"]},
    },
}
# The package's own wrapper needs further packages; its compiler alone needs none.
_RUN = """
const solc = require(process.argv[1]);
const compile = solc.cwrap("solidity_compile", "string", ["string", "number", "number"]);
process.stdout.write(compile(require("fs").readFileSync(0, "utf8"), 0, 0));
"""


def compile_contracts() -> dict[str, bytes]:
    """Return the content of each file of `compiled/`, by name.

    Raises:
        MissingRequirement: Node.js or a package is not to be had.
        SyntaxError: The compiler has errors or warnings.
    """
    node = find_program("node", purpose="compile the contracts")
    compiler = fetch(SOLC) / "soljson.js"
    sources = _read_sources(fetch(OPENZEPPELIN))
    output = _run(node, compiler, {"language": "Solidity", "sources": sources})
    return {
        f"{path.stem}.json": _encode(output["contracts"][path.name][path.stem], path.stem)
        for path in sorted(CONTRACTS.glob("*.sol"))
    }


def _read_sources(library: Path) -> dict[str, dict[str, str]]:
    """Return our sources and, by the names they are imported by, those they need."""
    paths = {path.name: path for path in CONTRACTS.glob("*.sol")}
    sources: dict[str, dict[str, str]] = {}
    while missing := paths.keys() - sources.keys():
        name = min(missing)
        content = paths[name].read_text(encoding="utf-8")
        sources[name] = {"content": content}
        for target in _IMPORT.findall(content):
            imported = _resolve(name, target)
            paths[imported] = library / imported.removeprefix(f"{OPENZEPPELIN.name}/")
    return dict(sorted(sources.items()))


def _resolve(importer: str, target: str) -> str:
    """Return the source name of an import, which may be relative to its importer."""
    if not target.startswith("."):
        return target
    parts = importer.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _run(node: str, compiler: Path, request: dict[str, Any]) -> dict[str, Any]:
    ran = subprocess.run(
        [node, "-e", _RUN, str(compiler.resolve())],
        input=json.dumps(request | {"settings": _SETTINGS}),
        capture_output=True,
        text=True,
        check=True,
        timeout=_TIMEOUT_S,
    )
    output: dict[str, Any] = json.loads(ran.stdout)
    if errors := output.get("errors"):
        raise SyntaxError("\n".join(each["formattedMessage"] for each in errors))
    return output


def _encode(contract: dict[str, Any], name: str) -> bytes:
    deployed = contract["evm"]["deployedBytecode"]
    immutables = sorted(
        (each["start"], each["length"])
        for places in deployed["immutableReferences"].values()
        for each in places
    )
    content = {
        "contract": name,
        "compiler": f"{SOLC.name} {SOLC.version}, {_SETTINGS['evmVersion']}",
        "includes": f"{OPENZEPPELIN.name} {OPENZEPPELIN.version} (MIT)",
        "abi": contract["abi"],
        "bytecode": f"0x{contract['evm']['bytecode']['object']}",
        "deployedBytecode": f"0x{deployed['object']}",
        "immutables": immutables,
    }
    return f"{json.dumps(content, indent=1)}\n".encode()


def main() -> int:
    """Compile, and write what changed."""
    try:
        files = compile_contracts()
    except (MissingRequirement, SyntaxError) as failure:
        print(failure, file=sys.stderr)
        return 1
    COMPILED.mkdir(exist_ok=True)
    for name, content in files.items():
        path = COMPILED / name
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
            print(f"Written: chains/compiled/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
