"""What a trial's agent part amounts to, from how the process ended and what the harness told.

Structured facts come before exit codes: harnesses exit with 0 after a failed model call,
after a signal, and in the middle of a task. A trial is void only for what the agent cannot
bring about:

- model calls that failed for good with 401, 403, 429, 5xx, 402, 404 or 408, or without a
  status (a lost connection): the account, the configuration or the network;
- a harness that ended before it announced itself: the agent never ran;
- our own clock ending a harness that was still retrying such calls and had not got a
  single answer from a model. After one answer the clock's end is a timeout like any other.

What the conversation itself causes (context too long, content refused, invalid request) is
no void: the ending is `crashed` and the trial is judged. A harness's own limit of turns or
money is the ending `turn_limit`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bakeoff.model.trajectory import ApiError, Finish, Trajectory
from bakeoff.model.trial import Ending, VoidReason
from bakeoff.process.supervise import EndReason, ProcessEnd

_CONVERSATION = frozenset(
    {
        "content_filter",
        "context_length_exceeded",
        "invalid_request",
        "invalid_request_error",
        "max_output_tokens",
        "refusal",
        "request_too_large",
    }
)
"""Kinds of error without a status that the conversation itself causes."""

_ACCOUNT_STATUSES = frozenset({402, 404, 408})
"""No credit, no such model, no answer in time: nothing that an agent writes leads there."""

_ACCOUNT_KINDS = frozenset({"billing_error", "model_not_found", "not_found_error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How the agent's part ended.

    Attributes:
        ending: the fact.
        void: why the trial says nothing about the agent; None when it is to be judged.
        detail: one sentence for people.
    """

    ending: Ending
    void: VoidReason | None = None
    detail: str = ""


def conclude(end: ProcessEnd, trajectory: Trajectory) -> Conclusion:
    """The ending of a launch, and whether it voids the trial.

    It relies on each harness announcing itself on standard output before it asks a model;
    a program that prints no event never ran an agent. One of which no such thing is known
    says so in its trajectory: then its exit code tells how it ended.
    """
    if end.reason is EndReason.INTERRUPTED:
        return Conclusion(
            ending=Ending.CRASHED, void=VoidReason.CANCELLED, detail="Ended because Bakeoff was interrupted."
        )
    if end.reason is EndReason.LOST:
        return Conclusion(
            ending=Ending.CRASHED,
            void=VoidReason.HOST,
            detail=_sentence("The supervisor was lost", end.error),
        )
    if end.reason is EndReason.NOT_STARTED:
        return Conclusion(
            ending=Ending.NOT_STARTED,
            void=VoidReason.HARNESS_MISSING,
            detail=_sentence("The harness could not be started", end.error),
        )
    if end.reason is EndReason.TIMEOUT:
        return _after_timeout(end, trajectory)
    if end.reason is EndReason.STOPPED and trajectory.finish in {None, Finish.ABORTED}:
        return Conclusion(ending=Ending.COMPLETED, detail="Ended by Bakeoff: what followed could not matter.")
    return _by_itself(end, trajectory)


def void_reason(error: ApiError) -> VoidReason | None:
    """Why a failed model call voids a trial; None when the conversation itself caused it."""
    status, kind = error.status, error.kind
    if kind in _ACCOUNT_KINDS:
        return VoidReason.API_ERROR
    if status in {401, 403} or (status is None and kind.startswith(("authentication", "permission"))):
        return VoidReason.AUTHENTICATION
    if status == 429 or (status is None and kind.startswith("rate_limit")):
        return VoidReason.RATE_LIMIT
    if status is None:
        return None if kind in _CONVERSATION else VoidReason.API_ERROR
    if status in _ACCOUNT_STATUSES or not 400 <= status < 500:
        return VoidReason.API_ERROR
    return None


def _after_timeout(end: ProcessEnd, trajectory: Trajectory) -> Conclusion:
    # The last word may have come just before the clock. An abort is what our own signal
    # made the harness say, and work left in the background means that it was not done.
    said_last_word = trajectory.finish not in {None, Finish.ABORTED} and not trajectory.background_left
    if said_last_word:
        return _by_itself(end, trajectory)
    retried = _retried_in_vain(trajectory)
    if retried is not None:
        return Conclusion(
            ending=Ending.TIMEOUT,
            void=void_reason(retried),
            detail=f"Out of time while retrying ({_told(retried)}) without one answer of a model.",
        )
    return Conclusion(ending=Ending.TIMEOUT, detail=f"Out of time after {end.duration_s:.0f} s.")


def _retried_in_vain(trajectory: Trajectory) -> ApiError | None:
    """The last failure of a harness that only ever retried, if that voids the trial."""
    if trajectory.model_answered or trajectory.steps or not trajectory.retries:
        return None
    last = trajectory.retries[-1]
    error = ApiError(status=last.status, kind=last.kind, message="")
    return error if void_reason(error) is not None else None


def _by_itself(end: ProcessEnd, trajectory: Trajectory) -> Conclusion:
    match trajectory.finish:
        case Finish.COMPLETED:
            return Conclusion(ending=Ending.COMPLETED, detail=_completed(end))
        case Finish.TURN_LIMIT:
            reason = trajectory.finish_reason or "its own limit"
            return Conclusion(ending=Ending.TURN_LIMIT, detail=f"The harness stopped at {reason}.")
        case Finish.API_ERROR | Finish.REFUSED:
            return _failed_call(trajectory)
        case Finish.ABORTED:
            return Conclusion(
                ending=Ending.CRASHED, detail=_sentence("The harness aborted", trajectory.finish_reason)
            )
        case _:
            return _without_last_word(end, trajectory)


def _failed_call(trajectory: Trajectory) -> Conclusion:
    error = trajectory.api_error
    if trajectory.finish is Finish.REFUSED or error is None:
        told = _told(error) if error else trajectory.finish_reason
        void = VoidReason.API_ERROR if trajectory.finish is Finish.API_ERROR else None
        return Conclusion(ending=Ending.CRASHED, void=void, detail=_sentence("The model call failed", told))
    return Conclusion(
        ending=Ending.CRASHED,
        void=void_reason(error),
        detail=_sentence("The model call failed", _told(error)),
    )


def _without_last_word(end: ProcessEnd, trajectory: Trajectory) -> Conclusion:
    how = f"signal {end.signal}" if end.signal is not None else f"exit code {end.exit_code}"
    if trajectory.ends_by_exit_code:
        # Whatever the code, the agent can bring it about: it is never void.
        ending = Ending.COMPLETED if end.exit_code == 0 and end.signal is None else Ending.CRASHED
        told = f"The agent ended with {how}"
        return Conclusion(ending=ending, detail=_sentence(told, trajectory.finish_reason))
    # Lines that cannot be read are no announcement: a program may print its own traceback.
    if replace(trajectory, malformed_lines=0) == Trajectory():
        return Conclusion(
            ending=Ending.NOT_STARTED,
            void=VoidReason.HARNESS_MISSING,
            detail=f"The harness ended with {how} before it announced itself; its standard error tells why.",
        )
    return Conclusion(
        ending=Ending.CRASHED, detail=f"The harness ended with {how} without saying that it had finished."
    )


def _completed(end: ProcessEnd) -> str:
    if end.reason is EndReason.EXITED and end.exit_code == 0:
        return "The agent finished."
    if end.reason is EndReason.EXITED:
        how = f"signal {end.signal}" if end.signal is not None else f"exit code {end.exit_code}"
        return f"The agent finished; its harness then ended with {how}."
    return "The agent finished; its harness did not exit by itself and was ended."


def _told(error: ApiError) -> str:
    status = "no status" if error.status is None else str(error.status)
    words = [status, error.kind, error.message]
    return ", ".join(word for word in words if word)


def _sentence(text: str, reason: str | None) -> str:
    return f"{text}: {reason.strip().rstrip('.')}." if reason and reason.strip() else f"{text}."
