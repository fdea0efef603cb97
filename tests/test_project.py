"""What the project promises about itself: quick start, short files, pinned tools, nothing private."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.machine import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
# The demo's repositories and solutions are data: programs that agents are tried on.
MODULES = [
    path
    for path in sorted((CHECKOUT / "src").rglob("*.py"))
    if not path.is_relative_to(CHECKOUT / "src" / "bakeoff" / "demo")
]
OTHERS = [path for folder in ("tests", "benchmarks") for path in sorted((CHECKOUT / folder).rglob("*.py"))]
LONGEST_FILE = 400

# They take a quarter of a second together, and help, completion and errors need none of them.
HEAVY = ("sqlalchemy", "rich", "yaml", "pydantic", "regex", "wcmatch", "asyncio", "http.client", "unittest")


def name_of(path):
    return str(path.relative_to(CHECKOUT))


def test_help_is_shown_without_loading_what_it_does_not_need():
    code = f"""
import sys
from bakeoff.cli.main import main
sys.argv = ["bakeoff", "--help"]
try:
    main()
finally:
    print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("Usage:")
    assert run.stderr.split() == []


def test_every_file_is_short_enough_to_read():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in MODULES + OTHERS}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_every_module_says_what_it_is_for():
    silent = {}
    for path in MODULES + OTHERS:
        docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
        paragraph = docstring.partition("\n\n")[0]
        if len(paragraph) <= 20 or not re.search(r"[.:?]$", paragraph):
            silent[name_of(path)] = paragraph
    assert silent == {}, "each module opens with a sentence on what it is for"


def test_no_module_is_named_for_being_left_over():
    vague = re.compile(
        r"(utils?|helpers?|common|core|managers?|base|misc|stuff)(_.*)?|.*_(utils?|helpers?|manager)"
    )
    named = [name_of(path) for path in (CHECKOUT / "src").rglob("*") if vague.fullmatch(path.stem)]
    assert named == []


def tracked_files():
    """Every file that is part of the project, recorded streams of vendors' programs aside."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = CHECKOUT / name
        if path.suffix != ".jsonl" and path.is_file() and not path.is_symlink():
            yield path


def test_no_file_names_a_path_of_the_machine_it_was_written_on():
    # The words stand here in pieces, so that this file does not hold them.
    own = str(Path(sys.prefix).parent)
    private = [
        "/" + "work/",
        "/" + "farm/",
        ".lib" + "rary/",
        "/opt/" + "agent-clis",
        "/opt/" + "pypi",
        own + "/",
    ]
    found = [
        f"{name_of(path)}: {word}"
        for path in tracked_files()
        for word in private
        if word.encode() in path.read_bytes()
    ]
    assert found == []


def pins(name):
    lines = (CHECKOUT / "requirements" / name).read_text().splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    return {canonicalize_name(item.name): str(item.specifier).removeprefix("==") for item in requirements}


RUNTIME = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
DEVELOPMENT = [Requirement(text) for text in PROJECT["dependency-groups"]["dev"]]


@pytest.mark.parametrize(
    ("file", "wanted"), [("runtime.txt", RUNTIME), ("dev.txt", RUNTIME + DEVELOPMENT)], ids=["runtime", "dev"]
)
def test_every_dependency_is_pinned_to_a_version_that_is_allowed(file, wanted):
    pinned = pins(file)
    missing = [
        str(item)
        for item in wanted
        if not (version := pinned.get(canonicalize_name(item.name))) or not item.specifier.contains(version)
    ]
    assert missing == [], "run `make pins`"


def test_what_users_get_and_what_developers_get_is_the_same():
    runtime, development = pins("runtime.txt"), pins("dev.txt")
    assert {name: development.get(name) for name in runtime} == runtime


def test_each_dependency_has_its_reason_written_down():
    reasons = (CHECKOUT / "docs" / "decisions" / "0002-dependencies.md").read_text().lower()
    assert [item.name for item in RUNTIME + DEVELOPMENT if f"`{item.name.lower()}`" not in reasons] == []
