"""Searching diffs and files: `present` and `absent`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext

from bakeoff.checks.corpus import corpus_of_added_lines, corpus_of_diff, corpus_of_files
from bakeoff.checks.text import Absent, Present
from bakeoff.checks.unified import LineKind, read_diff
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Status, Verdict

APP = """\
diff --git a/src/app.py b/src/app.py
index 1111111..2222222 100644
--- a/src/app.py
+++ b/src/app.py
@@ -8,4 +8,5 @@ def run():
 import sys
-    except:
+    except ValueError:
+    raise
     pass
 done
@@ -30,2 +31,1 @@
-old
 kept
"""
NEW = """\
diff --git a/with space b.txt b/with space b.txt
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/with space b.txt\t
@@ -0,0 +1,3 @@
+++ b/fake
+-- a/fake
+last
\\ No newline at end of file
"""
GONE = """\
diff --git a/gone.py b/gone.py
deleted file mode 100644
index 4444444..0000000
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
--- a/secret
-x = 1
"""
MODE = """\
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""
EVIDENCE = MemoryEvidence(
    diffs={b"src/app.py": APP, b"with space b.txt": NEW, b"gone.py": GONE, b"run.sh": MODE},
    files={b"a.py": "one\ntwo", b"b/c.py": "three\nfour\n", b"caf\xe9.txt": "five\n", b"empty": ""},
)


def present(context: ShellContext, fields: dict[str, object], evidence: MemoryEvidence = EVIDENCE) -> Verdict:
    return Present.model_validate({"id": "p", **fields}).evaluate(evidence, context)


def absent(context: ShellContext, fields: dict[str, object], evidence: MemoryEvidence = EVIDENCE) -> Verdict:
    return Absent.model_validate({"id": "a", **fields}).evaluate(evidence, context)


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        (r"^\+    except ValueError", "src/app.py:9"),
        (r"^\+    raise", "src/app.py:10"),
        (r"^-    except:", "src/app.py:9"),
        (r"^     pass", "src/app.py:11"),
        (r"^-old", "src/app.py:31"),
        (r"^ kept", "src/app.py:31"),
        (r"^@@ -8", "src/app.py"),
        (r"^new file mode", "with space b.txt"),
        (r"^\+\+\+ b/fake", "with space b.txt:1"),
        (r"^\+last", "with space b.txt:3"),
        (r"^--- a/secret", "gone.py"),
        (r"^new mode 100755", "run.sh"),
    ],
)
def test_the_whole_diff_is_searched_and_matches_are_placed(
    context: ShellContext, pattern: str, place: str
) -> None:
    verdict = present(context, {"pattern": pattern})
    assert verdict.status is Status.PASSED
    assert verdict.evidence.startswith(f"{place}: ")
    assert verdict.reason.endswith(f"in the diff, first at {place}")
    against = absent(context, {"pattern": pattern})
    assert against.status is Status.FAILED
    assert f"first at {place}" in against.reason


def test_what_is_not_there_is_absent(context: ShellContext) -> None:
    assert present(context, {"pattern": "nowhere"}).status is Status.FAILED
    assert absent(context, {"pattern": "nowhere"}).status is Status.PASSED
    assert absent(context, {"pattern": "anything"}, MemoryEvidence()).status is Status.PASSED
    assert (
        present(context, {"pattern": "anything"}, MemoryEvidence()).reason
        == "`anything` not found in the diff"
    )


def test_paths_limit_the_diff(context: ShellContext) -> None:
    assert present(context, {"pattern": "except", "paths": ["src/**"]}).status is Status.PASSED
    verdict = present(context, {"pattern": "except", "paths": ["docs/**", "*.md"]})
    assert verdict.status is Status.FAILED
    assert verdict.reason == "`except` not found in the diff of docs/**, *.md"


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        (r"^    except ValueError", "src/app.py:9"),
        (r"except ValueError:\n    raise\n", "src/app.py:9"),
        (r"^\+\+ b/fake$", "with space b.txt:1"),
        (r"^-- a/fake$", "with space b.txt:2"),
        (r"^last$", "with space b.txt:3"),
    ],
)
def test_added_lines_can_be_searched_alone(context: ShellContext, pattern: str, place: str) -> None:
    verdict = present(context, {"pattern": pattern, "lines": "added"})
    assert verdict.reason.endswith(f"in the lines that the diff adds, first at {place}")


@pytest.mark.parametrize(
    "pattern", ["except:", r"^\+", "import sys", "No newline", "secret", "new mode", "kept"]
)
def test_other_lines_are_not_added_lines(context: ShellContext, pattern: str) -> None:
    fields: dict[str, object] = {
        "pattern": pattern,
        "lines": "added",
        "paths": ["src/**", "gone.py", "run.sh"],
    }
    assert absent(context, fields).status is Status.PASSED


@pytest.mark.parametrize(
    ("pattern", "place"),
    [("one", "a.py:1"), ("^two$", "a.py:2"), ("four", "b/c.py:2"), ("five", r"caf\xe9.txt:1")],
)
def test_files_are_searched_where_they_are(context: ShellContext, pattern: str, place: str) -> None:
    verdict = present(context, {"pattern": pattern, "in": "files"})
    assert verdict.reason.endswith(f"in the files, first at {place}")


def test_files_are_searched_as_one_text_in_order_of_their_paths(context: ShellContext) -> None:
    assert present(context, {"pattern": "two\nthree", "in": "files"}).status is Status.PASSED
    assert (
        present(context, {"pattern": "two\nthree", "in": "files", "paths": ["a.py"]}).status is Status.FAILED
    )
    assert present(context, {"pattern": "one", "in": "files", "paths": ["b/**"]}).status is Status.FAILED


def test_a_long_pattern_is_cut_in_the_reason(context: ShellContext) -> None:
    verdict = present(context, {"pattern": "|".join(["word"] * 100)})
    assert verdict.reason.endswith("...` not found in the diff")
    assert len(verdict.reason) < 150


def test_the_first_matches_are_evidence(context: ShellContext) -> None:
    evidence = MemoryEvidence(files={b"many": "x\n" * 100, b"wide": "y" * 5000})
    verdict = absent(context, {"pattern": "x", "in": "files"}, evidence)
    lines = verdict.evidence.split("\n")
    assert lines[:2] == ["many:1: x", "many:2: x"]
    assert lines[20:] == ["[the first 20 matches]"]
    wide = absent(context, {"pattern": "y{5000}", "in": "files"}, evidence)
    assert len(wide.evidence) < 300


def test_a_search_that_takes_too_long_breaks_the_check(context: ShellContext) -> None:
    evidence = MemoryEvidence(files={b"a": "a" * 40 + "!"})
    with pytest.raises(CheckBroken, match="took longer than 5 s"):
        present(context, {"pattern": r"(a|a)*\Z", "in": "files"}, evidence)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "pattern"),
        ({"pattern": ""}, "must not be empty"),
        ({"pattern": "(a"}, "missing \\)"),
        ({"pattern": 5}, "valid string"),
        ({"pattern": "a", "in": "tree"}, "'diff' or 'files'"),
        ({"pattern": "a", "lines": "removed"}, "'all' or 'added'"),
        ({"pattern": "a", "in": "files", "lines": "added"}, "goes with `in: diff` only"),
        ({"pattern": "a", "paths": ["/etc/*"]}, "absolute"),
        ({"pattern": "a", "path": ["x"]}, "Extra inputs"),
    ],
)
def test_fields_that_cannot_be_meant_are_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Present.model_validate({"id": "p", **fields})


def test_the_field_has_a_name_for_yaml_and_one_for_python() -> None:
    assert Present(id="p", pattern="a", within="files") == Present.model_validate(
        {"id": "p", "pattern": "a", "in": "files"}
    )


def test_a_diff_is_read_line_by_line_without_loss() -> None:
    diff = APP + NEW + GONE + MODE
    lines = list(read_diff(diff))
    assert "".join(line.text for line in lines) == diff
    assert [line.text for line in lines if line.kind is LineKind.REMOVED] == [
        "-    except:\n",
        "-old\n",
        "--- a/secret\n",
        "-x = 1\n",
    ]
    assert [line.text for line in lines if line.file == "run.sh"] == MODE.splitlines(keepends=True)


LINES = st.lists(st.text(alphabet="ab+-@\\ \r\x0c\u2028", max_size=5), max_size=6)


@given(st.lists(st.tuples(st.sampled_from(["x", "y/z"]), LINES), max_size=4))
def test_added_lines_come_out_as_they_went_in(files: list[tuple[str, list[str]]]) -> None:
    diff = "".join(
        f"diff --git a/{name} b/{name}\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{len(lines)} @@\n"
        + "".join(f"+{line}\n" for line in lines)
        for name, lines in files
    )
    corpus = corpus_of_added_lines(diff)
    assert corpus.text == "".join(f"{line}\n" for _, lines in files for line in lines)
    assert corpus_of_diff(diff).text == diff
    offset = 0
    for name, lines in files:
        for number, line in enumerate(lines, start=1):
            assert corpus.place(offset) == f"{name}:{number}"
            assert corpus.line(offset) == line
            offset += len(line) + 1


@given(st.text(max_size=80))
def test_any_text_can_be_read_as_a_diff(text: str) -> None:
    assert corpus_of_diff(text).text == text


def test_an_empty_text_has_no_place() -> None:
    assert corpus_of_files([]).place(0) == "an empty text"


def test_a_pattern_is_told_as_it_was_written() -> None:
    assert Present(id="p", pattern=r"^\+x\\n").what == r"`^\+x\\n`"
    assert Absent(id="p", pattern="(?x)a\n  b").what == r"`(?x)a\n  b`"
