"""The launch as it is made starts the real program, and what it prints is understood."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.cli_rig import DUMMY_KEY, MODEL
from support.model_script import Failure, Route, Script, Tokens, ToolUse, Turn
from support.namespace import MODEL_URL, OfflineRun, run_offline
from support.scripted import lay_down

from bakeoff.harness import registry
from bakeoff.harness.claude_code.options import ClaudeCodeOptions
from bakeoff.harness.outcome import Conclusion, conclude
from bakeoff.harness.protocol import LaunchRequest, StreamParser
from bakeoff.model.trajectory import Finish, Provenance, Trajectory, Usage
from bakeoff.model.trial import Ending, VoidReason
from bakeoff.process.supervise import EndReason, ProcessEnd

pytestmark = pytest.mark.real_cli

BYPASS = {"permission_mode": "bypassPermissions", "allow_dangerous_permissions": True}


class Rig:
    """A workspace, a HOME, and the last run in them."""

    def __init__(self, program: Path, root: Path) -> None:
        self.program = program.resolve()
        self.workspace, self.home, self.tmp = root / "workspace", root / "home", root / "tmp"
        for folder in (self.workspace, self.home, self.tmp):
            folder.mkdir()
        self.run: OfflineRun

    def start(
        self,
        turns: tuple[Turn, ...],
        options: Mapping[str, object] = BYPASS,
        *,
        prompt: str = "Do it.",
        timeout_s: float = 60.0,
    ) -> StreamParser:
        """One launch; its stream as it was read."""
        harness = registry.get("claude_code")
        launch = harness.launch(
            LaunchRequest(
                prompt=prompt,
                workspace=str(self.workspace),
                home=str(self.home),
                tmp=str(self.tmp),
                options=ClaudeCodeOptions.model_validate(options),
                model=MODEL,
                executable=self.program,
            )
        )
        lay_down(launch, self.home)
        self.session_files = launch.session_files
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": MODEL_URL,
            "ANTHROPIC_API_KEY": DUMMY_KEY,
            **launch.env,
        }
        self.run = run_offline(
            launch.argv,
            script=Script(routes=(Route(turns=turns),)),
            env=env,
            cwd=self.workspace,
            stdin=launch.stdin or b"",
            timeout_s=timeout_s,
        )
        parser = harness.parser(harness.Options())
        for line in self.run.stdout.split(b"\n"):
            parser.feed(line)
        return parser

    def read_session(self, parser: StreamParser) -> Trajectory:
        """The trajectory with what the session files add."""
        for glob in self.session_files:
            for path in sorted(self.home.glob(glob)):
                for line in path.read_bytes().split(b"\n"):
                    parser.feed_session(line)
        return parser.trajectory()

    def conclude(self, trajectory: Trajectory) -> Conclusion:
        """How it would be recorded."""
        reason = EndReason.TIMEOUT if self.run.timed_out else EndReason.EXITED
        return conclude(ProcessEnd(reason=reason, exit_code=self.run.exit_code), trajectory)


@pytest.fixture
def rig(claude: Path, tmp_path: Path) -> Rig:
    return Rig(claude, tmp_path)


def bash(command: str) -> ToolUse:
    return ToolUse(name="Bash", input={"command": command, "description": "x"})


def test_every_option_at_once(rig: Rig) -> None:
    parser = rig.start(
        (
            Turn(text="Running.", tools=(bash("touch made"),), tokens=Tokens(input=10, output=5)),
            Turn(text="Done."),
        ),
        prompt="Do it, with {braces} and $HOME.",
        options={
            "permission_mode": "acceptEdits",
            "max_turns": 5,
            "max_budget_usd": 2.5,
            "setting_sources": ["project", "local"],
            "append_system_prompt": "Always say APPENDED.",
            "effort": "high",
            "autocompact": 150_000,
            "tools": ["Bash", "Edit", "Read"],
            "allowed_tools": ["Bash(touch *)"],
            "disallowed_tools": ["WebFetch", "WebSearch"],
            "include_hook_events": True,
            "include_partial_messages": True,
            "max_retries": 1,
            "api_timeout_s": 30,
        },
    )
    trajectory = parser.trajectory()
    assert trajectory.finish is Finish.COMPLETED, rig.run.story
    assert parser.finished
    assert (rig.workspace / "made").exists()
    assert trajectory.unknown_events == {}
    assert trajectory.malformed_lines == 0
    assert trajectory.roster is not None
    assert trajectory.roster.permission_mode == "acceptEdits"
    asked = str(rig.run.model_requests[0].body)
    assert "Always say APPENDED." in asked
    assert "Do it, with {braces} and $HOME." in asked
    assert rig.conclude(trajectory).ending is Ending.COMPLETED


def test_nothing_is_written_outside_its_own_directories(rig: Rig) -> None:
    rig.start((Turn(text="Done."),))
    assert sorted(path.name for path in rig.workspace.iterdir()) == []
    assert (rig.home / ".claude/projects").is_dir()
    assert list(rig.tmp.iterdir())


def test_tokens_and_cost_to_the_digit(rig: Rig) -> None:
    used = Tokens(input=10, output=50, cache_read=2000, cache_write=300)
    trajectory = rig.start((Turn(text="Done.", tokens=used),)).trajectory()
    usage = trajectory.usage
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (10, 50, 2000, 300)
    cost = (10 * 3 + 50 * 15 + 2000 * 0.3 + 300 * 3.75) / 1e6
    assert trajectory.cost_usd == pytest.approx(cost, abs=1e-12)
    assert trajectory.cost_source is Provenance.REPORTED


def test_a_denied_tool_does_not_wait(rig: Rig) -> None:
    trajectory = rig.start((Turn(tools=(bash("touch made"),)), Turn(text="No?")), {}).trajectory()
    assert [denial.tool for denial in trajectory.denials] == ["Bash"]
    assert not (rig.workspace / "made").exists()
    assert rig.conclude(trajectory).ending is Ending.COMPLETED


def test_ended_by_the_clock_its_session_file_tells_tokens_and_cost(rig: Rig) -> None:
    used = Tokens(input=100, output=20)
    turns = (Turn(text="Looking.", tools=(bash("ls"),), tokens=used), Turn(text="never", hang_s=600))
    parser = rig.start(turns, timeout_s=12)
    told = parser.trajectory()
    assert (told.usage, told.cost_usd) == (Usage(input=100, cache_read=0, cache_write=0), None)
    assert rig.conclude(told).ending is Ending.TIMEOUT
    full = rig.read_session(parser)
    assert (full.usage.input, full.usage.output, full.usage_source) == (100, 20, Provenance.REPORTED)
    assert full.cost_usd == pytest.approx((100 * 3 + 20 * 15) / 1e6, abs=1e-12)


def test_the_instruction_files_that_it_loaded_are_known(rig: Rig) -> None:
    (rig.workspace / "CLAUDE.md").write_text("# Rules\n@more.md\n")
    (rig.workspace / "more.md").write_text("more\n")
    roster = rig.read_session(rig.start((Turn(text="Done."),))).roster
    assert roster is not None
    assert roster.instruction_files == (f"{rig.workspace}/CLAUDE.md", f"{rig.workspace}/more.md")


def test_a_slash_prompt_loads_its_skill(rig: Rig) -> None:
    skill = rig.workspace / ".claude/skills/greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greet\ndescription: Greets.\n---\n# Greet\n")
    parser = rig.start((Turn(text="Hello."),), prompt="/greet now")
    assert parser.trajectory().skills == ()
    assert rig.read_session(parser).skills == ("greet",)


@pytest.mark.parametrize(
    ("status", "ending", "void"),
    [
        (400, Ending.CRASHED, None),
        (401, Ending.CRASHED, VoidReason.AUTHENTICATION),
        (429, Ending.CRASHED, VoidReason.RATE_LIMIT),
        (529, Ending.CRASHED, VoidReason.API_ERROR),
    ],
)
def test_failed_calls(rig: Rig, status: int, ending: Ending, void: VoidReason | None) -> None:
    turns = (Turn(text="x", failure=Failure(status=status)),)
    trajectory = rig.start(turns, {"max_retries": 0, **BYPASS}).trajectory()
    conclusion = rig.conclude(trajectory)
    assert (conclusion.ending, conclusion.void) == (ending, void), rig.run.story


def test_a_refusal_to_start_is_no_agent(rig: Rig) -> None:
    trajectory = rig.start((Turn(text="x"),), {"extra_args": ["--no-such-flag"]}).trajectory()
    conclusion = rig.conclude(trajectory)
    assert (conclusion.ending, conclusion.void) == (Ending.NOT_STARTED, VoidReason.HARNESS_MISSING)
    assert b"--no-such-flag" in rig.run.stderr
