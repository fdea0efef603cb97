"""The published examples of two formats, solved by the real Claude Code, sandboxed and offline."""

import json
import subprocess
import sys

import pytest
from examples.ablate import build_ablate_example
from examples.harness_lab import build_harness_lab_example
from support.cli_rig import MODEL, run_bakeoff
from support.machine import UV
from support.model_script import Tokens, ToolUse, Turn, one_route
from support.published_setup import copy_cache

pytestmark = [pytest.mark.real_cli, pytest.mark.sandbox, pytest.mark.timeout(300)]

TOKENS = Tokens(input=100, output=10)


def edits(solution):
    """Turns that read and then write every file of a solution, as Claude Code demands it."""
    paths = {path: f"{{{{cwd}}}}/{path}" for path in solution}
    reads = tuple(ToolUse(name="Read", input={"file_path": path}) for path in paths.values())
    writes = tuple(
        ToolUse(name="Write", input={"file_path": path, "content": solution[name]})
        for name, path in paths.items()
    )
    return [
        Turn(text="Reading.", tools=reads, tokens=TOKENS),
        Turn(text="Writing.", tools=writes, tokens=TOKENS),
        Turn(text="Done.", tokens=TOKENS),
    ]


def recorded(store, cwd):
    """The one trial of the store's latest experiment."""
    argv = [sys.executable, "-m", "bakeoff", "show", "latest", "--json", "--home", str(store)]
    shown = json.loads(subprocess.run(argv, cwd=cwd, capture_output=True, check=True).stdout)
    (line,) = shown["experiment"]["trials"]
    argv[4] = line["address"]
    trial = json.loads(subprocess.run(argv, cwd=cwd, capture_output=True, check=True).stdout)["trial"]
    return trial["line"] | trial


@pytest.mark.setup_cache
def test_the_published_ablate_example_with_its_own_setup(tmp_path, home):
    example = build_ablate_example(tmp_path / "example")
    store = tmp_path / "store"
    copy_cache(store)
    arguments = [
        "run",
        str(example.spec),
        "--model",
        MODEL,
        "--home",
        str(store),
        "--yes",
        "--env",
        "UV_OFFLINE",
    ]

    run = run_bakeoff(
        [*arguments, "--sandbox", "bubblewrap"],
        script=one_route(edits(example.solution), when="--format text|json"),
        cwd=example.spec,
        home=home,
        env={"UV_OFFLINE": "1"},
        programs=[UV.parent],
    )

    assert run.exit_code == 0, run.story
    trial = recorded(store, example.spec)
    assert (trial["outcome"], trial["ending"], trial["arm"]) == ("pass", "completed", "claude-code")
    assert trial["cost_usd"] == pytest.approx((300 * 3 + 30 * 15) / 1e6, abs=1e-12)
    verdicts, style = (
        {verdict["check"]: verdict["status"] for verdict in trial[kind]}
        for kind in ("verdicts", "style_verdicts")
    )
    # Lint is told apart from correctness.
    assert style == {"lint": "passed"}
    assert verdicts | style == dict.fromkeys(example.breaking, "passed")
    assert "lint" not in verdicts
    assert trial["score"] == 1
    assert sorted(change["path"] for change in trial["changes"] if not change["ignored"]) == sorted(
        example.solution
    )
    assert len(run.model_requests) == 3


def test_the_published_harness_lab_example(tmp_path, home):
    example = build_harness_lab_example(tmp_path / "example")
    store = tmp_path / "store"
    arguments = [
        "run",
        str(example.spec),
        "--arm",
        "claude-default",
        "--model",
        MODEL,
        "--home",
        str(store),
        "--yes",
    ]

    run = run_bakeoff(
        [*arguments, "--sandbox", "bubblewrap"],
        script=one_route(edits(example.solution)),
        cwd=tmp_path,
        home=home,
    )

    assert run.exit_code == 0, run.story
    trial = recorded(store, tmp_path)
    assert (trial["outcome"], trial["ending"], trial["arm"]) == ("pass", "completed", "claude-default")
    assert [change["path"] for change in trial["changes"]] == sorted(example.solution)
    assert trial["usage"]["cost_usd"] == pytest.approx((300 * 3 + 30 * 15) / 1e6, abs=1e-12)
