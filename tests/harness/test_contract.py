"""What every registered harness promises: purity, determinism, secrecy, and surviving any stream."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from support.scripted import play

from bakeoff.harness.json_line import DEEPEST
from bakeoff.harness.outcome import conclude
from bakeoff.harness.protocol import Harness, Launch, LaunchRequest, StreamParser
from bakeoff.harness.registry import HARNESSES
from bakeoff.identity import canonical_json
from bakeoff.model.storable import storable
from bakeoff.model.suite import PlacementKind
from bakeoff.model.trajectory import Provenance, Trajectory
from bakeoff.process.supervise import EndReason, ProcessEnd

RECORDED = Path(__file__).parents[1] / "recorded"
FOLDERS = {"claude_code": "claude", "generic": "generic"}
"""Harness to the folder of its recorded streams; `fake` makes its own below."""

NEEDED: dict[str, dict[str, object]] = {"generic": {"command": ["agent"], "output_format": "jsonl"}}
"""Harness to the options without which it cannot be started."""

REAL = sorted(set(HARNESSES) - {"fake"})
SECRET = "sk-secret-value-that-must-not-be-told"
PROMPT = "A prompt with {braces}, $(substitution), 'quotes', a newline\nand ünïcödé."

every_harness = pytest.mark.parametrize("harness", HARNESSES.values(), ids=list(HARNESSES))
every_real_harness = pytest.mark.parametrize("harness", [HARNESSES[name] for name in REAL], ids=REAL)


def options_of(harness: Harness) -> BaseModel:
    return harness.Options.model_validate(NEEDED.get(harness.name, {}))


def request(harness: Harness, **more: object) -> LaunchRequest:
    given: dict[str, object] = {
        "prompt": PROMPT,
        "workspace": "/workspace",
        "home": "/home/agent",
        "tmp": "/tmp/agent",
        "options": options_of(harness),
        "model": "some-model",
        "executable": Path("/opt/program"),
        "task_id": "secret-task-name",
        **more,
    }
    return LaunchRequest(**given)  # type: ignore[arg-type]  # built from a mapping


def streams(name: str) -> list[bytes]:
    folder = FOLDERS.get(name)
    if folder is None:
        return [fake_stream()]
    return [path.read_bytes() for path in sorted((RECORDED / folder).glob("*/stdout.jsonl"))]


def fake_stream() -> bytes:
    events = [
        {"type": "start", "session": "s", "model": "m", "version": "1", "skills": ["a"]},
        {"type": "message", "text": "hi", "kind": "text"},
        {"type": "tool", "id": "1", "name": "Bash", "input": {"command": "x"}, "thread": "t"},
        {"type": "denial", "id": "1", "tool": "Bash", "reason": "no"},
        {"type": "result", "id": "1", "content": "x", "is_error": True, "exit_code": 3},
        {"type": "subagent", "id": "t", "kind": "k", "tokens": 5},
        {"type": "usage", "input": 5, "output": 6, "calls": 1, "model": "m"},
        {"type": "cost", "usd": 0.5},
        {"type": "retry", "attempt": 1, "status": 429, "kind": "x", "delay_s": 1},
        {"type": "api_error", "status": 500, "kind": "x", "message": "m"},
        {"type": "background", "left": 1},
        {"type": "end", "finish": "completed", "reason": ""},
        {"type": "unheard of"},
    ]
    return b"\n".join(json.dumps(event).encode() for event in events)


def read(harness: Harness, lines: Iterable[bytes]) -> StreamParser:
    parser = harness.parser(options_of(harness))
    for line in lines:
        parser.feed(line)
    return parser


def told(harness: Harness, lines: Iterable[bytes]) -> Trajectory:
    return read(harness, lines).trajectory()


@every_harness
def test_it_has_the_five_members(harness: Harness) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", harness.name)
    assert harness.Options.model_config["extra"] == "forbid"
    assert harness.Options.model_config["frozen"]
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", name) for name in harness.credentials)
    assert len(set(harness.credentials)) == len(harness.credentials)
    assert not vars(harness), "an adapter holds no state"


@every_harness
def test_options_are_documented_one_by_one(harness: Harness) -> None:
    page = (
        Path(__file__).parents[2] / f"docs/reference/harness-{harness.name.replace('_', '-')}.md"
    ).read_text()
    missing = [name for name in harness.Options.model_fields if f"`{name}`" not in page]
    assert not missing


@every_harness
def test_options_have_defaults_and_a_canonical_form(harness: Harness) -> None:
    assert canonical_json(options_of(harness)) == canonical_json(options_of(harness))


@every_harness
def test_placements_stay_inside_the_workspace(harness: Harness) -> None:
    assert PlacementKind.INSTRUCTIONS in harness.placements
    assert all(not Path(path).is_absolute() and ".." not in path for path in harness.placements.values())


@every_harness
def test_launch_is_deterministic(harness: Harness) -> None:
    assert harness.launch(request(harness)) == harness.launch(request(harness))


@every_harness
def test_launch_is_whole(harness: Harness) -> None:
    launch = harness.launch(request(harness))
    assert launch.argv[0] == "/opt/program"
    assert all("\0" not in word for word in launch.argv)
    assert all(not Path(path).is_absolute() and ".." not in Path(path).parts for path in launch.home_files)
    assert all(not glob.startswith("/") and ".." not in glob for glob in launch.session_files)
    assert all(path.is_absolute() for path in launch.visible)
    assert not set(launch.env) & set(harness.credentials)


@every_harness
def test_the_prompt_is_given_verbatim_and_never_as_an_argument(harness: Harness) -> None:
    launch = harness.launch(request(harness))
    assert launch.stdin == PROMPT.encode()
    assert not any("braces" in word for word in (*launch.argv, *launch.env.values()))


@every_harness
def test_a_prompt_of_any_text_can_be_given(harness: Harness) -> None:
    for prompt in ("", "\0", "caf\udce9", "x" * 1_000_000):
        assert isinstance(harness.launch(request(harness, prompt=prompt)).stdin, bytes)


@every_harness
def test_credentials_are_never_in_a_launch(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in harness.credentials:
        monkeypatch.setenv(name, SECRET)
    assert SECRET not in everything(harness.launch(request(harness)))


@every_real_harness
def test_a_real_agent_is_not_told_the_name_of_the_task(harness: Harness) -> None:
    assert "secret-task-name" not in everything(harness.launch(request(harness)))


def everything(launch: Launch) -> str:
    files = [f"{path} {content!r}" for path, content in launch.home_files.items()]
    return "\n".join([*launch.argv, *launch.env.values(), *files, repr(launch.visible), repr(launch.stdin)])


@every_harness
def test_options_of_another_harness_are_a_bug(harness: Harness) -> None:
    other = next(item for item in HARNESSES.values() if item is not harness)
    with pytest.raises(TypeError):
        harness.launch(request(harness, options=options_of(other)))


@every_harness
def test_parsing_again_gives_the_same(harness: Harness) -> None:
    for stream in streams(harness.name):
        lines = stream.split(b"\n")
        parser = read(harness, lines)
        assert parser.trajectory() == parser.trajectory()
        assert parser.trajectory() == told(harness, lines)


@every_harness
def test_asking_in_between_changes_nothing(harness: Harness) -> None:
    for stream in streams(harness.name):
        lines = stream.split(b"\n")
        parser = harness.parser(options_of(harness))
        for line in lines:
            parser.feed(line)
            assert isinstance(parser.finished, bool)
            assert isinstance(parser.stop_now, bool)
            parser.trajectory()
        assert parser.trajectory() == told(harness, lines)


@every_harness
def test_empty_lines_and_carriage_returns_mean_nothing(harness: Harness) -> None:
    for stream in streams(harness.name):
        lines = stream.split(b"\n")
        padded = [part for line in lines for part in (b"", line + b"\r", b"  ")]
        assert told(harness, padded) == told(harness, lines)


@every_harness
def test_each_beginning_of_a_stream_can_be_concluded(harness: Harness) -> None:
    for stream in streams(harness.name):
        lines = stream.split(b"\n")
        for length in range(0, len(lines), 3):
            check(told(harness, [*lines[:length], lines[length][: len(lines[length]) // 2]]))


@every_harness
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_streams_are_survived(harness: Harness, data: st.DataObject) -> None:
    """Lines of real streams, with values of other types put anywhere into them."""
    stream = data.draw(st.sampled_from(streams(harness.name)))
    lines = data.draw(st.lists(st.sampled_from(stream.split(b"\n")), max_size=8))
    damaged = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            event = {}
        damaged.append(json.dumps(damage(event, data.draw)).encode())
    parser = read(harness, damaged)
    for line in damaged:
        parser.feed_session(line)
    check(parser.trajectory())


def damage(value: object, draw: object, depth: int = 0) -> object:
    assert callable(draw)
    if draw(st.integers(0, 14)) == 0 or depth > 6:
        return draw(
            st.sampled_from([None, [], {}, "", "x", -1, 0, 2**70, 1.5, True, [None], {"a": {}}, "\ud800"])
        )
    if isinstance(value, dict):
        return {key: damage(item, draw, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [damage(item, draw, depth + 1) for item in value[:3]]
    return value


@every_harness
@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.binary(max_size=200), max_size=10))
def test_garbage_is_survived(harness: Harness, lines: list[bytes]) -> None:
    parser = read(harness, lines)
    for line in lines:
        parser.feed_session(line)
    check(parser.trajectory())


@every_harness
def test_nesting_without_end_is_survived(harness: Harness) -> None:
    for line in (
        b"[" * 200_000,
        b'{"type":' * 100_000,
        b'{"type":"user","message":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ):
        assert told(harness, [line]).malformed_lines <= 1
    deep = b'{"type":"tool","id":"1","name":"n","input":' + b'{"a":' * 900 + b"1" + b"}" * 901
    check(told(harness, [deep]))


def check(trajectory: Trajectory) -> None:
    """What holds for every trajectory: it can be stored, sources fit, numbers are no nonsense."""
    storable(trajectory)
    usage = trajectory.usage
    tokens = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning]
    assert all(number is None or 0 <= number < 2**60 for number in tokens)
    unknown = all(number is None for number in tokens)
    assert unknown or trajectory.usage_source is not Provenance.UNKNOWN
    assert (trajectory.cost_usd is None) == (trajectory.cost_source is Provenance.UNKNOWN)
    ids = [call.id for call in trajectory.tool_calls]
    assert len(set(ids)) == len(ids)
    assert all(depth_of(call.input) <= DEEPEST for call in trajectory.tool_calls)
    for reason in EndReason:
        conclusion = conclude(ProcessEnd(reason=reason, exit_code=1), trajectory)
        assert conclusion.detail


def depth_of(value: object) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth_of, children), default=0)


def test_the_stream_of_the_contract_is_one_that_the_scripted_agent_prints(tmp_path: Path) -> None:
    script = [
        {"text": "x"},
        {"tool": "T"},
        {"denied": "D"},
        {"subagent": {"id": "s"}},
        {"usage": {"input": 1}},
        {"cost_usd": 1.0},
        {"retry": {}},
        {"background": 0},
    ]
    printed = {json.loads(line)["type"] for line in play(tmp_path, {"script": script}).stdout.splitlines()}
    known = {json.loads(line)["type"] for line in fake_stream().splitlines()}
    assert printed <= known


@every_harness
def test_members_are_documented(harness: Harness) -> None:
    for member in (harness, type(harness).probe, type(harness).launch, type(harness).parser, harness.Options):
        assert inspect.getdoc(member)
