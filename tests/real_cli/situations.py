"""What the scripted model does to the real Claude Code in each task of one Harness Lab suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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

SILENCE_S = 15
"""Long enough for the program to start and to ask the model twice on a busy machine."""

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

FIX = (
    Turn(text="Reading.", tools=(READ,), tokens=Tokens(input=10, output=50, cache_write=20_000)),
    Turn(
        text="Editing.", tools=(EDIT,), tokens=Tokens(input=5, output=60, cache_read=20_000, cache_write=300)
    ),
    Turn(text="Fixed.", tokens=Tokens(input=7, output=20, cache_read=20_300)),
)
FIX_COST_USD = (22 * 3 + 130 * 15 + 40_300 * 0.30 + 20_300 * 3.75) / 1e6

# Waits until the agent has ended, and a while more, then makes the solution right again and
# again; it holds the agent's output all the time. Without it the check would see that.
LATE_FIX = (
    'agent=$PPID; setsid sh -c \'trap "" TERM HUP INT; '
    "while kill -0 '$agent' 2>/dev/null; do sleep 0.05; done; sleep 2; "
    'while true; do printf "def add(a, b):\\n    return a + b\\n" > app.py; sleep 0.01; done\' & echo left'
)
LATE_CHECK_S = 4


def delegate(*, background: bool | None) -> tuple[Turn, ...]:
    """The main thread's turns when a subagent does the work."""
    how = {} if background is None else {"run_in_background": background}
    agent = use(
        "Agent", description="fix the sum", prompt="SUBTASK: fix it", subagent_type="general-purpose", **how
    )
    return (
        Turn(text="Delegating.", tools=(agent,), tokens=Tokens(input=100, output=50)),
        Turn(text="It was done for me.", tokens=Tokens(input=400, output=80)),
    )


SUBAGENT = (
    Turn(text="Reading.", tools=(READ,), tokens=Tokens(input=200, output=60)),
    Turn(text="Editing.", tools=(EDIT,), tokens=Tokens(input=300, output=70)),
    Turn(text="Fixed for you.", tokens=Tokens(input=500, output=90)),
)

SITUATIONS: dict[str, tuple[Turn, ...]] = {
    "fixed": FIX,
    "denied": (
        Turn(tools=(shell("touch made-anyway.txt"),), tokens=Tokens(input=11, output=31, cache_write=1_000)),
        Turn(text="I was not allowed to.", tokens=Tokens(input=13, output=17, cache_read=1_000)),
    ),
    "limited": (replace(FIX[0], failure=Failure(status=429, times=1, retry_after_s=0)), *FIX[1:]),
    "invalid": (FIX[0], Turn(failure=Failure(status=400, message="the conversation is too long"))),
    "overloaded": (Turn(failure=Failure(status=529)),),
    "unauthorised": (Turn(failure=Failure(status=401)),),
    "silent": (FIX[0], Turn(text="never said", hang_s=600)),
    "skilled": (
        Turn(tools=(use("Skill", skill="sums"),), tokens=Tokens(input=19, output=23, cache_write=500)),
        *FIX,
    ),
    "delegated": delegate(background=False),
    # Left to itself it starts subagents in the background, and tells its result twice.
    "background": delegate(background=None),
    "leaving": (Turn(tools=(shell(LATE_FIX),)), Turn(text="All is well.")),
    "telling": (Turn(tools=(shell("env"),)), Turn(text="I saw {{tool_result}}")),
}


def build(root: Path) -> Path:
    """The suite with its project below `root`; the path of the suite."""
    make_repository(root / "project", PROJECT)
    tasks = {
        f"tasks/{name}.yaml": _TASK.format(
            name=name,
            limit=SILENCE_S if name == "silent" else 120,
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
    routes = (Route(when=f"SITUATION-{name}", turns=turns) for name, turns in SITUATIONS.items())
    return Script(routes=(subagent, *routes))


def figures(*turns: Turn) -> tuple[dict[str, int], float]:
    """The tokens that these answers report together, and their price in US dollars."""
    kinds = ("input", "output", "cache_read", "cache_write")
    tokens = {kind: sum(getattr(turn.tokens, kind) or 0 for turn in turns) for kind in kinds}
    price = {"input": 3.0, "output": 15.0, "cache_read": 0.30, "cache_write": 3.75}
    return tokens, sum(tokens[kind] * price[kind] for kind in kinds) / 1e6


def requests_of(requests: Iterable[Request], name: str) -> list[Request]:
    """What the server was asked in one situation, without side questions, whatever it answered."""
    route = str(1 + list(SITUATIONS).index(name))
    return [request for request in requests if request.place.partition(".")[0] == route]


def tokens_given(requests: Iterable[Request], session: str) -> tuple[int, int]:
    """Input and output tokens that the server reported in all answers of one session."""
    routes = script().routes
    input_tokens = output_tokens = 0
    for request in requests:
        if request.session == session and request.status == 200 and request.place != "side":
            route, turn = map(int, request.place.split("."))
            turns = routes[route].turns
            tokens = turns[min(turn, len(turns) - 1)].tokens
            assert tokens.input is not None, "say how many tokens the turn has"
            assert tokens.output is not None
            input_tokens += tokens.input
            output_tokens += tokens.output
    return input_tokens, output_tokens
