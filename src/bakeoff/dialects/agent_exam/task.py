"""Translates one task file into tasks: one that is executed, or one for each case that may trigger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bakeoff.checks import registry
from bakeoff.dialects.agent_exam.arms import option_errors
from bakeoff.dialects.agent_exam.assertions import ReadAssertions, read_assertions
from bakeoff.dialects.agent_exam.cases import Case, read_cases
from bakeoff.dialects.agent_exam.config import Config
from bakeoff.dialects.agent_exam.environment import read_environment
from bakeoff.dialects.agent_exam.fixtures import Fixtures
from bakeoff.dialects.agent_exam.harness_blocks import read_blocks
from bakeoff.dialects.agent_exam.schema import AnyTask, ExecuteTask, TriggerTask
from bakeoff.dialects.agent_exam.skills import Skills
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.wording import explained
from bakeoff.errors import Where
from bakeoff.model.check import Check
from bakeoff.model.suite import Dialect, Limits, Task, Unsupported

_BEHIND_KIND = {
    "execute": ("skill", "positive", "negative", "mcp_tool"),
    "trigger": ("prompt", "assertions"),
}
"""Keys that belong to tasks of the other kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every task of a suite is read with.

    Attributes:
        suite: the name of the suite.
        tags: those that `suite.yml` gives to each of its tasks.
    """

    suite: str
    tags: tuple[str, ...]
    config: Config
    fixtures: Fixtures
    skills: Skills


def read_task(name: str, node: Node, around: Surroundings, problems: Problems) -> tuple[Task, ...]:
    """The tasks of one file called `name`; what is wrong with it is recorded."""
    if not isinstance(node, Mapping):
        hint = "write its keys: `prompt` and `assertions`, or `kind: trigger`, `skill` and `positive`"
        problems.error(node.where, f"the file must be a mapping, not {node.kind}", hint)
        return ()
    kind = node.get("kind")
    is_trigger = isinstance(kind, Scalar) and kind.text == "trigger"
    node = _without_other_kind(node, "trigger" if is_trigger else "execute", problems)
    reader = _Reader(name=name, node=node, around=around, problems=problems)
    return tuple(reader.triggers() if is_trigger else reader.execute())


def _without_other_kind(node: Mapping, kind: str, problems: Problems) -> Mapping:
    other = "execute" if kind == "trigger" else "trigger"
    for key in _BEHIND_KIND[kind]:
        if key in node:
            hint = f"write `kind: {other}`, or remove it"
            if key == "assertions":
                hint = "each case is judged by `skill` and the list that it stands in: remove it"
            problems.error(node.key_where(key), f"`{key}` is not used by a task of kind {kind}", hint)
            node = node.without(key)
    return node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """One task file being read."""

    name: str
    node: Mapping
    around: Surroundings
    problems: Problems

    def execute(self) -> Iterator[Task]:
        """The one task of a file of kind execute."""
        written = self.node.get("assertions")
        nodes = written.items if isinstance(written, Sequence) else ()
        said = read_shape(self.node, ExecuteTask, self.problems)
        asserted = read_assertions(nodes, self.problems)
        self.around.skills.check(asserted.skills, self.problems)
        if said is None:
            return
        self._warn_undecided(asserted)
        unsupported = (*self._unsupported(), *asserted.unsupported)
        yield replace(
            self._task(said, said.prompt),
            checks=asserted.checks,
            unsupported=tuple(sorted(unsupported, key=lambda item: item.where)),
        )

    def _warn_undecided(self, asserted: ReadAssertions) -> None:
        checks = asserted.checks
        if checks and not asserted.unsupported and all(check.known_issue for check in checks):
            self.problems.warning(
                self.node.key_where("assertions"),
                "every assertion is a known issue: trials are not_judged",
                "put `known_issue` at the top of the file, or add an assertion that decides",
            )

    def triggers(self) -> Iterator[Task]:
        """One task for each prompt of a file of kind trigger."""
        said = read_shape(self.node, TriggerTask, self.problems)
        if said is None:
            return
        cases = read_cases(said, self.problems)
        if not said.positive and not said.negative:
            self.problems.error(
                self.node.where, "neither `positive` nor `negative` holds a prompt", "write at least one"
            )
        if said.skill is None and said.mcp_tool is None:
            self.problems.error(self.node.where, "`skill` is missing", "name the skill that should fire")
        elif said.skill is not None and said.mcp_tool is not None:
            self.problems.error(self.node.key_where("mcp_tool"), "`mcp_tool` stands beside `skill`")
        skill = self.node.at("skill")
        if isinstance(skill, Scalar):
            self.around.skills.check([skill], self.problems)
        later = (
            Unsupported(field="kind: trigger", where=self.problems.shown(self.node.at("kind").where)),
            *self._unsupported(),
        )
        shared = self._task(said, "")
        for case in cases:
            yield replace(
                shared,
                title=f"{self.name}::{case.name}",
                prompt=case.prompt,
                case=case.name,
                checks=(_check_of(case, said.skill),) if said.skill is not None else (),
                where=self.problems.shown(case.node.where),
                unsupported=tuple(sorted(later, key=lambda item: item.where)),
            )

    def _task(self, said: AnyTask, prompt: str) -> Task:
        """What tasks of both kinds say."""
        around, problems = self.around, self.problems
        tags = tuple(dict.fromkeys([*around.tags, *self._tags(said)]))
        setup = self.node.at("setup")
        return Task(
            id=self.name,
            title=self.name,
            description=said.description,
            prompt=prompt,
            start=around.fixtures.start(said.setup.fixture, setup.at("fixture")),
            checks=(),
            where=problems.shown(self.node.where),
            dialect=Dialect.AGENT_EXAM,
            environment=read_environment(said.setup.env, problems),
            limits=Limits(timeout_s=float(said.timeout_seconds or around.config.default_timeout_s)),
            tags=tags,
            known_issue=said.known_issue,
            suite=around.suite,
            held_back_by=tuple(tag for tag in tags if around.config.tags.get(tag)),
            concurrency_group=self._group(said),
            harness_options=self._options(),
        )

    def _unsupported(self) -> tuple[Unsupported, ...]:
        return tuple(
            Unsupported(field=key, where=self.problems.shown(self.node.key_where(key)))
            for key in ("mcp_servers", "mcp_tool")
            if key in self.node
        )

    def _tags(self, said: AnyTask) -> tuple[str, ...]:
        check_tags(said.tags, self.node, self.around.config, self.problems)
        return said.tags

    def _group(self, said: AnyTask) -> str | None:
        name, groups = said.concurrency_group, self.around.config.said.concurrency_groups
        if name is not None and name not in groups:
            self.problems.error(
                self.node.at("concurrency_group").where,
                f"`concurrency_group`: {quoted(name)} is not declared in {_shown(self.around.config, self.problems)}",
                suggestion(name, groups) or f"declare it there: `concurrency_groups: {{{name}: 1}}`",
            )
        return name

    def _options(self) -> dict[str, dict[str, object]]:
        options = read_blocks(self.node, self.problems)
        for harness, values in options.items():
            for item in option_errors(harness, values):
                path = [part for part in item["loc"] if isinstance(part, str | int)]
                message, hint = explained(item, ".".join([harness, *(str(part) for part in path[:1])]))
                self.problems.error(self.node.at(harness, *path).where, message, hint)
        return options


def check_tags(tags: tuple[str, ...], node: Mapping, config: Config, problems: Problems) -> None:
    """Record tags that the configuration does not declare."""
    written = node.at("tags")
    places = written.items if isinstance(written, Sequence) else ()
    for place in places:
        if isinstance(place, Scalar) and place.text in tags and place.text not in config.tags:
            problems.error(
                place.where,
                f"the tag {quoted(place.text)} is not declared in {_shown(config, problems)}",
                suggestion(place.text, config.tags) or f"declare it there: `tags: {{{place.text}: }}`",
            )


def _shown(config: Config, problems: Problems) -> str:
    return str(problems.shown(Where(config.file)))


def _check_of(case: Case, skill: str) -> Check:
    kind = "first_skill" if case.is_positive else "skill_not_invoked"
    return registry.CHECKS[kind].model_validate({"id": kind, "skill": skill})
