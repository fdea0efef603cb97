"""`bakeoff convert`: any suite as a native file."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command(short_help="Print any suite in the native format.")
@click.argument("spec")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to this file, instead of standard output.",
    type=click.Path(),
)
@click.option("--force", is_flag=True, help="Overwrite the file of --output.")
def command(spec: str, output: str | None, force: bool) -> int:
    """Print a suite, task or project of any format as one native file that means the same.

    Every default that does something is written out, so that a later change of defaults
    changes nothing. Paths are relative to the file of --output, else to the current
    directory. Prompts stand in the file itself; comments are lost. What the native format
    cannot say is an error. A native file of an older version is brought up to date.
    """
    from bakeoff.dialects.load import load
    from bakeoff.dialects.native.convert import convert
    from bakeoff.errors import UserError

    target = Path(os.path.abspath(output if output is not None else "bakeoff.yaml"))
    if output is not None:
        if os.path.lexists(target) and not force:
            raise UserError(
                f"{output} exists already", hint="choose another name, or overwrite it with --force"
            )
        if not target.parent.is_dir():
            raise UserError(f"{target.parent} is not a directory", hint="create it first")
    suite = load(spec, cwd=Path.cwd())
    text = convert(suite, target)
    for problem in suite.warnings:
        click.echo(str(problem), err=True)
    if output is None:
        click.echo(text, nl=False)
        return 0
    _write(target, text)
    tasks = len(suite.tasks)
    click.echo(f"bakeoff: {output}: {tasks} task{'' if tasks == 1 else 's'} of {suite.path}", err=True)
    return 0


def _write(target: Path, text: str) -> None:
    """Replace or make a file in one step; UserError when that cannot be done."""
    from bakeoff.errors import UserError

    real = Path(os.path.realpath(target))
    beside = real.with_name(f".{real.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(real)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UserError(f"{target} cannot be written: {os.strerror(error.errno or 0)}") from error
