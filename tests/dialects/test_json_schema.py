"""What `bakeoff schema` prints: every example fits, what is plainly wrong does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialects.native_files import write_suite
from dialects.test_native_problems import WRONG
from examples import ablate, agent_exam, harness_lab
from examples.example import Example
from jsonschema import Draft202012Validator

from bakeoff.dialects.bundled import bundled_suite
from bakeoff.dialects.formats import FORMATS
from bakeoff.dialects.load import load
from bakeoff.dialects.native.convert import convert
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.recognise import Kind, kind_of
from bakeoff.dialects.scalars import read_untyped
from bakeoff.dialects.yaml import parse_yaml

BUILDERS: tuple[Callable[[Path], Example], ...] = (
    ablate.build_ablate_example,
    ablate.build_ablate_every_field,
    agent_exam.build_agent_exam_example,
    agent_exam.build_agent_exam_later_example,
    agent_exam.build_agent_exam_trigger_example,
    harness_lab.build_harness_lab_example,
    harness_lab.build_variant_example,
    harness_lab.build_improve_example,
    harness_lab.build_safety_example,
    harness_lab.build_experiment_example,
    harness_lab.build_later_fields_example,
)
KINDS = {
    Kind.SUITE: "harness-lab-suite",
    Kind.EXPERIMENT: "harness-lab-experiment",
    Kind.TASK: "harness-lab-task",
    Kind.ABLATE: "ablate",
    Kind.NATIVE: "native",
    Kind.NATIVE_TASK: "native-task",
}


def seen_by_an_editor(text: str) -> Any:
    """What a reader of YAML makes of a text that knows no schema."""
    node = parse_yaml(text, Path("/x.yaml"), Problems(cwd=Path("/")))
    assert node is not None
    return read_untyped(node, "", Problems(cwd=Path("/")))


def format_of(file: Path) -> str | None:
    """The format of a file of an example; None for files that are of none."""
    if "evals" in file.parts:
        if "fixtures" in file.parts:
            return None
        return {"config": "agent-exam-config", "suite": "agent-exam-suite"}.get(file.stem, "agent-exam-task")
    node = parse_yaml(file.read_text(), file, Problems(cwd=file.parent))
    assert node is not None
    kind = kind_of(node)
    return KINDS[kind] if kind is not None else None


@pytest.fixture(scope="module")
def errors_of() -> Callable[[str, Any], list[str]]:
    """What a validator that is not ours says of a value of a format."""
    validators = {}
    for name, make in FORMATS.items():
        schema = make()
        Draft202012Validator.check_schema(schema)
        validators[name] = Draft202012Validator(schema)

    def find(name: str, value: Any) -> list[str]:
        return [f"{error.json_path}: {error.message}" for error in validators[name].iter_errors(value)]

    return find


def test_every_example_fits_and_all_formats_have_one(
    tmp_path: Path, errors_of: Callable[[str, Any], list[str]]
) -> None:
    roots = []
    for number, build in enumerate(BUILDERS):
        build(tmp_path / str(number))
        roots.append(tmp_path / str(number))
    agent_exam.build_full_project(tmp_path / "full")
    write_suite(tmp_path / "native")
    demo = bundled_suite("demo")
    assert demo is not None
    tried = set()
    for root in (*roots, tmp_path / "full", tmp_path / "native", demo.parent):
        for file in sorted([*root.rglob("*.yaml"), *root.rglob("*.yml")]):
            name = format_of(file)
            if name is not None:
                tried.add(name)
                assert errors_of(name, seen_by_an_editor(file.read_text())) == [], file
    assert tried == set(FORMATS)


def test_what_convert_prints_fits(tmp_path: Path, errors_of: Callable[[str, Any], list[str]]) -> None:
    write_suite(tmp_path / "native")
    specs = ["demo", str(tmp_path / "native")]
    specs += [str(BUILDERS[number](tmp_path / str(number)).spec) for number in (0, 1, 2, 5, 7, 8)]
    for spec in specs:
        text = convert(load(spec, cwd=tmp_path), tmp_path / "bakeoff.yaml")
        assert errors_of("native", seen_by_an_editor(text)) == []


VALID = {
    "native": "bakeoff: 0\nsuite: s\narms: [fake]\ntasks: [{id: t, prompt: x, start: empty, checks: [{command: x}]}]\n",
    "native-task": "id: 007\nprompt: no\nstart: empty\nchecks: [{command: true}]\n",
    "ablate": "id: 1.10\nprompt: x\nassert: [{id: a, type: lint, run: x}]\n",
    "agent-exam-task": "prompt: x\nassertions: [file_exists: a]\n",
    "agent-exam-config": "default_harness: claude_code\ntags: {slow: }\n",
    "agent-exam-suite": "tags: [slow]\n",
    "harness-lab-suite": "name: s\ntasks: [t.yaml]\nvariants: [{id: a, runner: fake, behavior: solve}]\n",
    "harness-lab-task": "id: t\nname: T\nrepo: {path: r}\nprompt: x\nverification: {command: x}\n",
    "harness-lab-experiment": "suite: s\nvariants: [{id: a, runner: fake}]\n",
}
BROKEN = [
    ("native", "suite: s\n", "suites: s\n"),
    ("native", "bakeoff: 0", "bakeoff: 1"),
    ("native", "arms: [fake]", "arms: []"),
    ("native", "arms: [fake]", "arms: [{harness: fake, modle: x}]"),
    ("native", "arms: [fake]", "arms: fake"),
    ("native", "arms: [fake]", "arms: [{harness: fake, options: {behaviour: x}}]"),
    ("native", "arms: [fake]", "arms: [{harness: claude_code, options: {max_turns: many}}]"),
    ("native", "id: t", "id: t, options: {fake: {max_turns: 1}}"),
    ("native", "prompt: x, ", ""),
    ("native", "start: empty", "start: emtpy"),
    ("native", "start: empty", "start: {gti: x}"),
    ("native", "command: x", "comand: x"),
    ("native", "command: x", "command: {run: x, expects: 1}"),
    ("native", "command: x", "command: x, expect: 256"),
    ("native", "command: x", "command: x, required: maybe"),
    ("native", "command: x", "unchanged: {tests: x}"),
    ("native", "id: t", "id: a b"),
    ("native", "id: t", "id: t, on_timeout: ignore"),
    ("native", "id: t", "id: t, limits: {timeout_s: 0}"),
    ("native-task", "id: 007\n", ""),
    ("native-task", "prompt: no", "prompt: [no]"),
    ("ablate", "type: lint", "type: lints"),
    ("ablate", "prompt: x", "promt: x"),
    ("ablate", "run: x", "run: [x]"),
    ("ablate", "id: 1.10", "id: t\ntimeout_s: soon"),
    ("ablate", "[{id: a, type: lint, run: x}]", "[]"),
    ("agent-exam-task", "file_exists: a", "file_exist: a"),
    ("agent-exam-task", "file_exists: a", "file_exists: a, providers: [claude]"),
    ("agent-exam-task", "prompt: x", "prompt: x\nkind: trigger"),
    ("agent-exam-task", "prompt: x", "prompt: x\nsetup: {env: {A: 1}}"),
    ("agent-exam-task", "prompt: x", "prompt: x\nclaude_code: {permission_mode: all}"),
    ("agent-exam-config", "claude_code", "claude"),
    ("agent-exam-config", "{slow: }", "{slow: true}"),
    ("agent-exam-suite", "tags: [slow]", "tags: slow"),
    ("harness-lab-suite", "name: s\n", ""),
    ("harness-lab-suite", "id: a, ", ""),
    ("harness-lab-task", "repo: {path: r}", "repo: r"),
    ("harness-lab-task", "{command: x}", "{command: x, timeout_seconds: -1}"),
    ("harness-lab-task", "{command: x}", "{}"),
    ("harness-lab-experiment", "suite: s", "suite: s\nrepetitions: 0"),
]


@pytest.mark.parametrize("name", VALID)
def test_a_small_file_fits(name: str, errors_of: Callable[[str, Any], list[str]]) -> None:
    assert errors_of(name, seen_by_an_editor(VALID[name])) == []


@pytest.mark.parametrize(("name", "right", "wrong"), BROKEN)
def test_a_slip_does_not_fit(
    name: str, right: str, wrong: str, errors_of: Callable[[str, Any], list[str]]
) -> None:
    assert right in VALID[name]
    assert errors_of(name, seen_by_an_editor(VALID[name].replace(right, wrong, 1)))


@pytest.mark.parametrize(
    "name",
    ["version", "no version", "unknown key", "arm key", "start", "check", "check key", "beside", "below"],
)
def test_the_loader_and_the_schema_refuse_the_same(
    name: str, errors_of: Callable[[str, Any], list[str]]
) -> None:
    assert errors_of("native", seen_by_an_editor(WRONG[name][0]))


def test_keys_are_described() -> None:
    schema = FORMATS["native"]()

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["suite"]["description"] == "what people call the suite"
    limits = schema["$defs"]["LimitsBlock"]
    assert limits["description"] == "Bounds of the agent's part."
    assert limits["properties"]["timeout_s"]["default"] == 600.0
