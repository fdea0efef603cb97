"""The three tools that people come from: what each has, and a project that uses every key of its files."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import BaseModel
from support.machine import CHECKOUT
from support.repositories import make_repository

from bakeoff.cli.main import run
from bakeoff.dialects.ablate import schema as ablate

FILES = Path(__file__).with_name("moving_files")
_REFUSED = re.compile(r"(?:suite|task|arm) '[^']*': (.*) is not supported yet$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that somebody moves from.

    Attributes:
        commands, flags, variables: what it has, as the first column of a table spells it.
        keys: heading of a table to the keys that belong there.
        full_run: the command that runs all of the project that uses every key.
        is_repository: that project has to be a git repository.
        spelled: what `run` says that it refuses, to the word that the tool has for it.
    """

    name: str
    commands: Sequence[str]
    flags: Sequence[str]
    variables: Sequence[str]
    keys: Mapping[str, frozenset[str]]
    full_run: Sequence[str]
    is_repository: bool = False
    spelled: Mapping[str, str] = field(default_factory=dict)

    @property
    def page(self) -> Path:
        """The guide."""
        return CHECKOUT / "docs" / "guides" / f"moving-from-{self.name}.md"

    def make_full_project(self, folder: Path) -> Path:
        """Copy the project that uses every key of the format into a new directory."""
        found = sorted(path for path in (FILES / self.name).rglob("*") if path.is_file())
        files = {str(path.relative_to(FILES / self.name)): path.read_text() for path in found}
        project = folder / "project"
        if self.is_repository:
            return make_repository(project, files)
        for name, content in files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return project

    def refused(self, capfd: pytest.CaptureFixture[str]) -> list[str]:
        """What `bakeoff run` refuses of that project, in the tool's words; the working directory is the project."""
        assert run(list(self.full_run)) == 2
        told = _REFUSED.findall(capfd.readouterr().err)
        return [self.spelled.get(word, word) for word in told]


def _rows() -> Callable[[Mapping[str, object]], list[tuple[str, str, str, str]]]:
    """The function that lists the keys for the reference pages: guides call them by the same names."""
    spec = importlib.util.spec_from_file_location("reference", CHECKOUT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: Callable[[Mapping[str, object]], list[tuple[str, str, str, str]]] = module.rows
    return rows


def _keys(*shapes: type[BaseModel], below: str = "") -> frozenset[str]:
    """All keys of schemas, nested ones as `outer.inner`; `options` is where a loader gathers others."""
    rows = _rows()
    names = {row[0] for shape in shapes for row in rows(shape.model_json_schema())} - {"options"}
    return frozenset(f"{below}{name}" for name in names)


def _words(text: str) -> list[str]:
    return text.split()


ABLATE = Tool(
    name="ablate",
    commands=[
        *(f"ablate {name}" for name in ("init", "cost", "try", "compare", "report", "sections", "ablate")),
        *(f"ablate {name}" for name in ("apply", "demo", "mine", "--version", "--help")),
    ],
    flags=_words(
        "--trials --tasks --tasks-only --tasks-tag --limit-tasks --agent --injection --model --cheap"
        " --concurrency --max-turns --max-spend --margin --alpha --seed --yes --keep-worktrees --fresh"
        " --format --fail-on --last --list --screen-model --no-screen --confirm --granularity --turns"
        " --drop --write"
    ),
    variables=_words(
        "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX"
        " CLAUDE_CODE_USE_FOUNDRY ABLATE_TRIAL_DIR ABLATE_BASE_COMMIT ABLATE_DIFF_FILE"
    ),
    keys={
        "Keys of a task": _keys(ablate.AblateTask),
        "Keys of assertions": _keys(*ablate.ASSERTIONS.values(), below="assert."),
    },
    full_run=["run", "--arm", "claude-code,codex"],
    is_repository=True,
    spelled={"harness 'codex_cli'": "--agent codex"},
)

TOOLS = (ABLATE,)
