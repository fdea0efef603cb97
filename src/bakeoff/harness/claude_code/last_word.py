"""How a run ended, from its result lines and its failed model calls.

`is_error` is the truth and `subtype` is not: a failed model call is `subtype: success` with
`is_error: true`. One run may have several result lines, when work in the background starts
another turn; the last one counts, and only if no turn began after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.harness.claude_code.conversation import content_text
from bakeoff.harness.json_line import amount, count, fields, items, label, text
from bakeoff.harness.outcome import void_reason
from bakeoff.model.trajectory import ApiError, Finish, Retry

SYNTHETIC_MODEL = "<synthetic>"
"""The model of lines that the harness writes in a model's place."""

_LIMITS = frozenset({"max_turns", "budget_exhausted", "error_max_turns", "error_max_budget_usd"})
_OWN_FAULT = frozenset({"prompt_too_long", "image_error"})
"""Reasons of an end that the conversation itself causes, whatever the status."""


@dataclass(slots=True)
class LastWord:
    """Collects result lines, failed calls and retries."""

    _result: Mapping[str, object] | None = None
    _followed: bool = False
    _failure: Mapping[str, object] | None = None
    """The last line of the main thread, if it is a failed call told in a model's place."""
    _retries: list[Retry] = field(default_factory=list)

    def on_result(self, event: Mapping[str, object]) -> None:
        """A result line."""
        self._result = event
        self._followed = False

    def on_activity(self) -> None:
        """A turn goes on, or another one begins."""
        self._followed = True

    def on_answer(self) -> None:
        """A model answered in the main thread: an earlier failure was not the last word."""
        self._failure = None

    def on_failure(self, event: Mapping[str, object], thread: str | None) -> None:
        """A line in a model's place: it tells a failed call."""
        if thread is None:
            self._failure = event

    def on_retry(self, event: Mapping[str, object]) -> None:
        """A model call is tried again."""
        delay = amount(event.get("retry_delay_ms"))
        self._retries.append(
            Retry(
                attempt=count(event.get("attempt")) or len(self._retries) + 1,
                status=count(event.get("error_status")),
                kind=text(event.get("error")) or "",
                delay_s=None if delay is None else delay / 1000,
            )
        )

    @property
    def result_is_last(self) -> bool:
        """A result line came and no turn began after it."""
        return self._result is not None and not self._followed

    @property
    def final(self) -> bool:
        """The last result line came, and the harness does not say that it has more to do."""
        return self.result_is_last and not count(fields(self._result).get("queued_turn_count"))

    @property
    def retries(self) -> tuple[Retry, ...]:
        """All retries, in order."""
        return tuple(self._retries)

    @property
    def finish(self) -> Finish | None:
        """What the harness says about its own end; None if it said nothing, or went on."""
        if not self.result_is_last:
            return None
        result = fields(self._result)
        subtype, reason = text(result.get("subtype")) or "", text(result.get("terminal_reason")) or ""
        if subtype in _LIMITS or reason in _LIMITS:
            return Finish.TURN_LIMIT
        if reason.startswith("aborted"):
            return Finish.ABORTED
        if reason in _OWN_FAULT or (self._is_error and result.get("stop_reason") == "refusal"):
            return Finish.REFUSED
        error = self.api_error
        if error is not None:
            return Finish.REFUSED if void_reason(error) is None else Finish.API_ERROR
        if self._is_error or subtype.startswith("error"):
            return Finish.ABORTED
        return Finish.COMPLETED

    @property
    def reason(self) -> str:
        """Why it ended, in the harness's words; empty after an ordinary end."""
        if not self.result_is_last or self.finish is Finish.COMPLETED:
            return ""
        result = fields(self._result)
        told = [word for word in items(result.get("errors")) if isinstance(word, str)]
        named = text(result.get("terminal_reason")) or text(result.get("subtype")) or ""
        return "; ".join(told) or named

    @property
    def answer(self) -> str | None:
        """The text of a result line that is no error."""
        if not self.result_is_last or self._is_error or self._failure is not None:
            return None
        return text(fields(self._result).get("result")) or None

    @property
    def api_error(self) -> ApiError | None:
        """The model call that failed for good, if that was the last word."""
        result = fields(self._result) if self.result_is_last else {}
        failure = self._failure or {}
        by_result = self._is_error and (
            result.get("terminal_reason") == "api_error" or count(result.get("api_error_status")) is not None
        )
        if not failure and not by_result:
            return None
        told = [source for source in (result if by_result else {}, failure) if source]
        message = content_text(fields(failure.get("message")).get("content")) if failure else ""
        return ApiError(
            status=next((code for source in told if (code := count(source.get("api_error_status")))), None),
            kind=_kind(told),
            message=message or text(result.get("result")) or "",
        )

    @property
    def _is_error(self) -> bool:
        # Anything but a plain false is an error: a value of another type must not pass for success.
        told = fields(self._result).get("is_error")
        return self.result_is_last and told is not False and told is not None


def _kind(told: list[Mapping[str, object]]) -> str:
    """The most telling name of an error: a bill that was not paid is told as an invalid request."""
    if any(source.get("error") == "billing_error" for source in told):
        return "billing_error"
    for key in ("api_error_type", "api_error", "error"):
        for source in told:
            if name := label(source.get(key)):
                return name
    return "unknown"
