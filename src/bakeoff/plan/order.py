"""What a user ordered: tasks, arms, repeats and how they are to be run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bakeoff.errors import ProblemsFound
from bakeoff.model.suite import RUNNER, Arm, Suite, Task
from bakeoff.model.trial import TrialSpec
from bakeoff.plan.arms import ReadyArm, ready_arms
from bakeoff.plan.expand import expand
from bakeoff.plan.refusals import unsupported_problems
from bakeoff.plan.select import Selection, select_arms, select_tasks
from bakeoff.process.start import SupervisorKind
from bakeoff.store.layout import Layout
from bakeoff.workspace.environment import refuse_bad_name

DEFAULT_JOBS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Everything decided before an experiment starts; nothing is written yet.

    Attributes:
        tasks: the selected tasks, in the suite's order.
        arms: the selected arms with their validated options.
        repeats: trials of each task and arm.
        jobs: trials at once.
        seed: of the order of trials.
        sandbox: "auto", "bubblewrap" or "process".
        auth: how credentials reach the agent; "key" passes the variables an adapter lists.
        pass_env: names of variables that setup, agent and checks get from the caller.
        name: of the experiment.
        layout: where the store is, or will be.
    """

    suite: Suite
    tasks: tuple[Task, ...]
    arms: tuple[ReadyArm, ...]
    repeats: int
    jobs: int
    seed: int
    sandbox: SupervisorKind
    auth: str
    pass_env: tuple[str, ...]
    name: str
    keep_workspaces: bool
    layout: Layout

    @property
    def planned(self) -> int:
        """The number of trials."""
        return len(self.tasks) * len(self.arms) * self.repeats

    @property
    def specs(self) -> tuple[TrialSpec, ...]:
        """The planned trials in their order."""
        arms = [ready.arm for ready in self.arms]
        return expand(self.suite, self.tasks, arms, repeats=self.repeats, seed=self.seed)


def make_order(
    suite: Suite,
    selection: Selection,
    *,
    repeats: int | None,
    jobs: int | None,
    seed: int,
    sandbox: SupervisorKind,
    auth: str,
    pass_env: tuple[str, ...],
    name: str | None,
    keep_workspaces: bool,
    layout: Layout,
) -> Order:
    """Decide what is to run; every problem is a UserError before anything is written."""
    for variable in pass_env:
        refuse_bad_name(variable)
    tasks = select_tasks(suite, selection)
    arms = select_arms(suite, selection)
    refused = unsupported_problems(suite, tasks, arms)
    try:
        ready = ready_arms(
            (_supported_part(arm) for arm in arms if not _lacks_runner(arm)), selection.options, tasks
        )
    except ProblemsFound as error:
        raise ProblemsFound((*refused, *error.problems)) from error
    if refused:
        raise ProblemsFound(refused)
    return Order(
        suite=suite,
        tasks=tasks,
        arms=ready,
        repeats=repeats or suite.repeats or 1,
        jobs=jobs or suite.jobs or DEFAULT_JOBS,
        seed=seed,
        sandbox=sandbox,
        auth=auth,
        pass_env=pass_env,
        name=name or suite.experiment_name or suite.name,
        keep_workspaces=keep_workspaces or suite.keep_workspaces,
        layout=layout,
    )


def _lacks_runner(arm: Arm) -> bool:
    return any(item.field == RUNNER for item in arm.unsupported)


def _supported_part(arm: Arm) -> Arm:
    """The arm without the options that are refused anyhow, so that they are not told twice."""
    refused = {item.field for item in arm.unsupported}
    return replace(arm, options={name: value for name, value in arm.options.items() if name not in refused})
