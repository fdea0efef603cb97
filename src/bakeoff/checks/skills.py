"""Checks on which skills the agent used."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from bakeoff.checks.fields import Name
from bakeoff.checks.transcript import gaps_of, listed_calls
from bakeoff.checks.wording import listed, plainly
from bakeoff.model.check import Check, Context, Evidence, Status, Verdict
from bakeoff.model.trajectory import ToolCall


class SkillInvoked(Check):
    """Passes when the agent used a skill at least once, subagents included.

    `skill` equals a name that a harness tells when both are the same, or are after one
    `plugin:` prefix is taken from one of them: `release` is `tools:release`, but
    `mine:release` is not `yours:release`. A call that was refused, or failed because there
    is no such skill, did not use it; one whose result is not in the transcript did. A skill
    that the prompt itself named (`/release`) was used. Without a use the check is an error, not a
    failure, when one may be missing from the transcript (see `tool_called`).
    """

    type_name: ClassVar[str] = "skill_invoked"

    skill: Name = Field(description="the name of the skill, with or without its plugin")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Look for a use in all threads."""
        if is_used(evidence, self.skill):
            reason = f"{plainly(self.skill)} was used; {_used(evidence)}"
            return Verdict(status=Status.PASSED, code="invoked", reason=reason, evidence=_shown(evidence))
        gaps_of(evidence, "skills").refuse(f"whether {plainly(self.skill)} was used")
        reason = f"{plainly(self.skill)} was not used{_in_vain(evidence, self.skill)}; {_used(evidence)}"
        return Verdict(status=Status.FAILED, code="not_invoked", reason=reason, evidence=_shown(evidence))


class SkillNotInvoked(Check):
    """Passes when the agent never used a skill, subagents included.

    The opposite of `skill_invoked`: names are equal, and uses count, in the same way; so a
    call that was refused is no use, and the reason tells of it. When a use may be missing
    from the transcript (see `tool_called`) the check is an error; it never passes because evidence was lost.
    """

    type_name: ClassVar[str] = "skill_not_invoked"

    skill: Name = Field(description="the name of the skill, with or without its plugin")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Look for a use in all threads."""
        name = plainly(self.skill)
        if is_used(evidence, self.skill):
            reason = f"{name} must not be used, but was; {_used(evidence)}"
            return Verdict(status=Status.FAILED, code="invoked", reason=reason, evidence=_shown(evidence))
        gaps_of(evidence, "skills").refuse(f"whether {name} was used")
        roster = evidence.trajectory.roster
        offered = roster.skills if roster is not None else None
        if offered is not None and not any(is_same_skill(each, self.skill) for each in offered):
            reason = f"{name} was not used; the agent had no skill of that name"
            return Verdict(status=Status.PASSED, code="not_offered", reason=reason, evidence=_shown(evidence))
        reason = f"{name} was not used{_in_vain(evidence, self.skill)}; {_used(evidence)}"
        return Verdict(status=Status.PASSED, code="not_invoked", reason=reason, evidence=_shown(evidence))


class FirstSkill(Check):
    """Passes when the first skill that the agent used is the one that was expected.

    The first is the earliest in time over all threads; one that the prompt itself named
    comes before all others. Names are equal, and uses count, as for `skill_invoked`. The
    check is an error when lines of the transcript could not be read, since an earlier use may
    have been among them, and when there is no use in a transcript that lacks its end.
    """

    type_name: ClassVar[str] = "first_skill"

    skill: Name = Field(description="the name of the skill, with or without its plugin")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Compare the first use with what was expected."""
        used = evidence.trajectory.skills
        gaps = gaps_of(evidence, "skills")
        if not used:
            gaps.refuse("which skill was used first")
            reason = (
                f"expected {plainly(self.skill)} first, but no skill was used{_in_vain(evidence, self.skill)}"
            )
            return Verdict(status=Status.FAILED, code="none", reason=reason, evidence=_shown(evidence))
        gaps.refuse_holes("which skill was used first")
        passed = is_same_skill(used[0], self.skill)
        return Verdict(
            status=Status.PASSED if passed else Status.FAILED,
            code="first" if passed else "another",
            reason=f"expected {plainly(self.skill)} first, found {plainly(used[0])}",
            evidence=_shown(evidence),
        )


def is_same_skill(one: str, other: str) -> bool:
    """Whether two names mean one skill: equal, or equal after a `plugin:` prefix is taken from one."""
    return one == other or _without_plugin(one) == other or one == _without_plugin(other)


def _without_plugin(name: str) -> str:
    plugin, colon, rest = name.partition(":")
    return rest if colon and plugin and rest else name


def is_used(evidence: Evidence, skill: str) -> bool:
    """Whether the transcript has a use of the skill in any thread."""
    return any(is_same_skill(used, skill) for used in evidence.trajectory.skills)


def _used(evidence: Evidence) -> str:
    names = [plainly(name) for name in evidence.trajectory.skills]
    return f"used were {listed(names)}" if names else "no skill was"


def _in_vain(evidence: Evidence, skill: str) -> str:
    """How often the agent reached for the skill without getting it."""
    calls = [call for call in _skill_calls(evidence) if is_same_skill(call.skill or "", skill)]
    refused = sum(call.denied for call in calls)
    failed = sum(bool(call.is_error) and not call.denied for call in calls)
    told = [f"{refused} refused"] if refused else []
    told += [f"{failed} failed"] if failed else []
    return f" (calls of it in vain: {', '.join(told)})" if told else ""


def _skill_calls(evidence: Evidence) -> list[ToolCall]:
    return [call for call in evidence.trajectory.tool_calls if call.skill is not None]


def _shown(evidence: Evidence) -> str:
    named = [f"{plainly(name)}  named by the prompt" for name in evidence.trajectory.injected_skills]
    return "\n".join(line for line in ("\n".join(named), listed_calls(_skill_calls(evidence))) if line)
