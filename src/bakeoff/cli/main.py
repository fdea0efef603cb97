"""The entry point: find the command, run it, and turn what went wrong into an exit code.

Exit codes: 0 done, 1 the gate tripped, 2 usage or configuration, 3 a bug in Bakeoff,
4 more than a fifth of the trials void, 5 budget reached, 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path

import click

from bakeoff import __version__
from bakeoff.errors import UserError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("bakeoff.cli.demo", "Run bundled tasks with scripted agents: no key, no network."),
    "init": ("bakeoff.cli.init", "Write a first suite for this project."),
    "validate": ("bakeoff.cli.validate", "Check suites and tasks without running an agent."),
    "run": ("bakeoff.cli.run", "Run tasks, judge the results and record them."),
    "list": ("bakeoff.cli.list", "List recorded experiments."),
    "show": ("bakeoff.cli.show", "Show an experiment, a trial, a check's evidence or a diff."),
    "convert": ("bakeoff.cli.convert", "Print any suite in the native format."),
    "schema": ("bakeoff.cli.schema", "Print the JSON Schema of a file format."),
}
"""Name of each command: the module that holds it as `command`, and one line of help.

The modules are imported only when the command is used, so that `--help` stays quick.
"""

_NAME = "bakeoff"
_COMPLETION = "_BAKEOFF_COMPLETE"
"""The variable by which a shell asks click for completions."""

_FAULTS_OF_THE_MACHINE = frozenset(
    {
        *(errno.EDQUOT, errno.EIO, errno.ENOSPC, errno.EROFS),
        *(errno.EMFILE, errno.ENAMETOOLONG, errno.ENFILE, errno.ENOMEM),
    }
)
"""What no code of ours could prevent: a full disk, a read-only one, no descriptors left, a path too deep."""

_COLLECT_EVERY = 50_000
"""New objects between two searches for garbage: what is read from files is kept, so the search that
Python makes each 700 objects finds nothing and costs a tenth of the time of loading."""

USAGE_ERROR = 2
BUG = 3
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a new user needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a suggestion when the name is unknown."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{_nearest(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Put coding agents and their configuration on trial.

    The same task from the same starting files in private workspaces, judged
    independently of what the agent claims.
    """
    try:
        os.getcwd()
    except OSError as error:
        raise UserError(
            f"the current directory cannot be used: {error.strerror}", hint="change to one that exists"
        ) from error


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(_COLLECT_EVERY)
    _open_missing_streams()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was being told
        code = INTERRUPTED
    # The exit code is known: from here on Python would let the signal end the process without it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; returns the exit code and prints errors to standard error."""
    try:
        result = _result_of(arguments)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        error.show()
        return USAGE_ERROR
    except UserError as error:
        click.echo(f"bakeoff: {_user_error_text(error)}", err=True)
        return USAGE_ERROR
    except (KeyboardInterrupt, click.Abort):
        click.echo("bakeoff: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away: that is its business, not an error of ours.
        _let_go_of_output()
        return 0
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FAULTS_OF_THE_MACHINE:
            _let_go_of_output()
            click.echo(f"bakeoff: {_os_error_text(error)}", err=True)
            return USAGE_ERROR
        click.echo(_bug_text(arguments), err=True)
        return BUG
    return result if isinstance(result, int) else 0


def _result_of(arguments: list[str]) -> object:
    """What the command returns; all that it raises comes out as it is."""
    if _COMPLETION in os.environ:
        return cli.main(args=arguments, prog_name=_NAME, standalone_mode=False)
    # Not cli.main: that makes the exit code 1 of a reader who goes away, which means a tripped gate.
    with cli.make_context(_NAME, list(arguments)) as context:
        result = cli.invoke(context)
    sys.stdout.flush()
    return result


def _let_go_of_output() -> None:
    """Throw away what could not be printed: Python would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_missing_streams() -> None:
    """Give a process that was started without standard streams some that lead nowhere.

    Otherwise the next file to be opened would get the number of one, and what is printed with it.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - until the end


def _user_error_text(error: UserError) -> str:
    if len(error.problems) == 1:
        return str(error)
    errors = sum(problem.severity == "error" for problem in error.problems)
    warnings = len(error.problems) - errors
    counted = [(errors, "error"), (warnings, "warning")]
    told = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counted if count]
    return f"{', '.join(told)}\n\n{error}"


def _os_error_text(error: OSError) -> str:
    place = error.filename2 or error.filename
    what = error.strerror or str(error)
    return f"{what}: {os.fsdecode(place)}" if isinstance(place, str | bytes) else what


def _bug_text(arguments: list[str]) -> str:
    """Write the traceback to a log file; the text that names it."""
    text = f"bakeoff {__version__} {arguments}\nPython {sys.version}\n\n{traceback.format_exc()}"
    try:
        descriptor, path = tempfile.mkstemp(prefix="bakeoff-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return f"bakeoff: this is a bug in Bakeoff\n\n{text}"
    last = text.rstrip().rpartition("\n")[2]
    return (
        f"bakeoff: this is a bug in Bakeoff: {last}\n\n"
        f"  hint: the traceback is in {Path(path)}; please report it with that file\n"
    )
