"""Converting: whatever a suite was written in, the native file means the same, or there is an error."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from dialects.native_files import write_suite
from examples import ablate, agent_exam, harness_lab
from examples.example import Example
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.repositories import make_repository, write_files

from bakeoff.dialects.load import load
from bakeoff.dialects.native.convert import convert
from bakeoff.dialects.native.emit import as_yaml
from bakeoff.dialects.native.sameness import differences
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.scalars import read_untyped
from bakeoff.dialects.yaml import parse_yaml
from bakeoff.errors import ProblemsFound, UserError
from bakeoff.model.suite import Dialect, Suite

CORPUS: dict[str, Callable[[Path], Example]] = {
    "ablate": ablate.build_ablate_example,
    "ablate, every field": ablate.build_ablate_every_field,
    "agent-exam": agent_exam.build_agent_exam_example,
    "suite": harness_lab.build_harness_lab_example,
    "suite over git": functools.partial(harness_lab.build_harness_lab_example, in_git=True),
    "improve": harness_lab.build_improve_example,
    "safety": harness_lab.build_safety_example,
    "experiment": harness_lab.build_experiment_example,
}


def converted(suite: Suite, folder: Path) -> Suite:
    """The suite after it went through a native file in a directory of its own."""
    target = folder / "bakeoff.yaml"
    text = convert(suite, target)
    target.write_text(text)
    made = load("bakeoff.yaml", cwd=folder)
    assert made.dialect is Dialect.NATIVE
    assert convert(made, target) == text
    return made


@pytest.mark.parametrize("name", CORPUS)
def test_every_example_means_the_same_as_a_native_file(tmp_path: Path, name: str) -> None:
    example = CORPUS[name](tmp_path / "example")
    suite = load(str(example.spec), cwd=tmp_path)
    (tmp_path / "far").mkdir()

    made = converted(suite, tmp_path / "far")

    assert differences(suite, made) == ()
    assert [task.key for task in made.tasks] == [task.key for task in suite.tasks]


def test_the_bundled_suite_one_that_uses_every_key_and_a_project_of_two_suites(tmp_path: Path) -> None:
    write_suite(tmp_path / "native")
    agent_exam.build_full_project(tmp_path / "full")
    (tmp_path / "far").mkdir()
    for spec in ("demo", "native", "full"):
        suite = load(spec, cwd=tmp_path)
        assert differences(suite, converted(suite, tmp_path / "far")) == ()


@pytest.mark.parametrize(
    ("builder", "field"),
    [
        (harness_lab.build_later_fields_example, "`verification.answer_key` cannot be converted yet"),
        (harness_lab.build_variant_example, "`harness` cannot be converted yet"),
        (agent_exam.build_agent_exam_trigger_example, "`kind: trigger` cannot be converted yet"),
        (agent_exam.build_agent_exam_later_example, "`assertions.judge` cannot be converted yet"),
    ],
)
def test_what_cannot_be_said_is_an_error_with_its_place(
    tmp_path: Path, builder: Callable[[Path], Example], field: str
) -> None:
    suite = load(str(builder(tmp_path).spec), cwd=tmp_path)

    with pytest.raises(ProblemsFound) as refused:
        convert(suite, tmp_path / "bakeoff.yaml")

    (problem, *_) = [each for each in refused.value.problems if field in each.message]
    assert problem.where is not None
    assert problem.where.line > 0


def test_what_the_native_format_refuses_is_told(tmp_path: Path) -> None:
    files = {
        "suite.yaml": "name: s\ntasks: [t.yaml]\nvariants: [{id: a, runner: nobody, x: 1}]\n",
        "t.yaml": "id: t\nname: T\nrepo: {path: start}\nprompt: x\nverification: {command: x}\n",
        "start/a": "",
    }
    suite = load("suite.yaml", cwd=write_files(tmp_path, files))

    with pytest.raises(UserError) as refused:
        convert(suite, tmp_path / "bakeoff.yaml")

    assert "there is no harness 'nobody'" in str(refused.value)


def test_a_file_that_hides_itself_is_no_difference(tmp_path: Path) -> None:
    text = "bakeoff: 0\nsuite: s\narms: [fake]\ntasks: [{id: t, prompt: x, start: {git: .}, checks: [{command: x}]}]\n"
    root = make_repository(tmp_path / "root", {"bakeoff.yaml": text, "a": ""})
    suite = load(".", cwd=root)

    made = converted(suite, root)

    assert made.tasks[0].start.hide == ("bakeoff.yaml",)
    assert differences(suite, made) == ()


TRICKY = st.sampled_from(
    [
        "",
        " ",
        "no",
        "Yes",
        "~",
        "null",
        "007",
        "0x1f",
        "1.10",
        "12e4567",
        "1e5",
        "-",
        "?",
        ":",
        "a: b",
        "a #b",
        "'",
        '"',
        "\\",
        "%",
        "@x",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "{a}",
        "[a]",
        "a,b",
        "<<",
        "=",
        "2024-01-01",
        "a\n",
        "\na",
        "a\n\n",
        " a\nb",
        "a \nb",
        "a\tb\n",
        "a\r\nb",
        "\u2028",
        "\x85",
        "\ufeff",
        "é",
        "😀",
        "1_000",
        "0o7",
        "1:30",
        ".inf",
        "-.5",
        "+1",
        "---",
        "...",
        "a\n---\nb\n",
        "# x\n",
        "true",
        "123456789012345678901",
    ]
)
TEXTS = st.one_of(
    TRICKY, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
)
SINGLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**16), 10**16),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
ANYTHING = st.recursive(
    SINGLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(value=st.dictionaries(TEXTS, ANYTHING, min_size=1, max_size=4))
def test_any_plain_value_is_written_so_that_it_reads_back(value: dict[str, object]) -> None:
    problems = Problems(cwd=Path("/"))

    node = parse_yaml(as_yaml(value), Path("/x.yaml"), problems)

    assert node is not None, [str(problem) for problem in problems.in_order()]
    assert repr(read_untyped(node, "", problems)) == repr(value)
    assert problems.in_order() == ()


WORDS = st.text("abcdefgh-_.1", min_size=1, max_size=8).filter(lambda text: text[0] not in "-.")
LINES = TEXTS.filter(lambda text: bool(text.strip()))
TITLES = LINES.filter(str.isprintable)
SECONDS = st.one_of(st.integers(1, 5000), st.floats(0.001, 5000))
GLOBS = st.lists(st.sampled_from(["app.py", "tests/**", "*.lock", "src/[ab]?.py"]), min_size=1, unique=True)
NAMES = st.lists(st.sampled_from(["HOME_A", "B", "_c"]), unique=True)
COMMANDS = LINES.filter(
    lambda text: any(x.strip() and not x.strip().startswith("#") for x in text.splitlines())
)


def mapping(**values: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    """A mapping with any of these keys; `pass_` is `pass`."""
    optional = {name.rstrip("_"): value for name, value in values.items()}
    return st.fixed_dictionaries({}, optional=optional)


SHARED = {"required": st.booleans(), "stop": st.booleans(), "known_issue": LINES}
CHECKS = st.one_of(
    st.fixed_dictionaries(
        {"command": COMMANDS}, optional={"expect": st.integers(0, 255), "timeout_s": SECONDS}
    ),
    st.fixed_dictionaries(
        {"command": st.fixed_dictionaries({"run": COMMANDS}, optional={"style": st.booleans()})},
        optional=SHARED,
    ),
    st.fixed_dictionaries({"script": COMMANDS}, optional={"capture_json": st.booleans()}),
    st.fixed_dictionaries({"unchanged": GLOBS}, optional=SHARED),
    st.fixed_dictionaries(
        {
            "files_touched": st.fixed_dictionaries(
                {"must_include": GLOBS}, optional={"must_not_include": GLOBS}
            )
        },
        optional={**SHARED, "providers": st.just(["fake", "codex_cli"])},
    ),
    st.fixed_dictionaries(
        {"present": st.sampled_from(["a+", "^x$", "yes", "1.10", "a\nb"])},
        optional={"in": st.sampled_from(["diff", "files"]), "paths": GLOBS},
    ),
)
STARTS = st.one_of(
    st.just("empty"),
    mapping(at=st.sampled_from(["HEAD", "main"]), hide=GLOBS).map(lambda more: {"git": "repo", **more}),
    mapping(leave_out=st.lists(TITLES, max_size=2), hide=GLOBS).map(lambda more: {"folder": "plain", **more}),
)
TASKS = st.fixed_dictionaries(
    {"prompt": LINES, "start": STARTS, "checks": st.lists(CHECKS, min_size=1, max_size=3)},
    optional={
        "title": TITLES,
        "description": TEXTS.filter(bool),
        "version": st.integers(1, 99),
        "setup": st.one_of(
            COMMANDS,
            st.lists(COMMANDS, max_size=2),
            mapping(timeout_s=SECONDS, must_leave_clean=st.booleans()).map(lambda more: {"run": [], **more}),
        ),
        "env": mapping(pass_=NAMES, set_=st.dictionaries(st.sampled_from(["X", "Y"]), TEXTS), unset=NAMES),
        "limits": mapping(timeout_s=SECONDS),
        "weight": st.one_of(st.integers(0, 9), st.floats(0, 9)),
        "tags": st.lists(st.sampled_from(["smoke", "slow"]), unique=True),
        "options": st.just({"fake": {"delay_ms": 1}}),
        "on_timeout": st.sampled_from(["timeout", "grade"]),
        "on_crash": st.sampled_from(["fail", "grade"]),
        "known_issue": LINES,
        "concurrency_group": st.just("db"),
        "case": WORDS,
        "suite": WORDS,
        "reference": mapping(overlay=st.just("plain"), description=TEXTS),
        "safety": mapping(lure_urls=st.just(["https://lure.example.test/"])),
        "improve": mapping(
            rounds=st.integers(1, 9), keep_best=st.booleans(), min_improvement=st.floats(0, 1)
        ).map(
            lambda more: {"objective": {"command": "x", "inject": [{"source": "plain", "dest": "m"}]}, **more}
        ),
    },
)
ARMS = st.fixed_dictionaries(
    {"harness": st.sampled_from(["fake", "codex_cli"])},
    optional={
        "model": TITLES,
        "notes": st.dictionaries(TEXTS, ANYTHING, max_size=2),
        "model_aliases": st.dictionaries(WORDS, TEXTS, max_size=2),
        "place": st.lists(
            st.sampled_from(
                [{"instructions": "plain/app.py", "to": "A.md"}, {"bundle": None, "to": "b", "name": "n"}]
            ),
            unique_by=str,
        ),
    },
)
SUITES = st.fixed_dictionaries(
    {
        "suite": TITLES,
        "arms": st.lists(ARMS, min_size=1, max_size=3),
        "tasks": st.lists(TASKS, min_size=1, max_size=3),
    },
    optional={
        "description": TEXTS,
        "experiment": TITLES,
        "repeats": st.integers(1, 9),
        "jobs": st.integers(1, 9),
        "keep_workspaces": st.booleans(),
        "min_tasks_for_interval": st.integers(1, 20),
        "plugins": st.just(["a.b"]),
        "tags": st.just({"smoke": None, "slow": {"exclude_by_default": True}}),
        "defaults": mapping(
            tags=st.just(["slow"]), checks=st.lists(CHECKS, max_size=1), limits=mapping(timeout_s=SECONDS)
        ),
    },
)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What generated suites name: a repository and a folder."""
    folder = tmp_path_factory.mktemp("generated")
    make_repository(folder / "repo", {"app.py": "", "tests/t.py": ""})
    write_files(folder, {"plain/app.py": "x\n"})
    (folder / "far").mkdir()
    return folder


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(generated=SUITES)
def test_any_native_suite_means_the_same_when_it_is_converted(
    surroundings: Path, generated: dict[str, object]
) -> None:
    arms, tasks = generated["arms"], generated["tasks"]
    assert isinstance(arms, list)
    assert isinstance(tasks, list)
    named = {
        "bakeoff": 0,
        **generated,
        "concurrency_groups": {"db": 1},
        "arms": [{"id": f"a{number}", **arm} for number, arm in enumerate(arms)],
        "tasks": [{"id": f"t{number}", **task} for number, task in enumerate(tasks)],
    }
    (surroundings / "generated.yaml").write_text(as_yaml(named))
    suite = load("generated.yaml", cwd=surroundings)

    made = converted(suite, surroundings / "far")

    assert differences(suite, made) == ()
    assert [task.prompt for task in made.tasks] == [task["prompt"] for task in tasks]
