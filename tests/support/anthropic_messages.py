"""The Anthropic Messages wire format: reading requests, writing replies whole or as events."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping

from support.model_script import Conversation, Failure, Turn

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}

# Claude Code tells its model where it works in a line of the system prompt.
_WORKING_DIRECTORY = re.compile(r"[Ww]orking directory: *(\S+)")
_SESSION = re.compile(r"session_?(?:id)?\W*([0-9a-f-]{36})")


class AnthropicMessages:
    """POST /v1/messages and /v1/messages/count_tokens."""

    name = "anthropic"

    def serves(self, path: str) -> bool:
        """Whether requests for a conversation come on this path."""
        return path.endswith("/v1/messages")

    def counts(self, path: str) -> bool:
        """Whether this path asks how many tokens a request would have."""
        return path.endswith("/v1/messages/count_tokens")

    def read(self, body: Mapping[str, object]) -> Conversation:
        """The conversation so far."""
        user: list[str] = []
        results: list[str] = []
        turns = 0
        for message in _items(body.get("messages")):
            if message.get("role") == "assistant":
                turns += 1
                continue
            for block in _blocks(message.get("content")):
                is_result = block.get("type") == "tool_result"
                (results if is_result else user).append(_text(block))
        system = _text(body.get("system"))
        where = _WORKING_DIRECTORY.search(system) or _WORKING_DIRECTORY.search("\n".join(user))
        return Conversation(
            id=_session(body),
            user="\n".join(user),
            system=system,
            turns=turns,
            tools=tuple(str(tool.get("name")) for tool in _items(body.get("tools"))),
            last_result=results[-1] if results else "",
            cwd=where[1] if where else "",
        )

    def count(self, body: Mapping[str, object]) -> dict[str, object]:
        """The reply to a question for the number of tokens: an estimate."""
        return {"input_tokens": _estimate(body)}

    def failure(self, failure: Failure) -> dict[str, object]:
        """The body of an HTTP error."""
        kind = failure.kind or _KINDS.get(failure.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": failure.message}}

    def whole(self, turn: Turn, body: Mapping[str, object]) -> dict[str, object]:
        """The reply to a request that does not want a stream."""
        return {
            "id": _made_up("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "scripted"),
            "content": _content(turn),
            "stop_reason": turn.stop or ("tool_use" if turn.tools else "end_turn"),
            "stop_sequence": None,
            "usage": _usage(turn, body),
        }

    def events(self, turn: Turn, body: Mapping[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
        """The same reply as events of a stream."""
        message = self.whole(turn, body)
        usage = _usage(turn, body)
        begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
        yield _event("message_start", message=begun)
        yield _event("ping")
        for index, block in enumerate(_content(turn)):
            yield _event("content_block_start", index=index, content_block=_emptied(block))
            for delta in _deltas(block):
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield _event("message_delta", delta=stop, usage=usage)
        yield _event("message_stop")


def _event(kind: str, **fields: object) -> tuple[str, dict[str, object]]:
    return kind, {"type": kind, **fields}


def _content(turn: Turn) -> list[dict[str, object]]:
    blocks: list[dict[str, object]] = []
    if turn.thinking:
        blocks.append({"type": "thinking", "thinking": turn.thinking, "signature": "c2NyaXB0ZWQ="})
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    for tool in turn.tools:
        name_and_input = {"name": tool.name, "input": dict(tool.input)}
        blocks.append({"type": "tool_use", "id": tool.id or _made_up("toolu_"), **name_and_input})
    return blocks


def _emptied(block: Mapping[str, object]) -> dict[str, object]:
    hollow: dict[str, dict[str, object]] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
    }
    return {**block, **hollow[str(block["type"])]}


def _deltas(block: Mapping[str, object]) -> list[dict[str, object]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": block["text"]}]
    if block["type"] == "thinking":
        return [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    return [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]


def _usage(turn: Turn, body: Mapping[str, object]) -> dict[str, object]:
    said = len(turn.text) + len(turn.thinking) + sum(len(json.dumps(dict(tool.input))) for tool in turn.tools)
    tokens = turn.tokens
    return {
        "input_tokens": _estimate(body) if tokens.input is None else tokens.input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "output_tokens": max(1, said // 4) if tokens.output is None else tokens.output,
    }


def _estimate(body: Mapping[str, object]) -> int:
    return max(1, len(json.dumps(body)) // 4)


def _session(body: Mapping[str, object]) -> str:
    metadata = body.get("metadata")
    user = str(metadata.get("user_id", "")) if isinstance(metadata, Mapping) else ""
    found = _SESSION.search(user)
    return found[1] if found else ""


def _items(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _blocks(content: object) -> list[Mapping[str, object]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else _items(content)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    if isinstance(value, Mapping):
        return _text(value.get("text", value.get("content", "")))
    return ""


def _made_up(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]
