"""`bakeoff init`: write a first suite for the project that is here."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.dialects.scaffold.project import Project
    from bakeoff.dialects.scaffold.suite import Scaffold


@click.command(short_help="Write a first suite for this project.")
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["native", "ablate", "agent-exam", "harness-lab"]),
    default="native",
    show_default=True,
    help="The file format.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written and found as JSON.")
def command(folder: Path | None, form: str, as_json: bool) -> int:
    """Write a suite with one task into DIR; by default the top of the repository that this directory is in.

    The task starts from the commit that is checked out and runs the project's own tests,
    when files such as pyproject.toml, package.json, Cargo.toml, go.mod or a Makefile tell how. What only
    you can know is left to fill in: until then `bakeoff validate` warns, and every trial of
    the task fails. Nothing that exists is ever overwritten: then the exit code is 2.
    """
    from bakeoff.dialects.scaffold.formats import FORMATS
    from bakeoff.dialects.scaffold.project import project_at
    from bakeoff.dialects.scaffold.suite import write

    project = project_at((folder or Path()).absolute())
    scaffold = FORMATS[form](project, folder.absolute() if folder is not None else project.top)
    write(scaffold)
    if as_json:
        import json

        click.echo(json.dumps(_document(project, scaffold), indent=2, allow_nan=False))
    else:
        click.echo("\n".join(_lines(project, scaffold)))
    return 0


def _lines(project: Project, scaffold: Scaffold) -> Iterator[str]:
    yield "written:"
    yield from (f"  {_shown(scaffold.folder / name)}" for name in scaffold.files)
    yield ""
    yield from _found(project, scaffold)
    yield ""
    yield "left to fill in:"
    yield from (f"  {_shown(where.file)}:{where.line}: {blank}" for where, blank in scaffold.blanks)
    yield ""
    yield "until then `bakeoff validate` warns, and every trial fails. What to do next:"
    yield from (f"  {line}" for line in _next(scaffold))


def _found(project: Project, scaffold: Scaffold) -> Iterator[str]:
    """What the task starts from and how it tests, and how that was found out."""
    if not scaffold.uses_tests:
        yield "the task starts from a folder of its own, not from this repository"
        return
    yield f"the task starts from commit {(project.commit or '')[:12]}, which is checked out"
    if project.dirty:
        yield "  (changes that are not committed are not part of it)"
    if project.test is None:
        yield "no test command was found: say in the task how its result is tested"
        return
    yield f"its tests are run by `{project.test.command}`, because of {project.test.source}"
    yield from (f"  also found: `{other.command}`, because of {other.source}" for other in project.tests[1:])
    if project.test.install:
        yield f"  a workspace is a fresh copy: the task shows how to run `{project.test.install}` first"


def _next(scaffold: Scaffold) -> Iterator[str]:
    here = _shown(scaffold.folder)
    if here != ".":
        yield f"cd {shlex.quote(here)}"
    yield f"bakeoff validate {scaffold.suite}"
    yield f"bakeoff run {scaffold.idle}   # an agent that does nothing: it must fail"
    yield f"bakeoff run {scaffold.real} --dry-run   # what a real agent would be given"


def _shown(path: Path) -> str:
    """A path as it would be typed here."""
    import os

    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def _document(project: Project, scaffold: Scaffold) -> dict[str, object]:
    used = project.tests if scaffold.uses_tests else ()
    return {
        "schema": "bakeoff.init",
        "version": 1,
        "folder": str(scaffold.folder),
        "written": list(scaffold.files),
        "commit": project.commit if scaffold.uses_tests else None,
        "tests": [{"command": each.command, "source": each.source, "install": each.install} for each in used],
        "fill_in": [
            {"file": str(where.file), "line": where.line, "what": blank} for where, blank in scaffold.blanks
        ],
        "next": list(_next(scaffold)),
    }
