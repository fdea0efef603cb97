"""The ways in which clients talk to a model; one file for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from support.anthropic_messages import AnthropicMessages
from support.model_script import Conversation, Failure, Turn


class WireFormat(Protocol):
    """One way in which clients talk to a model; listed in WIRE_FORMATS."""

    name: str

    def serves(self, path: str) -> bool:
        """Whether requests for a conversation come on this path."""

    def counts(self, path: str) -> bool:
        """Whether this path asks how many tokens a request would have."""

    def read(self, body: Mapping[str, object]) -> Conversation:
        """The conversation so far."""

    def count(self, body: Mapping[str, object]) -> dict[str, object]:
        """The reply to a question for the number of tokens."""

    def failure(self, failure: Failure) -> dict[str, object]:
        """The body of an HTTP error."""

    def whole(self, turn: Turn, body: Mapping[str, object]) -> dict[str, object]:
        """The reply to a request that does not want a stream."""

    def events(self, turn: Turn, body: Mapping[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
        """The reply as events of a stream."""


WIRE_FORMATS: tuple[WireFormat, ...] = (AnthropicMessages(),)
