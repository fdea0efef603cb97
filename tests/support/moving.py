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
from bakeoff.dialects.agent_exam import assertion_shapes, config_schema, harness_blocks
from bakeoff.dialects.agent_exam import schema as exam
from bakeoff.dialects.agent_exam.assertions import META
from bakeoff.dialects.harness_lab import schema as lab_task
from bakeoff.dialects.harness_lab import suite_schema as lab
from bakeoff.dialects.harness_lab.options import SHAPES

FILES = Path(__file__).with_name("moving_files")
_REFUSED = re.compile(
    r"(?:suite|task|arm) '[^']*'(?: and \d+ more)?: (?:(.*) is not supported yet|there is no (harness .*))$",
    re.MULTILINE,
)


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

    def refused(self, capfd: pytest.CaptureFixture[str]) -> set[str]:
        """What `bakeoff run` refuses of that project, in the tool's words; the working directory is the project."""
        assert run(list(self.full_run)) == 2
        told = [later or missing for later, missing in _REFUSED.findall(capfd.readouterr().err)]
        return {self.spelled.get(word, word) for word in told}


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


_RUNNERS = ("codex", "my-plugin")
"""Values of `runner` that have rows of their own."""

_OTHER_HARNESSES = {
    f"harness {name!r}": f"--provider {name}" for name in ("codex_cli", "copilot_cli", "opencode")
}


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

AGENT_EXAM = Tool(
    name="agent-exam",
    commands=[
        f"agent-exam {name}"
        for name in ("run", "runs", "show", "history", "diff", "rescore", "doctor", "mcp login")
    ],
    flags=_words(
        "--provider --model -k -n --without-skill --no-skills --no-mcp --no-triggers --tag --exclude-tag"
        " --all-tags --limit --report --no-issues --all --report-a --report-b --scope --no-llm --help -h"
    ),
    variables=_words(
        "AGENT_EXAM_HEARTBEAT AGENT_EXAM_HEARTBEAT_INTERVAL CODEX_HOME OPENCODE_DATA_DIR XDG_DATA_HOME"
        " XDG_CONFIG_HOME VIRTUAL_ENV UV_PROJECT_ENVIRONMENT UV_RUN_RECURSION_DEPTH PYTHONPATH PYTHONHOME"
        " CLAUDECODE PYTHONNOUSERSITE"
    ),
    keys={
        "Keys of pyproject.toml": frozenset({"evals_dir", "pre_run_hook"}),
        "Keys of config.yaml": (
            _keys(config_schema.ConfigFile)
            | _keys(config_schema.TagBlock, below="tags.")
            | _keys(*config_schema.PROVIDERS.values(), below="providers.")
        ),
        "Keys of suite.yml": _keys(exam.SuiteFile),
        "Keys of a task": (
            _keys(exam.ExecuteTask, exam.TriggerTask)
            | _keys(harness_blocks.PrefixRule, below="codex_cli.prefix_rules.")
            | {key for name, shape in harness_blocks.BLOCKS.items() for key in _keys(shape, below=f"{name}.")}
            | {"kind: trigger", *_OTHER_HARNESSES.values()}
        ),
        "Keys of assertions": (
            frozenset(
                {*META, *assertion_shapes.JUDGES, *assertion_shapes.LATER_TYPES, "no_permission_errors"}
            )
            | {
                key
                for name, shape in assertion_shapes.ASSERTIONS.items()
                for key in _keys(shape, below=f"{name}.")
            }
        ),
    },
    full_run=["run", "--arm", "claude_code,codex_cli,copilot_cli,opencode"],
    spelled={
        **_OTHER_HARNESSES,
        **{f"assertions.{name}": name for name in (*assertion_shapes.JUDGES, *assertion_shapes.LATER_TYPES)},
    },
)

HARNESS_LAB = Tool(
    name="harness-lab",
    commands=[
        *(f"harnesslab {name}" for name in ("version", "init", "doctor", "run", "serve", "harness check")),
        *(f"harnesslab suite {name}" for name in ("list", "check", "mine")),
        *(f"harnesslab experiment {name}" for name in ("list", "show", "compare", "export")),
        *(f"harnesslab sweep {name}" for name in ("list", "run", "report")),
        *(f"harnesslab grow {name}" for name in ("list", "run", "resume", "show", "export")),
        *(f"harnesslab ablate {name}" for name in ("run", "report")),
    ],
    flags=_words(
        "--home --install-completion --show-completion -v --variants -t --tasks -r --repetitions"
        " -p --parallelism -n --name --keep-worktrees --pricing --plugin -y --yes --force --out --rev"
        " --max-commits --max-tasks --test-command --test-glob --ignore-glob --max-files --max-lines"
        " --setup --prompt-template --validate --no-validate --timeout --resamples --seed --min-tasks"
        " --metric --events --no-events --artifacts --no-artifacts -o --dry-run --max-iterations"
        " --suite --variant --host --port"
    ),
    variables=_words(
        "HARNESSLAB_HOME HARNESSLAB_DB_URL HARNESSLAB_INTEGRATION HARNESSLAB HARNESSLAB_SCORE_FILE"
        " HARNESSLAB_HARNESS_DIR HARNESSLAB_PYTHON HARNESSLAB_WORKTREE HARNESSLAB_SUITE_DIR"
        " HARNESSLAB_SAFETY_LOG"
    ),
    keys={
        "Keys of a suite": _keys(lab.SuiteFile),
        "Keys of an experiment": _keys(lab.ExperimentFile),
        "Keys of a variant": _keys(lab.VariantBlock) | {f"runner: {name}" for name in _RUNNERS},
        "Options of runners": _keys(*SHAPES.values()),
        "Keys of a task": _keys(lab_task.HarnessLabTask),
    },
    full_run=["run", "experiment.yaml"],
    spelled={
        "harness 'codex_cli'": "runner: codex",
        "harness 'my-plugin'": "runner: my-plugin",
    },
)

TOOLS = (ABLATE, AGENT_EXAM, HARNESS_LAB)
