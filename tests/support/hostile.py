"""What agents may do to a workspace to confuse, hide from or break whoever looks at it afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

BASE: dict[str, str | bytes] = {
    ".gitignore": "*.log\nbuild/\n",
    "app.py": "def add(a, b):\n    return a - b\n",
    "docs/guide.md": "# Guide\n",
    "data/bytes.bin": bytes(range(256)),
    "pkg/__init__.py": "",
    "pkg/mod.py": "x = 1\n",
    "pkg/sub/deep.py": "y = 2\n",
    "tests/test_app.py": "import app\n",
    "node_modules/tracked.js": "tracked\n",
    "tool.sh": "#!/bin/sh\n",
}

Act = Callable[[Path], None]
CASES: dict[str, Act] = {}


def case(act: Act) -> Act:
    """Register a case under its own name."""
    CASES[act.__name__] = act
    return act


def sh(path: Path, script: str) -> None:
    """Run a shell script as the agent would."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "GIT_ALLOW_PROTOCOL": "file",
        "TRAP": str(path.parent / "trap"),
    }
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", script], cwd=path, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def script(name: str, text: str) -> None:
    """Register a case that is a shell script; `$TRAP` is a file that no one should make."""
    CASES[name] = lambda path: sh(path, text)


script("nothing", "true")
script("reads_only", "cat app.py > /dev/null; git status > /dev/null; git log > /dev/null")
script(
    "edit_add_delete_rename",
    "echo '# more' >> app.py; mkdir -p new/dir; echo n > new/dir/n; rm docs/guide.md; mv pkg/mod.py pkg/renamed.py",
)
script("modes", "chmod +x app.py; chmod 600 docs/guide.md; chmod 777 pkg/mod.py; echo >> pkg/mod.py")
script("nested_repository_with_commit", "mkdir n; cd n; git init -q; echo x > f; git add f; git commit -qm n")
script(
    "nested_repository_without_commit",
    "git init -q zz; echo hidden > zz/f; git init -q pkg/sub; echo >> pkg/sub/deep.py",
)
script(
    "submodule",
    "git init -q ../other; (cd ../other; echo s > s; git add s; git commit -qm s);"
    "git submodule -q add ../../$(basename $(dirname $PWD))/other vendored; git commit -qm sub; rm -rf ../other",
)
script("nested_git_file", "mkdir n; echo 'gitdir: /etc' > n/.git; echo x > n/x; ln -s /etc pkg/.git")
script("commit", "echo >> app.py; git add -A; git commit -qm c; echo 2 > after")
script("amend", "echo >> app.py; git commit -qa --amend -m amended")
script(
    "branch_and_reset",
    "git checkout -qb b; echo >> app.py; git commit -qam c; git checkout -q --orphan o; git rm -rq --cached .",
)
script("packed_references", "echo >> app.py; git commit -qam c; git gc -q --prune=now; git pack-refs --all")
script("git_removed", "rm -rf .git; echo >> app.py")
script("git_linked_away", "mv .git ../.g; ln -s ../.g .git; echo x > new")
script("git_file", "rm -rf .git; echo 'gitdir: /etc' > .git; echo x > new")
script("git_made_again", "rm -rf .git; git init -q; git add -A; git commit -qm mine; echo x > new")
script("git_unreadable", "chmod 000 .git; echo x > new")
script("core_worktree", "git config core.worktree /; echo x > new")
script("junk_index", "head -c 5000 /dev/urandom > .git/index; echo x > new; rm app.py")
script(
    "junk_repository",
    "echo junk > .git/HEAD; echo '[broken' > .git/config; rm -rf .git/objects; echo x > new",
)
script(
    "hidden_from_status",
    "git update-index --assume-unchanged app.py; git update-index --skip-worktree pkg/mod.py; echo >> app.py; echo >> pkg/mod.py",
)
script("ignores_itself", "echo '*' > .gitignore; echo x > tests/conftest.py; echo y > build.log")
script("excludes_itself", "echo '*' >> .git/info/exclude; echo x > tests/conftest.py")
script("ignored_by_the_base", "mkdir build; echo o > build/out; echo l > x.log; echo l > pkg/y.log")
script(
    "attributes",
    "printf '* text eol=crlf ident filter=f diff=d working-tree-encoding=UTF-16LE-BOM\\n' > .gitattributes;"
    "git config filter.f.clean 'touch $TRAP; cat'; git config diff.d.textconv 'touch $TRAP; cat';"
    "printf 'a\\r\\nb\\n$Id$\\n' > crlf.txt",
)
script(
    "hooks_and_monitor",
    "git config core.fsmonitor 'touch $TRAP; echo'; git config core.hooksPath .hooks; git config core.pager 'touch $TRAP';"
    "mkdir .hooks .git/hooks; printf '#!/bin/sh\\ntouch $TRAP\\n' > .hooks/pre-commit; chmod +x .hooks/pre-commit;"
    "cp .hooks/pre-commit .git/hooks/post-checkout",
)
script(
    "replaced_objects",
    "git replace $(git rev-parse HEAD:app.py) $(echo other | git hash-object -w --stdin); echo x > new",
)
script("alternates_and_grafts", "echo /etc > .git/objects/info/alternates; echo > .git/info/grafts")
script("stash", "echo >> app.py; git stash -q; echo x > new")
script(
    "links",
    "ln -s /etc/passwd p; ln -s /etc e; ln -s loop loop; ln -s nothing d; ln -s .. up; ln -s app.py l",
)
script("folder_to_link", "rm -rf pkg; ln -s /etc pkg; rm app.py; ln -s /etc/passwd app.py")
script("swapped_kinds", "rm -rf pkg; echo x > pkg; rm app.py; mkdir -p app.py/a; echo x > app.py/a/b")
script("link_retargeted", "ln -s a l; rm l; ln -s b l; rm tool.sh; ln -s tool.sh tool.sh")
script("hard_links", "ln app.py again.py; ln /etc/hostname h 2>/dev/null || true")
script("pipe_in_place_of_a_file", "rm app.py; mkfifo app.py; mkfifo tests/pipe")
script("empty_folders", "mkdir -p e/m/p; rm -rf docs/*; mkdir 'with\nline'")
script(
    "unsafe_names",
    "mkdir .GIT d d/.Git; echo f > .GIT/f; echo c > d/.Git/config; ln -s app.py .gitmodules; ln -s x docs/.gitattributes",
)
script("case_rename", "git mv app.py App.py; mv docs Docs")
script(
    "no_rights",
    "chmod 000 app.py; chmod 000 pkg; mkdir z; echo x > z/x; chmod 000 z; chmod 555 tests; chmod 444 docs",
)
script(
    "forged_times",
    "printf 'def add(a, b):\\n    return a + b\\n' > app.py; touch -r pkg/mod.py app.py;"
    "printf 'z = 1\\n' > pkg/mod.py; touch -d '2024-01-01 00:00:00 UTC' pkg/mod.py",
)
script("touched_only", "touch app.py pkg/mod.py; cp app.py a; mv a app.py; touch -d 2001-01-01 docs/guide.md")
script(
    "dependency_folders",
    "mkdir -p node_modules/left .venv/bin pkg/venv; echo x > node_modules/left/i.js; echo y > .venv/bin/python;"
    "echo z > pkg/venv/z; echo more >> node_modules/tracked.js",
)
script(
    "caches",
    "mkdir -p __pycache__ pkg/__pycache__ .pytest_cache .mypy_cache/3 .ruff_cache .hypothesis;"
    "for d in __pycache__ pkg/__pycache__ .pytest_cache .mypy_cache/3 .ruff_cache .hypothesis; do echo c > $d/c; done;"
    "echo b > pkg/mod.pyc",
)
script("everything_removed", "rm -rf ./* .gitignore")
script("many_files", "mkdir many; cd many; i=0; while [ $i -lt 1500 ]; do echo $i > $i; i=$((i+1)); done")


@case
def odd_names(path: Path) -> None:
    names = [
        b"new\nline",
        b'quo"te',
        b"t\tab",
        b"byte\xe9",
        b"back\\slash",
        b"caf\xc3\xa9",
        b" ",
        b"-rf",
        b":(exclude)x",
    ]
    for name in [*names, b"*", b"\x01\x7f", b"~", b"a" * 255]:
        with open(os.path.join(os.fsencode(path), name), "wb") as file:
            file.write(b"x\n")
        os.makedirs(os.path.join(os.fsencode(path), b"dir", name))
        with open(os.path.join(os.fsencode(path), b"dir", name, name), "wb") as file:
            file.write(b"y\n")


@case
def large_files(path: Path) -> None:
    (path / "large.bin").write_bytes(os.urandom(3_000_000))
    with open(path / "sparse", "wb") as file:
        file.truncate(5 * 1024**3)
    (path / "data" / "bytes.bin").write_bytes(bytes(2_000_000))


@case
def sockets_and_devices(path: Path) -> None:
    place = os.getcwd()
    os.chdir(path)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("s")
    finally:
        os.chdir(place)
    if os.getuid() == 0:
        os.mknod(path / "null", 0o020666, os.makedev(1, 3))


@case
def fifteen_hundred_deep(path: Path) -> None:
    _deep(path, b"d", 1500)


@case
def longer_than_any_path(path: Path) -> None:
    _deep(path, b"n" * 200, 40)


@case
def deeper_than_is_looked_at(path: Path) -> None:
    _deep(path / "tests", b"d", 2100)


def _deep(path: Path, name: bytes, levels: int) -> None:
    place = os.open(path, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=place)
        inner = os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    file = os.open(b"f", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=place)
    os.write(file, b"deep\n")
    os.close(file)
    os.close(place)


@case
def folder_moved_in(path: Path) -> None:
    shutil.copytree(path / "pkg", path.parent / "moved")
    os.rename(path.parent / "moved", path / "pkg2")
