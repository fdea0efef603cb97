"""What the scripted model does to the real Claude Code in each task of one Harness Lab suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from support.cli_rig import MODEL
from support.model_http import Request
from support.model_script import Failure, Route, Script, Tokens, ToolUse, Turn
from support.repositories import make_repository, write_files

SKILL = """\
---
name: sums
description: Use when a sum is wrong. Says how sums are made right.
---
# Sums
A sum is made with a plus sign.
"""

PROJECT = {
    "app.py": "def add(a, b):\n    return a - b\n",
    ".claude/skills/sums/SKILL.md": SKILL,
}

SILENCE_S = 30
"""Long enough that the program has started and asked the model also on a busy machine."""

_SUITE = """\
name: situations
tasks: [{tasks}]
variants:
  - id: claude
    runner: claude
    model: {model}
    allowed_tools: [Bash]
    disallowed_tools: ["Bash(touch *)"]
    env_passthrough: [CLAUDE_CODE_MAX_RETRIES]
  - id: short
    runner: claude
    model: {model}
    max_turns: 2
    allowed_tools: [Bash]
"""

_TASK = """\
id: {name}
name: {name}
repo: {{path: ../project}}
prompt: |
  Fix add() in app.py. This is SITUATION-{name}.
verification:
  command: sleep {wait} && python3 -c 'import app; assert app.add(2, 3) == 5'
limits: {{agent_timeout_seconds: {limit}}}
"""


def use(name: str, **arguments: object) -> ToolUse:
    """One use of a tool."""
    return ToolUse(name=name, input=arguments)


def shell(command: str) -> ToolUse:
    """One command of the agent's shell."""
    return use("Bash", command=command, description="a scripted command")


READ = use("Read", file_path="{{cwd}}/app.py")
EDIT = use("Edit", file_path="{{cwd}}/app.py", old_string="a - b", new_string="a + b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Tokens of all answers of one session, as the script set them."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def cost_usd(self) -> float:
        """At the list prices of `MODEL`."""
        return (self.input * 3 + self.output * 15 + self.cache_read * 0.30 + self.cache_write * 3.75) / 1e6


def used(turns: Iterable[Turn]) -> Used:
    """What these answers used together."""
    tokens = [turn.tokens for turn in turns]
    return Used(
        input=sum(_set(part.input) for part in tokens),
        output=sum(_set(part.output) for part in tokens),
        cache_read=sum(part.cache_read for part in tokens),
        cache_write=sum(part.cache_write for part in tokens),
    )


def _set(number: int | None) -> int:
    assert number is not None, "say how many tokens the turn has"
    return number


def metered(number: int, *turns: Turn) -> tuple[Turn, ...]:
    """Turns with tokens that no other turn has, of any number; their sums differ as well."""
    return tuple(
        replace(
            turn,
            tokens=Tokens(
                input=100 * number + 2**place,
                output=1000 + 100 * number + 2**place,
                cache_read=20_000 + 100 * number + 2**place,
                cache_write=5000 + 100 * number + 2**place,
            ),
        )
        for place, turn in enumerate(turns)
    )


_FIX = (Turn(text="Reading.", tools=(READ,)), Turn(text="Editing.", tools=(EDIT,)), Turn(text="Fixed."))
FIX = metered(1, *_FIX)

# Waits until the agent has ended, and a while more, then makes the solution right again and
# again; it holds the agent's output all the time. Without it the check would see that.
LATE_FIX = (
    'agent=$PPID; setsid sh -c \'trap "" TERM HUP INT; '
    "while kill -0 '$agent' 2>/dev/null; do sleep 0.05; done; sleep 2; "
    'while true; do printf "def add(a, b):\\n    return a + b\\n" > app.py; sleep 0.01; done\' & echo left'
)
LATE_CHECK_S = 4


def delegate(number: int, *, background: bool | None) -> tuple[Turn, ...]:
    """The main thread's turns when a subagent does the work."""
    how = {} if background is None else {"run_in_background": background}
    agent = use(
        "Agent", description="fix the sum", prompt="SUBTASK: fix it", subagent_type="general-purpose", **how
    )
    return metered(number, Turn(text="Delegating.", tools=(agent,)), Turn(text="It was done for me."))


SUBAGENT = metered(
    2,
    Turn(text="Reading.", tools=(READ,)),
    Turn(text="Editing.", tools=(EDIT,)),
    Turn(text="Fixed for you."),
)

_RATE_LIMITED = Turn(text="Reading.", tools=(READ,), failure=Failure(status=429, times=1, retry_after_s=0))
_INVALID = Turn(failure=Failure(status=400, message="the conversation is too long"))

# The turns of a failure that never ends have tokens too: nobody must count them.
SITUATIONS: dict[str, tuple[Turn, ...]] = {
    "fixed": FIX,
    "denied": metered(3, Turn(tools=(shell("touch made-anyway.txt"),)), Turn(text="I was not allowed to.")),
    "limited": metered(4, _RATE_LIMITED, *_FIX[1:]),
    "invalid": metered(5, _FIX[0], _INVALID),
    "overloaded": metered(6, Turn(failure=Failure(status=529))),
    "unauthorised": metered(7, Turn(failure=Failure(status=401))),
    "silent": metered(8, _FIX[0], Turn(text="never said", hang_s=600)),
    "silent-at-once": metered(9, Turn(text="never said", hang_s=600)),
    "skilled": metered(10, Turn(tools=(use("Skill", skill="sums"),)), *_FIX),
    "delegated": delegate(11, background=False),
    # Left to itself it starts subagents in the background, and tells its result twice.
    "background": delegate(12, background=None),
    "leaving": metered(13, Turn(tools=(shell(LATE_FIX),)), Turn(text="All is well.")),
    "telling": metered(14, Turn(tools=(shell("env"),)), Turn(text="I saw {{tool_result}}")),
}

ANSWERED: dict[str, tuple[Turn, ...]] = SITUATIONS | {
    "invalid": SITUATIONS["invalid"][:1],
    "overloaded": (),
    "unauthorised": (),
    "silent": SITUATIONS["silent"][:1],
    "silent-at-once": (),
    "delegated": SITUATIONS["delegated"] + SUBAGENT,
    "background": (*SITUATIONS["background"], *SUBAGENT),
}
"""The answers that come whole in each situation; the main thread of `background` is asked once more or not."""


def build(root: Path) -> Path:
    """The suite with its project below `root`; the path of the suite."""
    make_repository(root / "project", PROJECT)
    tasks = {
        f"tasks/{name}.yaml": _TASK.format(
            name=name,
            limit=SILENCE_S if name.startswith("silent") else 120,
            wait=LATE_CHECK_S if name == "leaving" else 0,
        )
        for name in SITUATIONS
    }
    paths = ", ".join(tasks)
    write_files(root, {"suite.yaml": _SUITE.format(tasks=paths, model=MODEL), **tasks})
    return root / "suite.yaml"


def script() -> Script:
    """All situations at once, told apart by what the prompt says."""
    subagent = Route(when="SUBTASK", unless="SITUATION", turns=SUBAGENT)
    routes = (Route(when=f"SITUATION-{name}.", turns=turns) for name, turns in SITUATIONS.items())
    return Script(routes=(subagent, *routes))


def turns_given(requests: Iterable[Request], session: str) -> list[Turn]:
    """The turns that the server gave whole in one session, by its own record."""
    routes = script().routes
    given = []
    for request in requests:
        if request.session == session and request.status == 200 and request.place not in {"side", ""}:
            route, turn = map(int, request.place.split("."))
            turns = routes[route].turns
            given.append(turns[min(turn, len(turns) - 1)])
    return given


def statuses(requests: Iterable[Request], session: str) -> list[int]:
    """How the model calls of one session ended, in order: 0 for one that the client gave up."""
    return [
        item.status
        for item in requests
        if item.session == session and item.kind == "model" and item.place != "side"
    ]
