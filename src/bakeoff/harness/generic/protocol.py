"""The agent protocol: the events that a program prints, one JSON object on each line.

The same classes read the lines and make the published JSON Schema. Reading never fails: a
value of another type than the one meant is unknown (None), and a number that is no number,
negative or absurd is unknown too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from bakeoff.harness import json_line

VERSION = 1
DENIED = frozenset({"blocked", "declined", "denied", "rejected"})
"""Statuses of a tool call that say that it was refused."""

_LARGEST_EXIT_CODE = 2**32
FAILED = frozenset({"error", "failed", "interrupted"})

Label = Annotated[
    str | None,
    BeforeValidator(json_line.label),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
]
Text = Annotated[str | None, BeforeValidator(json_line.text), WithJsonSchema({"type": "string"})]
Flag = Annotated[bool | None, BeforeValidator(json_line.flag), WithJsonSchema({"type": "boolean"})]
Count = Annotated[
    int | None,
    BeforeValidator(json_line.count),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]}),
]
Amount = Annotated[
    float | None,
    BeforeValidator(json_line.amount),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]}),
]
Names = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(json_line.names),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]


def _status(value: object) -> int | None:
    number = json_line.count(value)
    return number if number is not None and 100 <= number <= 599 else None


def _exit_code(value: object) -> int | None:
    """A whole number; some languages tell a signal as a negative one."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST_EXIT_CODE:
        return None
    return value


def _as_text(value: object) -> str | None:
    """A result as text; what is no text is written as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _arguments(value: object) -> dict[str, object]:
    return dict(json_line.fields(value))


HttpStatus = Annotated[
    int | None,
    BeforeValidator(_status),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 100, "maximum": 599}, {"type": "null"}]}),
]
ExitCode = Annotated[
    int | None,
    BeforeValidator(_exit_code),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
]
Output = Annotated[
    str | None,
    BeforeValidator(_as_text),
    WithJsonSchema({"description": "what came back: text, or any JSON"}),
]
Arguments = Annotated[dict[str, object], BeforeValidator(_arguments), WithJsonSchema({"type": "object"})]


class Event(BaseModel):
    """Keys of every event. All of them may also stand in a mapping `payload`."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    rest: ClassVar[str | None] = None
    """The field that takes all other keys of `payload`, where there is one."""

    thread: Label = Field(
        default=None, description="the subagent that it belongs to; left out: the agent itself"
    )


class RunStarted(Event):
    """The agent is there: print it first. It tells what was loaded and what will be told."""

    kind: Literal["run_started"] = "run_started"
    protocol: Count = Field(default=None, description=f"the version of this protocol: {VERSION}")
    session_id: Label = Field(default=None, description="your id of the session")
    version: Label = Field(default=None, description="the agent's version")
    model: Label = Field(default=None, description="the model that it is going to ask")
    permission_mode: Label = None
    tools: Names = Field(default=None, description="names of the tools that the agent has")
    skills: Names = Field(default=None, description="names of the skills that it found")
    agents: Names = None
    plugins: Names = None
    mcp_servers: Names = None
    commands: Names = None
    instruction_files: Names = Field(
        default=None, description="paths of the instruction files that it loaded"
    )
    tells: Names = Field(
        default=None,
        description="`tools`, `skills`, `denials`: what it always tells, so that none means that there was none",
    )


class AssistantMessage(Event):
    """The agent said something; the last one is its answer."""

    kind: Literal["assistant_message"] = "assistant_message"
    text: Text = None
    model: Label = Field(default=None, description="the model that answered")


class ReasoningEvent(Event):
    """The agent thought something."""

    kind: Literal["reasoning_event"] = "reasoning_event"
    text: Text = None


class ToolStarted(Event):
    """A tool is called."""

    rest: ClassVar[str | None] = "input"
    kind: Literal["tool_started"] = "tool_started"
    name: Label = Field(default=None, description="the tool's name")
    call_id: Label = Field(default=None, description="your id of the call, by which its result is found")
    input: Arguments = Field(default_factory=dict, description="its arguments")
    skill: Label = Field(default=None, description="the skill that this call loads")


class ToolFinished(Event):
    """A tool returned; without `call_id` it is the latest call of the thread that is still open."""

    kind: Literal["tool_finished"] = "tool_finished"
    call_id: Label = None
    output: Output = None
    is_error: Flag = Field(default=None, description="left out: what `status` and `exit_code` say")
    exit_code: ExitCode = None
    status: Label = Field(
        default=None,
        description="`completed`, `failed`, `error`, `interrupted`; or `denied`, `declined`, `rejected`, `blocked`",
    )
    reason: Text = Field(default=None, description="who or what refused it")


class CommandStarted(Event):
    """A shell command is run: a call of the tool `shell`, or of `name`."""

    kind: Literal["command_started"] = "command_started"
    name: Label = None
    call_id: Label = None
    command: Output = None


class CommandFinished(ToolFinished):
    """A shell command ended; the same keys as `tool_finished`."""

    kind: Literal["command_finished"] = "command_finished"  # type: ignore[assignment]  # the same event under another name


class ToolDenied(Event):
    """A tool call was refused, by a rule, a mode, a hook or a person."""

    kind: Literal["tool_denied"] = "tool_denied"
    name: Label = Field(default=None, description="the tool's name")
    call_id: Label = Field(default=None, description="of the refused call, when it was told")
    reason: Text = None


class SkillLoaded(Event):
    """A skill was loaded other than by a tool call: counts as a call of the tool `Skill`."""

    kind: Literal["skill_loaded"] = "skill_loaded"
    name: Label = Field(default=None, description="the skill's name")


class UsageTold(Event):
    """Tokens and money: of one model call, or of the whole session so far."""

    kind: Literal["usage"] = "usage"
    scope: Literal["call", "total"] | None = Field(
        default="call",
        description="`call` is added up; `total` is the whole session so far and takes the place of all before",
    )
    model: Label = None
    input_tokens: Count = Field(default=None, description="without cached ones")
    cached_input_tokens: Count = Field(default=None, description="read from a cache")
    cache_write_tokens: Count = Field(default=None, description="written to a cache")
    output_tokens: Count = None
    reasoning_output_tokens: Count = Field(default=None, description="part of `output_tokens`")
    cost_usd: Amount = Field(default=None, description="US dollars")
    calls: Count = Field(default=None, description="model calls; with `scope: call` it is 1")


class SubagentStarted(Event):
    """A subagent begins; `thread` is its id, which the events below it carry."""

    kind: Literal["subagent_started"] = "subagent_started"
    name: Label = Field(default=None, description="what kind of subagent")
    description: Text = None


class SubagentFinished(Event):
    """A subagent is done."""

    kind: Literal["subagent_finished"] = "subagent_finished"
    status: Label = None
    tokens: Count = None
    tool_calls: Count = None


class ErrorTold(Event):
    """Something failed. With a `status` or a known `code` it is a model call.

    A failed model call that is the last word ends the trial: 401, 403, 429, 5xx and lost
    connections make it void, an error that the conversation caused (`context_length_exceeded`,
    `invalid_request_error`, `refusal`, other 4xx) makes it fail.
    """

    kind: Literal["error"] = "error"
    message: Text = None
    status: HttpStatus = Field(default=None, description="the HTTP status of a model call")
    code: Label = Field(default=None, description="the kind of error")
    will_retry: Flag = Field(default=None, description="the call is tried again")
    attempt: Count = None
    delay_s: Amount = None


class RunFinished(Event):
    """The last word; what follows is not read."""

    kind: Literal["run_finished"] = "run_finished"
    status: Label = Field(
        default=None, description="`completed` (the default), `turn_limit`, `refused`, `api_error`, `aborted`"
    )
    reason: Text = None
    text: Text = Field(default=None, description="the answer; left out: the last message")
    turns: Count = Field(default=None, description="model turns of the agent itself")
    cost_usd: Amount = Field(default=None, description="US dollars for the whole session")


class FileChange(Event):
    """A file was changed. Read and not believed: changes are taken from the workspace."""

    kind: Literal["file_change"] = "file_change"
    path: Text = None


class SystemEvent(Event):
    """Anything else; tells nothing."""

    kind: Literal["system"] = "system"


EVENTS: Mapping[str, type[Event]] = {
    shape.model_fields["kind"].default: shape
    for shape in (
        RunStarted,
        AssistantMessage,
        ReasoningEvent,
        ToolStarted,
        ToolFinished,
        CommandStarted,
        CommandFinished,
        ToolDenied,
        SkillLoaded,
        UsageTold,
        SubagentStarted,
        SubagentFinished,
        ErrorTold,
        FileChange,
        SystemEvent,
        RunFinished,
    )
}
"""Kind to class, in the order of the documentation."""

_SCOPES = ("call", "total")


def read_event(value: Mapping[str, Any]) -> Event | None:
    """The event of one JSON object; None when its kind is not known."""
    shape = EVENTS.get(json_line.label(value.get("kind")) or "")
    if shape is None:
        return None
    payload = json_line.fields(value.get("payload"))
    keys = {**payload, **value}
    if shape is UsageTold and keys.get("scope", "call") not in _SCOPES:
        keys["scope"] = None
    if shape.rest is not None and shape.rest not in keys:
        keys[shape.rest] = {name: item for name, item in payload.items() if name not in shape.model_fields}
    if "thread" not in keys and "parent_call_id" in keys:
        keys["thread"] = keys["parent_call_id"]
    return shape.model_validate(keys)


def json_schema() -> dict[str, object]:
    """The JSON Schema of one line."""
    shapes = {kind: _schema_of(shape) for kind, shape in EVENTS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bakeoff agent protocol",
        "description": f"One line of an agent's output, version {VERSION}.",
        "type": "object",
        "required": ["kind"],
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in shapes],
        "$defs": shapes,
    }


def _schema_of(shape: type[Event]) -> dict[str, object]:
    schema = shape.model_json_schema()
    properties: dict[str, Any] = {
        name: {key: item for key, item in field.items() if key not in {"title", "default"}}
        for name, field in schema["properties"].items()
    }
    properties["kind"] = {"const": shape.model_fields["kind"].default}
    properties["payload"] = {"type": "object", "description": "the same keys may stand in here"}
    return {
        "type": "object",
        "description": " ".join((shape.__doc__ or "").split()),
        "required": ["kind"],
        "properties": properties,
    }
