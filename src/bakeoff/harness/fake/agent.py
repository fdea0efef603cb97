"""The scripted agent: a program of its own that plays a plan and prints what it does.

Usage: `python -I -S agent.py PLAN.json`, with the prompt on standard input, in the workspace.
It is never imported: Bakeoff copies it into the private HOME and runs it there with the
base interpreter, so it uses the standard library only, and imports what takes long to import
when a step needs it: many trials consist of nothing but its start. Before it plays, it removes itself
and its plan, which a hostile command of its own could otherwise read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

OUTPUT_KEPT = 65536
"""Bytes of a command's output that are told, from its end."""
SKIPPED_FOLDERS = frozenset({"venv", "node_modules", "__pycache__"})
BROKEN = b"\nraise RuntimeError('broken on purpose, by the scripted agent')\n"

Step = dict[str, Any]


class Agent:
    """Plays the steps of a plan, one event line for each thing done."""

    def __init__(self, plan: Step, prompt: str) -> None:
        self.plan = plan
        self.prompt = prompt
        self.calls = 0
        self.read_bytes = 0
        self.written_bytes = 0
        self.last_run: tuple[str, int | None] | None = None
        self.ended = False

    def emit(self, event: str, /, **fields: Any) -> None:
        """Print one event and let it be seen at once."""
        line = json.dumps({"type": event, **fields}, allow_nan=False)
        sys.stdout.buffer.write(line.encode("ascii") + b"\n")
        sys.stdout.buffer.flush()

    def play(self) -> None:
        """Announce itself, play every step, and say the last word if no step said it."""
        self.emit("start", **self.plan["start"], **found_in_workspace())
        for step in self.plan["steps"]:
            act: Callable[[Step], None] = getattr(self, "do_" + step["do"])
            act(step)
        if not self.ended:
            self.do_finish({"finish": "completed", "reason": ""})

    def call(self, name: str, given: Step, step: Step) -> str:
        """Tell that a tool is used; its id."""
        self.calls += 1
        call_id = step.get("id") or f"call-{self.calls}"
        told = {"skill": step["skill"]} if step.get("skill") else {}
        self.emit("tool", id=call_id, name=name, input=given, thread=step.get("thread"), **told)
        return call_id

    def result(self, call_id: str, content: str, *, error: bool = False, **more: Any) -> None:
        """Tell what came back from a tool."""
        self.emit("result", id=call_id, content=content, is_error=error, **more)

    def do_say(self, step: Step) -> None:
        """A text, or reasoning."""
        self.emit("message", text=step["text"], kind=step["kind"], thread=step.get("thread"))

    def do_report(self, step: Step) -> None:
        """The closing text of a behaviour; names the command that was run and how it ended."""
        text = step["text"]
        if step["with_command"]:
            text += " Nothing was run."
            if self.last_run is not None:
                text = f"{step['text']} `{self.last_run[0]}` ended with exit code {self.last_run[1]}."
        self.emit("message", text=text, kind="text", thread=None)

    def do_tool(self, step: Step) -> None:
        """A tool call with a made-up result; nothing is executed."""
        call_id = self.call(step["name"], step["input"], step)
        if step["result"] is not None:
            more = {"exit_code": step["exit_code"]} if step.get("exit_code") is not None else {}
            self.result(call_id, step["result"], error=step["error"], **more)

    def do_deny(self, step: Step) -> None:
        """A tool call that was refused."""
        call_id = self.call(step["name"], step["input"], step)
        self.emit("denial", tool=step["name"], reason=step["reason"], id=call_id, thread=step.get("thread"))
        self.result(call_id, step["reason"], error=True)

    def do_emit(self, step: Step) -> None:
        """An event that is passed on as it stands."""
        self.emit(step["kind"], **step["fields"])

    def do_raw(self, step: Step) -> None:
        """A line of any content."""
        sys.stdout.buffer.write(step["raw"].encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.buffer.flush()

    def do_read(self, step: Step) -> None:
        """Read a file of the workspace, as far as it exists."""
        call_id = self.call("Read", {"file_path": step["path"]}, step)
        if not os.path.isfile(step["path"]):
            self.result(call_id, "no such file", error=True)
            return
        size = os.path.getsize(step["path"])
        self.read_bytes += size
        self.result(call_id, f"{size} bytes")

    def do_write(self, step: Step) -> None:
        """Write, append to or delete a file."""
        path, how = step["path"], step["how"]
        given = {"file_path": path} if how == "delete" else {"file_path": path, "content": step["content"]}
        call_id = self.call({"write": "Write", "append": "Edit", "delete": "Delete"}[how], given, step)
        try:
            self.change(path, how, step.get("content", "").encode("utf-8", "surrogatepass"))
        except OSError as error:
            self.result(call_id, f"{type(error).__name__}: {error.strerror}", error=True)
        else:
            self.result(call_id, f"{how} done")

    def change(self, path: str, how: str, content: bytes) -> None:
        """Carry out a change; raises OSError."""
        if how == "delete":
            import shutil

            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
            return
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "ab" if how == "append" else "wb") as file:
            file.write(content)
        self.written_bytes += len(content)

    def do_overlay(self, step: Step) -> None:
        """Copy a reference solution over the workspace, file by file, links followed."""
        import shutil

        for folder, subfolders, files in os.walk(step["source"], followlinks=True):
            subfolders.sort()
            for name in sorted(files):
                source = os.path.join(folder, name)
                path = os.path.relpath(source, step["source"])
                call_id = self.call("Write", {"file_path": path}, step)
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
                # What lies there may be a link or a directory; the solution has a file.
                if os.path.islink(path):
                    os.unlink(path)
                elif os.path.isdir(path):
                    shutil.rmtree(path)
                shutil.copy(source, path)
                size = os.path.getsize(path)
                self.written_bytes += size
                self.result(call_id, f"wrote {size} bytes")

    def do_break(self, _: Step) -> None:
        """Break the first Python file that is no test, if there is one."""
        path = first_module()
        if path is None:
            return
        call_id = self.call("Edit", {"file_path": path}, {})
        self.change(path, "append", BROKEN)
        self.result(call_id, f"wrote {len(BROKEN)} bytes")

    def do_run(self, step: Step) -> None:
        """Run a shell command in the workspace, in the agent's own environment."""
        import subprocess  # noqa: TID251 - this file is a program of its own, not part of the package at run time
        import tempfile

        command = step["command"]
        if command is None:
            command = "python -m unittest discover -s tests" if os.path.isdir("tests") else "ls"
        call_id = self.call("Bash", {"command": command}, step)
        # A file, not a pipe: a child that lives on and holds the output must not hold the agent.
        with tempfile.TemporaryFile() as output:
            try:
                code = subprocess.run(
                    ["/bin/sh", "-c", command],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=step.get("timeout_s"),
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                code = None
            size = output.seek(0, os.SEEK_END)
            output.seek(max(0, size - OUTPUT_KEPT))
            told = output.read().decode("utf-8", "replace")
        if code is not None and code < 0:
            code = 128 - code  # ended by a signal: told as a shell tells it
        self.last_run = (command, code)
        if code is None:
            self.result(call_id, told, error=True, timed_out=True)
        else:
            self.result(call_id, told, error=code != 0, exit_code=code)

    def do_tokens(self, step: Step) -> None:
        """Tell usage that grows with the prompt, what was read and what was written."""
        base = 200 + len(self.prompt) // 4 + self.read_bytes // 4
        given = int(base * step["multiplier"])
        output = int((40 + self.written_bytes // 4) * step["multiplier"])
        self.emit(
            "usage",
            input=given,
            cache_read=128,
            cache_write=0,
            output=output,
            reasoning=0,
            calls=step["calls"],
        )
        if step["usd_per_1k_tokens"] is not None:
            self.emit("cost", usd=round((given + 128 + output) / 1000 * step["usd_per_1k_tokens"], 6))

    def do_sleep(self, step: Step) -> None:
        """Do nothing for a while."""
        time.sleep(step["seconds"])

    def do_hang(self, _: Step) -> None:
        """Do nothing for ever."""
        while True:
            time.sleep(3600)

    def do_exit(self, step: Step) -> None:
        """Exit at once, without a last word unless one was said before."""
        if step.get("stderr"):
            sys.stderr.write(step["stderr"] + "\n")
        sys.stderr.flush()
        os._exit(step["code"])

    def do_finish(self, step: Step) -> None:
        """Say the last word; the program may still go on."""
        self.ended = True
        self.emit("end", finish=step["finish"], reason=step["reason"])


def found_in_workspace() -> Step:
    """The instruction files and skills that an agent started here would load."""
    instructions = [name for name in ("AGENTS.md", "CLAUDE.md") if os.path.isfile(name)]
    skills = os.path.join(".claude", "skills")
    found = sorted(os.listdir(skills)) if os.path.isdir(skills) else []
    named = [name for name in found if os.path.isfile(os.path.join(skills, name, "SKILL.md"))]
    return {"instruction_files": instructions, "skills": named}


def first_module() -> str | None:
    """The first Python file without `test` in its path: files before folders, by name."""
    for folder, subfolders, files in os.walk("."):
        subfolders[:] = sorted(
            name for name in subfolders if not name.startswith(".") and name not in SKIPPED_FOLDERS
        )
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name))
            if name.endswith(".py") and not name.startswith(".") and "test" not in path:
                return path
    return None


def main() -> None:
    """Read plan and prompt, remove both traces, play."""
    with open(sys.argv[1], "rb") as file:
        plan = json.loads(file.read())
    folder = os.path.dirname(os.path.abspath(sys.argv[1]))
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)
    prompt = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    Agent(plan, prompt).play()


if __name__ == "__main__":
    main()
