"""What an agent may try in order to learn more than it was given: commands, and where it notes the answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NOTES = "notes"
"""The folder of the workspace in which a spy writes down what each attempt told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What there is to be found, as the test knows it.

    Attributes:
        source: the repository or folder that the task starts from.
        project: the directory with the suite.
        files: the suite, the tasks and other files of the user.
        store: the store's home.
        temporary: where workspaces lie.
        objects: ids of commits, trees and blobs of the source that are not part of the start.
        hidden_name: the name of a hidden file.
        markers: texts that stand in hidden places.
    """

    source: Path
    project: Path
    files: Sequence[Path]
    store: Path
    temporary: Path
    objects: Sequence[str]
    hidden_name: str
    markers: Sequence[str]


def attempts_in_git(target: Target) -> dict[str, str]:
    """Everything that git can tell about other commits, in the workspace's repository."""
    ids = " ".join(target.objects)
    return {
        "log": "git log --all --format='%H %an %s %b'",
        "objects-asked": f"for id in {ids}; do git cat-file -t $id; git cat-file -p $id; git show $id; done",
        "every-object": "git cat-file --batch-all-objects --batch --unordered",
        "fsck": "git fsck --full --lost-found --unreachable; find .git/lost-found -type f -exec cat {} +",
        "references": "git reflog --all; git stash list; git branch -a; git remote -v; git tag; git for-each-ref;"
        "git notes list; git worktree list; git submodule status; git config --list --show-origin",
        "git-files": "find .git -type f ! -name '*.pack' ! -name '*.idx' -exec cat {} +; ls -laR .git",
        "alternates": "cat .git/objects/info/alternates .git/commondir .git/gitdir .git/shallow",
        "history": "git rev-list --all --objects; git log -p --all; git log -g -p",
    }


def attempts_to_reach_the_source(target: Target) -> dict[str, str]:
    """Asking the source repository itself, by its path."""
    return {
        "clone": f"git clone '{target.source}' $TMPDIR/clone && cat $TMPDIR/clone/*",
        "fetch": f"git fetch '{target.source}' 'refs/*:refs/stolen/*' && git log --all -p",
        "other-git-dir": f"git --git-dir='{target.source}/.git' log --all -p",
        "borrow": f"GIT_ALTERNATE_OBJECT_DIRECTORIES='{target.source}/.git/objects' git show {target.objects[0]}",
    }


def attempts_on_files(target: Target) -> dict[str, str]:
    """Reading and finding files of the user, the store and other trials."""
    places = f"'{target.source}' '{target.project}' '{target.store}' '{target.temporary}'"
    visible = "/workspace /home /root /tmp /var /etc /opt /srv /mnt /media /run /dev/shm /old_root"
    skipped = "-name .pyenv -o -name .cargo -o -name .rustup -o -name .nvm"
    grep = f"grep -rlF --exclude-dir={NOTES} --exclude-dir=.pyenv --exclude-dir=.cargo --exclude-dir=.rustup"
    return {
        "find-name": f"find / -name '{target.hidden_name}' -not -path '/proc/*'",
        "find-files": f"find {visible} \\( {skipped} \\) -prune -o -newermt 2025-01-01 -type f -print",
        "grep": "; ".join(f"{grep} -e '{marker}' {visible}" for marker in target.markers),
        "user-files": "; ".join(f"cat '{path}'" for path in target.files),
        "places": f"for place in {places}; do ls -laR $place; grep -r . $place | head -c 1000000; done",
        "above": "ls -la .. ../.. ../../.. ~ ~/.. ; cat ../* ../../*",
        "other-trials": f"cd '{target.temporary}' && find . -type f -exec cat {{}} +",
        "roots": "for p in /proc/[0-9]*; do ls -la $p/root/ $p/cwd/; cat $p/cwd/*; done",
    }


def attempts_on_processes() -> dict[str, str]:
    """Looking at other processes, mounts, and everything else that the kernel tells."""
    return {
        "environment": "printenv; export; set",
        "environments": "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
        "command-lines": "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ps auxwwe",
        "mounts": "cat /proc/[0-9]*/mountinfo; mount; df -a",
        "links": "ls -l /proc/[0-9]*/cwd /proc/[0-9]*/exe /proc/[0-9]*/root; ls -l /proc/[0-9]*/fd",
        "descriptors": "for f in /proc/[0-9]*/fd/*; do test -f $f && head -c 100000 $f; done",
        "kernel": "cat /proc/net/unix /proc/locks /proc/sysvipc/*; ipcs -a; dmesg; ls -laR /dev /sys | head -c 200000",
        "devices": "for d in /dev/[sv]d* /dev/mem /dev/kmsg; do head -c 100000 $d; done",
        "memory": "for p in /proc/[0-9]*; do head -c 1000000 $p/maps; done",
        "shared-memory": "ls -la /dev/shm /dev/mqueue; cat /dev/shm/* /dev/mqueue/*",
    }


def as_step(name: str, attempt: str) -> Mapping[str, str]:
    """A step of a scripted agent that tries something and notes what it printed.

    The command travels encoded, so that no name in it is found again in a list of processes.
    What it complains about is noted apart, with nothing of its own words that a test looks for.
    """
    encoded = base64.b64encode(attempt.encode()).decode()
    return {
        "run": f"mkdir -p {NOTES}; printf %s {encoded} | base64 -d | timeout 60 sh > {NOTES}/{name} 2>/dev/null; true"
    }


_LOOK = """
import base64, json, subprocess
given = json.loads(base64.b64decode("%s"))
for name, attempt in given["attempts"].items():
    done = subprocess.run(["sh"], input=attempt.encode(), capture_output=True, timeout=60)
    for marker in given["markers"]:
        if marker.encode() in done.stdout:
            print("FOUND", name, marker[:6])
print("LOOKED", len(given["attempts"]))
"""


def looking_program(attempts: Mapping[str, str], markers: Sequence[str]) -> str:
    """A Python program for a check to stumble over: it tries everything and prints what it found.

    The last line is `LOOKED` with the number of attempts; each find is a line `FOUND` before it.
    """
    given = json.dumps({"attempts": dict(attempts), "markers": list(markers)})
    return _LOOK % base64.b64encode(given.encode()).decode()
