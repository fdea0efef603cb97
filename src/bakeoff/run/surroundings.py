"""What each program of a trial may see and which variables it gets: setup, agent, checks."""

from __future__ import annotations

import dataclasses
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.harness.protocol import Launch
from bakeoff.model.suite import Task
from bakeoff.plan.arms import ReadyArm
from bakeoff.process.supervise import InnerPaths, View
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.caches import needed_from_caches, setup_caches
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.environment import (
    ChildEnvironment,
    Inheritance,
    agent_environment,
    check_environment,
    home_files,
    setup_environment,
)
from bakeoff.workspace.secrecy import is_credential
from bakeoff.workspace.toolchains import needs_of

_INNER_CACHES = "/var/cache/packages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """A view of the machine and where a program finds its directories in it.

    Attributes:
        environment: the program's whole environment.
    """

    view: View
    inner: InnerPaths
    environment: ChildEnvironment

    @property
    def env(self) -> Mapping[str, str]:
        """The variables by name."""
        return self.environment.values


def prepare_home(home: Path) -> None:
    """Put the files into a private HOME that every program expects: a neutral git identity."""
    for relative, content in home_files().items():
        path = home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_home(home: Path, place: Path) -> None:
    """Copy a private HOME to a place that does not exist yet, without sockets and pipes in it."""
    shutil.copytree(home, place, symlinks=True, ignore=_special_files)


def _special_files(folder: str, names: list[str]) -> list[str]:
    kept = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [name for name, mode in modes.items() if not any(is_kind(mode) for is_kind in kept)]


def setup_surroundings(bench: Workbench, workspace: Workspace, task: Task) -> Surroundings:
    """For setup commands: Bakeoff's own package caches, no credentials."""
    caches, shown_at = _package_caches(bench)
    caches.mkdir(parents=True, exist_ok=True, mode=0o700)
    view = dataclasses.replace(
        _view(bench, workspace.path, workspace.home, workspace.tmp), mounts={caches: (shown_at, True)}
    )
    inner = bench.supervisor.inner_paths(view)
    environment = setup_environment(
        _inheritance(bench, task, bench.credentials), inner, caches=setup_caches(shown_at)
    )
    return Surroundings(view=view, inner=inner, environment=environment)


def agent_view(bench: Workbench, workspace: Workspace, executable: Path | None) -> View:
    """What the agent may see: its workspace, private directories, toolchains, its program."""
    view = _view(bench, workspace.path, workspace.home, workspace.tmp)
    if executable is None:
        return view
    needed = needs_of(executable, bench.host_environment, home=bench.host_home, never=bench.hidden)
    return dataclasses.replace(view, read_only=(*view.read_only, *needed))


def seeing(view: View, paths: Iterable[Path]) -> View:
    """The same view with more paths to read, each where it is."""
    return dataclasses.replace(view, mounts={**view.mounts, **{path: (str(path), False) for path in paths}})


def agent_variables(
    bench: Workbench, task: Task, ready: ReadyArm, inner: InnerPaths, launch: Launch
) -> ChildEnvironment:
    """The agent's environment, the only one with credentials."""
    names = ready.harness.credentials
    if ready.arm.id in bench.logins:
        # A key would win over the login; endpoints and regions are still needed.
        parent = bench.host_environment
        names = tuple(name for name in names if not is_credential(name, parent.get(name, "")))
    inheritance = _inheritance(bench, task, names)
    inheritance = dataclasses.replace(inheritance, passed=(*inheritance.passed, *launch.pass_env))
    return agent_environment(inheritance, inner, harness=launch.env)


def check_surroundings(
    bench: Workbench, workspace: Workspace, task: Task, place: Path, pristine_home: Path
) -> Surroundings:
    """For one command of a check: private directories of its own below `place`.

    HOME is a copy of what setup left, so that nothing an agent planted there is in force.
    """
    home, tmp = place / "home", place / "tmp"
    copy_home(pristine_home, home)
    (tmp / "pycache").mkdir(parents=True)
    view = _view(bench, workspace.path, home, tmp)
    inner = bench.supervisor.inner_paths(view)
    environment = check_environment(
        _inheritance(bench, task, bench.credentials), inner, pycache=f"{inner.tmp}/pycache"
    )
    return Surroundings(view=view, inner=inner, environment=environment)


def _view(bench: Workbench, workspace: Path, home: Path, tmp: Path) -> View:
    caches, shown_at = _package_caches(bench)
    needed = zip(needed_from_caches(str(caches)), needed_from_caches(shown_at), strict=True)
    return View(
        workspace=workspace,
        home=home,
        tmp=tmp,
        read_only=bench.toolchains.visible,
        mounts={Path(source): (inner, False) for source, inner in needed if os.path.exists(source)},
        hidden=bench.hidden,
    )


def _package_caches(bench: Workbench) -> tuple[Path, str]:
    """Where the package caches are, and where programs of a trial find them.

    In a sandbox that is a place of their own: their real path would tell where the project is.
    """
    caches = bench.layout.cache / "packages"
    return caches, _INNER_CACHES if bench.supervisor.protections["fixed_paths"] else str(caches)


def _inheritance(bench: Workbench, task: Task, credentials: tuple[str, ...]) -> Inheritance:
    return Inheritance(
        parent=bench.host_environment,
        path=bench.path,
        toolchain=bench.toolchains.environment,
        declared=task.environment,
        passed=bench.pass_env,
        credentials=credentials,
    )
