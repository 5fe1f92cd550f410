"""Our own lints on the sources; each failure states what to do. SQL rules: test_sql_rules.py.

An exception is listed in a table with its reason, and removed with the code that it excuses.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from litestar.routes import HTTPRoute

from landbridge.app.cli import COMMANDS, commands
from landbridge.app.container import open_container
from landbridge.app.settings import PREFIX, Settings
from tests.applications import app_of
from tests.sources import PACKAGE, ROOT, Source, files, report, sources
from tests.statements import statements

# Filters, attributes without quotes, and calls that parse a text as HTML or as a program.
_UNESCAPED = re.compile(
    r"\|\s*safe\b|\bautoescape\b|<[^<>{}]*\s[\w-]+=\{\{"
    r"|\b(inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write|\beval\("
)
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
MONEY_PACKAGES = (
    "platform/core",
    "ledger",
    "customers/wallets",
    "providers/rates",
    "providers/evm",
    "payments/quotes",
    "payments/virtual_accounts",
    "payments/batches",
    "payments/bridges",
    "payments/disbursements",
    "payments/offramps",
    "payments/onramps",
    "payments/receivables",
    "payments/resolutions",
    "payments/swaps",
    "payments/transfers",
)
REFERENCE = ROOT / "docs" / "reference"

# Calls with varying results. Outside core, time and ids are passed in.
UNREPEATABLE = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("time", "time"),
    ("time", "time_ns"),
    ("uuid", "uuid1"),
    ("uuid", "uuid4"),
    ("os", "urandom"),
}
UNREPEATABLE_MODULES = {"random", "secrets"}
UNREPEATABLE_ALLOWED = {
    (
        "platform/db/retry.py",
        "random",
    ): "the jitter of a delay, which must differ between processes",
    ("platform/db/sealing.py", "secrets"): "nonces and master keys are secrets",
    ("platform/orgs/model.py", "secrets"): "API keys are secrets",
    ("customers/team/known_browsers.py", "secrets"): "ids of known browsers are secrets",
    ("customers/team/model.py", "secrets"): "cookies, links and recovery codes are secrets",
    ("sandbox/seeding/random_source.py", "random"): "a made-up past is repeated by its number",
    ("customers/users/model.py", "secrets"): "session tokens are secrets",
    ("customers/wallets/keys.py", "secrets"): "wallet seeds are secrets",
    ("customers/travel_rule/service.py", "secrets"): "codes of challenges are secrets",
    ("customers/travel_exchanges/service.py", "secrets"): "URLs for answers have secrets",
    ("app/demo.py", "secrets"): "the key of the demo's own server",
    ("app/demo.py", "uuid4"): "the demo is a client, and clients make their own request ids",
}

# What nothing of ours imports: entry points, and what provider packages import.
ENTRY_POINTS = {
    "landbridge.__main__",
    "landbridge.providers.packages.fields",
    "landbridge.providers.packages.http_client",
    "landbridge.reporting.proofs.books_verifier",
    "landbridge.reporting.proofs.reserves_verifier",
}
NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
# Litestar's own copy of the document and its 404, behind the key; ours is /openapi.json.
FRAMEWORK_ROUTES = {"/openapi", "/openapi/{path}", "/openapi/openapi.json"}
FILES_ROUTE = "/docs/assets/{name}"  # assets of the page /docs
METRIC_KINDS = {"Counter", "Gauge", "Histogram", "Summary", "Info", "Enum"}

# Without a word of these, a file replaces nothing, and need not be read node by node.
_MAY_PATCH = re.compile(r"mock|setattr|patch\s*\(")

# Hosts of package registries and folders of single machines; split so that this file has none.
FOREIGN = re.compile(
    "|".join(
        [
            r"\bpypi\.(?:org|python)",
            r"pythonhosted\." + "org",
            r"registry\.npmjs" + r"\.",
            r"\bcrates\." + "io",
            r"proxy\.golang\." + "org",
            r"(?<![\w.-])/(?:work|root|Users|home)/" + r"[\w.-]",
        ]
    )
)
# A part that each match has: to look for texts is twenty times as fast as to match.
FOREIGN_PARTS = (
    *("pypi.", "pythonhosted.", "registry.npmjs", "crates.", "proxy.golang."),
    *("/work/", "/root/", "/Users/", "/home/"),
)


def test_files_and_functions_are_short() -> None:
    findings: list[str] = []
    for source in sources("src", "tests", "bench", "chains", "adapters"):
        lines = source.text.count("\n")
        if lines > FILE_LINES_MAX:
            findings.append(f"{source.name}: {lines} lines")
        if not source.may_have_function_over(FUNCTION_LINES_MAX):
            continue
        for function in source.functions:
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            if length > FUNCTION_LINES_MAX:
                findings.append(f"{source.name}:{function.lineno} {function.name}: {length} lines")
    rule = (
        f"A file has at most {FILE_LINES_MAX} lines, a function {FUNCTION_LINES_MAX}. Split the "
        "file by noun; take leaves that only compute out of the function:"
    )
    assert not findings, report(rule, findings)


def test_money_knows_no_floats() -> None:
    findings: list[str] = []
    for source in sources(*(f"src/landbridge/{name}" for name in MONEY_PACKAGES)):
        for node in source.nodes:
            match node:
                case ast.Constant(value=float()):
                    findings.append(f"{source.name}:{node.lineno} the literal {node.value}")
                case ast.Call(func=ast.Name(id="float" | "round" as name)):
                    findings.append(f"{source.name}:{node.lineno} {name}()")
                case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                    findings.append(f"{source.name}:{node.lineno} a division by /")
                case _:
                    pass
    rule = "Use Money, Rate, int and Decimal with a named Rounding; never a float:"
    assert not findings, report(rule, findings)


def test_time_ids_and_chance_come_from_core() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for source in sources("src/landbridge"):
        path = source.path.relative_to(PACKAGE).as_posix()
        if not path.startswith("platform/core/"):
            for line, name in _unrepeatable(source):
                found.setdefault((path, name), []).append(f"{source.name}:{line} {name}")
    findings = [
        finding
        for key, each in found.items()
        if key not in UNREPEATABLE_ALLOWED
        for finding in each
    ]
    rule = "Take a Clock and new_id (landbridge.platform.core); a secret is listed in this test:"
    assert not findings, report(rule, findings)
    stale = sorted(str(key) for key in UNREPEATABLE_ALLOWED.keys() - found.keys())
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


def test_pages_take_no_text_for_markup() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        if path.is_relative_to(PACKAGE) and path.suffix in {".html", ".js"}
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _UNESCAPED.search(line)
    ]
    assert not wrong, report("texts of others would be markup: escape and quote them", wrong)


def test_a_promise_to_do_something_names_its_issue() -> None:
    word = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\)| #\d+)")
    findings = [
        f"{source.name}:{line} {text}"
        for source in sources("src", "tests", "bench", "chains", "adapters")
        if word.search(source.text)
        for line, text in _comments(source)
        if word.search(text)
    ]
    assert not findings, report("Write it as TODO(#12): and the sentence, or do it now:", findings)


def test_every_module_is_imported_from_somewhere() -> None:
    modules = sources("src/landbridge")
    imported = {name for source in modules for name in source.imports if name != source.module}
    started = ENTRY_POINTS | {each.module for each in COMMANDS.values()}
    findings = [
        source.name
        for source in modules
        if source.path.name != "__init__.py" and source.module not in imported | started
    ]
    assert not findings, report("Delete what nothing imports, or list it as started:", findings)


def test_modules_are_named_for_what_they_hold() -> None:
    findings = [
        each.name
        for each in sources("src", "tests", "bench", "chains", "adapters")
        if each.path.stem in NAMELESS
    ]
    assert not findings, report("Name the module by the noun that it holds:", findings)


def test_packages_state_their_purpose() -> None:
    findings = [
        source.name
        for source in sources("src/landbridge")
        if source.path.name == "__init__.py"
        and len((ast.get_docstring(source.tree) or "").strip(". ")) < len("What wallets do")
    ]
    assert not findings, report("Write the package's docstring, one sentence at least:", findings)


def test_tests_replace_nothing_by_its_path() -> None:
    findings = [f"{source.name}:{line}" for source in sources("tests") for line in _patches(source)]
    rule = "Hand in a simulated adapter or a maker instead of patching by dotted path:"
    assert not findings, report(rule, findings)


def test_no_file_names_a_machine_or_a_registry() -> None:
    findings: list[str] = []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if not any(part in text for part in FOREIGN_PARTS):
            continue
        findings += [
            f"{path.relative_to(ROOT)}: {found[0]}"
            for found in FOREIGN.finditer(text)
            if path != Path(__file__)
        ]
    rule = "Use relative paths, and leave registries to the tools' own settings:"
    assert not findings, report(rule, findings)


@pytest.mark.parametrize("field", Settings.__struct_fields__)
def test_setting_is_in_the_reference(field: str) -> None:
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    name = f"`{PREFIX}{field.upper()}`"
    assert name in page, f"Describe {name} in docs/reference/settings.md."


def test_commands_and_options_are_in_the_reference() -> None:
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    findings: list[str] = []
    for words, command in _commands("landbridge", commands):
        if f"`{words}" not in page:
            findings.append(words)
        findings += [
            f"{words} {option}"
            for parameter in command.params
            if isinstance(parameter, click.Option) and not parameter.hidden
            for option in parameter.opts
            if option.startswith("--") and f"`{option}" not in page
        ]
    assert not findings, report("Describe these in docs/reference/cli.md:", findings)


async def test_routes_are_in_the_reference(own_dsn: str, tmp_path: Path) -> None:
    page = (REFERENCE / "http.md").read_text(encoding="utf-8")
    findings: list[str] = []
    async with open_container(Settings(data_dir=str(tmp_path)), own_dsn, name="tests") as container:
        for route in app_of(container).routes:
            path = route.path_format
            # Pages are no API; dashboard.md documents them.
            is_page = path.startswith("/dashboard")
            is_known = is_page or path in FRAMEWORK_ROUTES | {FILES_ROUTE}
            if isinstance(route, HTTPRoute) and not is_known:
                methods = sorted(set(route.methods) - {"OPTIONS", "HEAD"})
                findings += [
                    words for method in methods if f"`{(words := f'{method} {path}')}`" not in page
                ]
    assert not findings, report("Give each a line in docs/reference/http.md:", findings)


def test_metrics_are_in_the_reference() -> None:
    page = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    names = {
        name.value
        for source in sources("src/landbridge")
        for node in source.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in METRIC_KINDS
        and isinstance(name := node.args[0], ast.Constant)
        and isinstance(name.value, str)
    }
    assert names, "no metric was found: has the way to make them changed?"
    findings = sorted(name for name in names if f"`{name}`" not in page)
    assert not findings, report("Describe these in docs/reference/metrics.md:", findings)


def _unrepeatable(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name) if (
                owner,
                name,
            ) in UNREPEATABLE:
                yield node.lineno, name
            case ast.ImportFrom(module=str(module)):
                if module in UNREPEATABLE_MODULES:
                    yield node.lineno, module
                for each in node.names:
                    if (module, each.name) in UNREPEATABLE:
                        yield node.lineno, each.name
            case ast.Import():
                for each in node.names:
                    if each.name in UNREPEATABLE_MODULES:
                        yield node.lineno, each.name
            case _:
                pass


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_a_store_is_imported_by_its_own_package_only() -> None:
    findings = [
        f"{source.name}: {name}"
        for source in sources("src/landbridge")
        for name in source.imports
        if name.endswith("store") and name.rpartition(".")[0] != source.module.rpartition(".")[0]
    ]
    assert not findings, report("Call the package's service instead of its store:", findings)


def test_a_statement_is_imported_by_its_own_package_only() -> None:
    """Reports and small nouns have their statements in the module that runs them."""
    names = {
        f"landbridge.{each.file.removesuffix('.py').replace('/', '.')}.{each.name}"
        for each in statements()
    }
    assert len(names) > 500
    findings = [
        f"{source.name}: {name}"
        for source in sources("src/landbridge")
        for name in source.imports
        if name in names and name.rsplit(".", 2)[0] != source.module.rpartition(".")[0]
    ]
    assert not findings, report("Call the package's service instead of its statement:", findings)


def _patches(source: Source) -> Iterator[int]:
    if _MAY_PATCH.search(source.text) is None:
        return
    for node in source.nodes:
        match node:
            case ast.ImportFrom(module="unittest.mock"):
                yield node.lineno
            case ast.Call(
                func=ast.Attribute(attr="setattr" | "patch"), args=[ast.Constant(value=str()), *_]
            ):
                yield node.lineno
            case _:
                pass


def _commands(words: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (each := command.get_command(context, name)) is not None:
                yield from _commands(f"{words} {name}", each)
    else:
        yield words, command
