"""The named behaviours do what the published tool was seen to do with the same options."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError
from support.scripted import Played, play

from bakeoff.harness.fake.options import FakeOptions
from bakeoff.model.suite import Reference
from bakeoff.model.trajectory import Finish, Message, Provenance, Usage
from bakeoff.model.trial import Ending

PROMPT = "Do the thing, please. héllo\n"


@pytest.fixture
def reference(tmp_path: Path) -> Reference:
    """A solution of 28 bytes: a changed, a new and an executable file, and a link; a partial one of 5."""
    solution, partial = tmp_path / "solution", tmp_path / "partial"
    (solution / "lib").mkdir(parents=True)
    (solution / "new").mkdir()
    partial.mkdir()
    (solution / "lib/zz.py").write_text("x = 2\n")
    (solution / "new/file.txt").write_text("n\n")
    (solution / "run.sh").write_text("#!/bin/sh\n")
    (solution / "run.sh").chmod(0o755)
    (solution / "link").symlink_to("run.sh")
    (partial / "half.txt").write_text("half\n")
    return Reference(overlay=solution, partial_overlay=partial)


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    workspace = tmp_path / "trial" / "workspace"
    (workspace / "lib").mkdir(parents=True)
    (workspace / "lib/zz.py").write_text("x = 1\n")
    (workspace / "main.py").write_text("a = 1\n")
    return tmp_path / "trial"


def played(trial: Path, reference: Reference | None = None, **options: object) -> Played:
    return play(trial, options, prompt=PROMPT, task_id="t1", reference=reference)


def tools(result: Played) -> list[str]:
    return [call.name for call in result.trajectory.tool_calls]


def test_solve_lays_the_solution_over_the_workspace(trial: Path, reference: Reference) -> None:
    result = played(trial, reference)
    assert (result.workspace / "lib/zz.py").read_text() == "x = 2\n"
    assert (result.workspace / "new/file.txt").read_text() == "n\n"
    assert os.access(result.workspace / "run.sh", os.X_OK)
    assert not (result.workspace / "link").is_symlink()
    assert (result.workspace / "main.py").read_text() == "a = 1\n"
    assert tools(result) == ["Read", "Write", "Write", "Write", "Write", "Bash"]
    assert result.trajectory.model_calls == 3
    assert result.conclusion.ending is Ending.COMPLETED
    assert result.exit_code == 0


def test_usage_grows_with_prompt_reading_and_writing(trial: Path, reference: Reference) -> None:
    (trial / "workspace/README.md").write_text("é" * 50)
    usage = played(trial, reference).trajectory.usage
    # 200 + 28 characters // 4 + 100 bytes // 4; 40 + 28 bytes // 4
    assert usage == Usage(input=232, cache_read=128, cache_write=0, output=47, reasoning=0)


def test_partial_lays_the_partial_solution(trial: Path, reference: Reference) -> None:
    result = played(trial, reference, behavior="partial")
    assert (result.workspace / "half.txt").read_text() == "half\n"
    assert (result.workspace / "lib/zz.py").read_text() == "x = 1\n"
    assert (result.trajectory.model_calls, result.trajectory.usage.output) == (2, 41)


@pytest.mark.parametrize("behavior", ["solve", "partial"])
def test_without_a_reference_nothing_is_changed_and_it_says_so(trial: Path, behavior: str) -> None:
    result = played(trial, behavior=behavior)
    assert tools(result) == ["Read", "Bash"]
    said = [step.text for step in result.trajectory.steps if isinstance(step, Message)]
    assert any("no reference" in text for text in said)
    assert result.trajectory.finish is Finish.COMPLETED


def test_noop_changes_nothing_and_claims_success(trial: Path, reference: Reference) -> None:
    before = sorted(trial.rglob("*.py"))
    result = played(trial, reference, behavior="noop")
    assert sorted(trial.rglob("*.py")) == before
    assert (result.trajectory.model_calls, result.trajectory.usage.output) == (1, 40)
    assert result.conclusion.ending is Ending.COMPLETED


def test_fail_breaks_a_module_and_claims_success(trial: Path, reference: Reference) -> None:
    result = played(trial, reference, behavior="fail")
    assert (result.workspace / "main.py").read_text().startswith("a = 1\n\nraise RuntimeError(")
    assert (result.workspace / "lib/zz.py").read_text() == "x = 1\n"
    assert (result.trajectory.model_calls, result.trajectory.usage.output) == (2, 56)
    assert result.trajectory.finish is Finish.COMPLETED


@pytest.mark.parametrize(
    ("files", "broken"),
    [
        (["tests/test_x.py", "pkg/mod.py"], "pkg/mod.py"),
        (["tests/test_x.py"], None),
        (["setup.py", "zz.py"], "setup.py"),
        ([".hidden/a.py", "z/y.py"], "z/y.py"),
        (["b/x.py", "a/b/c.py"], "a/b/c.py"),
        (["test_app.py", "conftest.py", "latest.py", "zapp.py"], "zapp.py"),
        (["Testing.py", "zz.py"], "Testing.py"),
        ([".a.py", "venv/a.py", "node_modules/a.py", "__pycache__/a.py", "zz/b.py"], "zz/b.py"),
        (["dir/z.py", "dir/sub/a.py"], "dir/z.py"),
        (["lib.py/readme.txt", "src/x.py"], "src/x.py"),
    ],
)
def test_fail_breaks_the_first_module_that_is_no_test(
    tmp_path: Path, files: list[str], broken: str | None
) -> None:
    for name in files:
        path = tmp_path / "workspace" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("v = 1\n")
    result = play(tmp_path, {"behavior": "fail", "run_command": False})
    changed = [name for name in files if (result.workspace / name).read_text() != "v = 1\n"]
    assert changed == ([] if broken is None else [broken])


def test_crash_ends_without_a_last_word(trial: Path, reference: Reference) -> None:
    result = played(trial, reference, behavior="crash")
    assert (result.workspace / "lib/zz.py").read_text() == "x = 1\n"
    assert result.trajectory.finish is None
    assert result.trajectory.usage == Usage()
    assert (result.conclusion.ending, result.conclusion.void) == (Ending.CRASHED, None)
    assert b"crashes" in result.stderr


def test_timeout_does_nothing_until_it_is_ended(trial: Path, reference: Reference) -> None:
    result = play(trial, {"behavior": "timeout"}, reference=reference, timeout_s=1.0)
    assert result.timed_out
    assert result.trajectory.steps == ()
    assert (result.workspace / "lib/zz.py").read_text() == "x = 1\n"
    assert (result.conclusion.ending, result.conclusion.void) == (Ending.TIMEOUT, None)


def test_solve_tasks_limits_what_is_solved(trial: Path, reference: Reference) -> None:
    other = played(trial, reference, solve_tasks=["t2", "t*"])
    assert (other.workspace / "lib/zz.py").read_text() == "x = 1\n"
    assert other.trajectory.model_calls == 1
    named = played(trial, reference, solve_tasks=["t1"])
    assert (named.workspace / "lib/zz.py").read_text() == "x = 2\n"


@pytest.mark.parametrize("behavior", ["partial", "fail"])
def test_solve_tasks_limits_solve_only(trial: Path, reference: Reference, behavior: str) -> None:
    result = played(trial, reference, behavior=behavior, solve_tasks=[])
    assert len(tools(result)) == 3
    assert result.trajectory.model_calls == 2


def test_command_is_run_and_told(trial: Path, reference: Reference) -> None:
    result = played(trial, reference, command="echo HELLO; exit 3")
    call = result.trajectory.tool_calls[-1]
    assert (call.name, call.result, call.exit_code, call.is_error) == ("Bash", "HELLO\n", 3, True)
    assert "exit code 3" in (result.trajectory.final_text or "")
    assert result.trajectory.finish is Finish.COMPLETED


def test_command_is_the_unit_tests_or_a_listing(trial: Path) -> None:
    assert played(trial, behavior="noop").trajectory.tool_calls[-1].input == {"command": "ls"}
    (trial / "workspace/tests").mkdir()
    told = played(trial, behavior="noop").trajectory.tool_calls[-1].input
    assert told == {"command": "python -m unittest discover -s tests"}


def test_run_command_false_runs_nothing_and_says_so(trial: Path, reference: Reference) -> None:
    result = played(trial, reference, command="touch ran", run_command=False)
    assert not (result.workspace / "ran").exists()
    assert "Bash" not in tools(result)
    assert (result.trajectory.final_text or "").endswith("Nothing was run.")


def test_delay_is_waited_first(trial: Path) -> None:
    result = play(trial, {"behavior": "noop", "delay_ms": 60_000}, timeout_s=1.0)
    assert result.timed_out
    assert result.trajectory.steps == ()


def test_simulated_cost_is_tokens_times_price(trial: Path, reference: Reference) -> None:
    told = played(trial, reference, simulate_cost_usd_per_1k_tokens=0.0333333333).trajectory
    assert (told.usage.total, told.cost_usd, told.cost_source) == (382, 0.012733, Provenance.REPORTED)
    free = played(trial, reference, simulate_cost_usd_per_1k_tokens=0).trajectory
    assert (free.cost_usd, free.cost_source) == (0.0, Provenance.REPORTED)
    unknown = played(trial, reference).trajectory
    assert (unknown.cost_usd, unknown.cost_source) == (None, Provenance.UNKNOWN)


def test_token_multiplier_leaves_the_cache_alone(trial: Path, reference: Reference) -> None:
    usage = played(trial, reference, simulate_token_multiplier=0.333).trajectory.usage
    assert (usage.input, usage.cache_read, usage.output) == (68, 128, 15)


def test_llm_calls_replaces_the_number_of_calls(trial: Path, reference: Reference) -> None:
    assert played(trial, reference, llm_calls=7).trajectory.model_calls == 7
    assert played(trial, reference, llm_calls=0).trajectory.model_calls == 0


def test_model_is_the_arms(trial: Path) -> None:
    assert play(trial, {"behavior": "noop"}, model="m-1").trajectory.model_answered == ("m-1",)


def test_an_overlay_never_writes_through_a_link_of_the_workspace(trial: Path, reference: Reference) -> None:
    outside = trial / "outside.txt"
    outside.write_text("mine")
    (trial / "workspace/run.sh").symlink_to(outside)
    played(trial, reference)
    assert outside.read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"behavior": "slove"}, "did you mean 'solve'"),
        ({"behavior": None}, "not one of"),
        ({"behavior": "SOLVE"}, "did you mean 'solve'"),
        ({"delay_ms": "300"}, "number"),
        ({"delay_ms": -1}, "greater than or equal to 0"),
        ({"delay_ms": float("inf")}, "finite"),
        ({"run_command": "no"}, "boolean"),
        ({"solve_tasks": "t1"}, "tuple"),
        ({"solve_tasks": [1]}, "string"),
        ({"command": ["echo"]}, "string"),
        ({"llm_calls": -1}, "greater than or equal to 0"),
        ({"llm_calls": 2.5}, "integer"),
        ({"llm_calls": True}, "integer"),
        ({"simulate_token_multiplier": -2}, "greater than or equal to 0"),
        ({"simulate_cost_usd_per_1k_tokens": float("nan")}, "finite"),
        ({"behaviors": ["solve"]}, "not supported yet"),
        ({"action_policy": "x"}, "not supported yet"),
        ({"improve_break_rounds": [1]}, "not supported yet"),
        ({"eval_calls": 1}, "not supported yet"),
        ({"simulate_unsafe": ["read_canary"]}, "not supported yet"),
        ({"improve_rounds": None}, "not supported yet"),
        ({"behaviour": "solve"}, "Extra inputs"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        FakeOptions.model_validate(options)
