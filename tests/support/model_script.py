"""What a scripted model says: turns for conversations that are told apart by their words.

A script holds no state of a conversation. Which turn a request gets is the number of model
turns in the request's own history, so that parallel sessions, subagents and side calls never
disturb each other. Only failures that end after some tries are counted, for each conversation.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One use of a tool; `id` is made up when it is empty.

    In texts of `input`, `{{tool_result}}` stands for the last tool result of the request,
    `{{cwd}}` for the directory that the request says the agent works in.
    """

    name: str
    input: Mapping[str, object] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The usage that a reply reports; None is estimated from the length of the texts."""

    input: int | None = None
    output: int | None = None
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An HTTP error in place of a reply.

    Attributes:
        times: so many requests of a conversation fail, then the turn is given; None is always.
        retry_after_s: sent in the header of that name.
        kind: the wire format's name of the error; the usual one for the status when empty.
    """

    status: int
    times: int | None = None
    retry_after_s: float | None = None
    kind: str = ""
    message: str = "a scripted failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of the model.

    Attributes:
        stop: the wire format's stop reason; the usual one when empty.
        delay_s: seconds before the answer begins.
        hang_before_s: the same, but ended early when the client hangs up.
        hang_s: seconds of silence after the first event of a stream.
        drop: cut the connection in the middle of the stream.
    """

    text: str = ""
    thinking: str = ""
    tools: tuple[ToolUse, ...] = ()
    tokens: Tokens = Tokens()
    stop: str = ""
    failure: Failure | None = None
    delay_s: float = 0.0
    hang_before_s: float = 0.0
    hang_s: float = 0.0
    drop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The turns of the conversations whose system prompt and user texts hold `when` and not `unless`."""

    turns: tuple[Turn, ...]
    when: str = ""
    unless: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Everything that a model server will say; the first route that fits is taken.

    `side` answers requests that offer no tools (titles, summaries); None sends those
    through the routes as well.
    """

    routes: tuple[Route, ...]
    side: Turn | None = Turn(text="ok")

    def to_json(self) -> str:
        """The script as `script_from_json` reads it."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a wire format reads out of one request.

    Attributes:
        id: what the client says the session is; empty when it does not say.
        user: all texts of the user, without tool results.
        turns: answers of the model that are already in the history.
        tools: names of the tools on offer.
        last_result: text of the last tool result.
        cwd: the directory that the client says the agent works in.
    """

    id: str = ""
    user: str = ""
    system: str = ""
    turns: int = 0
    tools: tuple[str, ...] = ()
    last_result: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The turn for a request, and its place in the script for the log; no turn, no place."""

    turn: Turn | None
    place: str


class Storyteller:
    """Chooses turns of one script; safe to use from several threads."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._failed: Counter[tuple[str, int, int]] = Counter()
        self._lock = threading.Lock()

    def choose(self, conversation: Conversation) -> Choice:
        """The turn that comes next in this conversation."""
        if not conversation.tools and self._script.side is not None:
            return Choice(turn=self._script.side, place="side")
        words = f"{conversation.user}\n{conversation.system}"
        for number, route in enumerate(self._script.routes):
            if route.when in words and not (route.unless and route.unless in words):
                turn = self._after_failures(_turn_of(route, conversation.turns), number, conversation)
                return Choice(turn=_filled(turn, conversation), place=f"{number}.{conversation.turns}")
        return Choice(turn=None, place="none")

    def _after_failures(self, turn: Turn, route: int, conversation: Conversation) -> Turn:
        if turn.failure is None or turn.failure.times is None:
            return turn
        key = (conversation.id, route, conversation.turns)
        with self._lock:
            self._failed[key] += 1
            over = self._failed[key] > turn.failure.times
        return replace(turn, failure=None) if over else turn


def _turn_of(route: Route, index: int) -> Turn:
    if index < len(route.turns):
        return route.turns[index]
    # Clients may ask once more after the end: a closing text is repeated, an action is not.
    last = route.turns[-1]
    return Turn(text="done") if last.tools else last


def _filled(turn: Turn, conversation: Conversation) -> Turn:
    tools = tuple(
        replace(tool, input={key: _fill(value, conversation) for key, value in tool.input.items()})
        for tool in turn.tools
    )
    return replace(turn, text=str(_fill(turn.text, conversation)), tools=tools)


def _fill(value: object, conversation: Conversation) -> object:
    if isinstance(value, str):
        return value.replace("{{tool_result}}", conversation.last_result).replace("{{cwd}}", conversation.cwd)
    if isinstance(value, Mapping):
        return {key: _fill(item, conversation) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_fill(item, conversation) for item in value]
    return value


def one_route(turns: Iterable[Turn], *, when: str = "", side: Turn | None = Turn(text="ok")) -> Script:
    """A script with a single route."""
    return Script(routes=(Route(turns=tuple(turns), when=when),), side=side)


def script_from_json(text: str) -> Script:
    """A script written by `Script.to_json` or by hand; an unknown key is a TypeError."""
    data = json.loads(text)
    side = data.pop("side", asdict(Turn(text="ok")))
    routes = tuple(
        Route(**{**route, "turns": tuple(map(_turn, route["turns"]))}) for route in data.pop("routes")
    )
    return Script(routes=routes, side=_turn(side) if side is not None else None, **data)


def _turn(data: dict[str, object]) -> Turn:
    made = dict(data)
    for key, kind in (("tokens", Tokens), ("failure", Failure)):
        value = made.get(key)
        if isinstance(value, dict):
            made[key] = kind(**value)
    tools = made.get("tools", ())
    assert isinstance(tools, list | tuple)
    made["tools"] = tuple(ToolUse(**tool) for tool in tools)
    return Turn(**made)  # type: ignore[arg-type]  # the class itself refuses unknown keys
