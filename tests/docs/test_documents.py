"""The runner of documentation notices when a page is wrong."""

import os

import pytest
from support.documents import PageWrongError, blocks_of, commands_of, matches, run_page


@pytest.fixture
def run(tmp_path):
    """Runs a page that is given as text; returns how much was run."""
    work = tmp_path / "page"
    work.mkdir()

    def run_text(text):
        page = tmp_path / "page.md"
        page.write_text(text)
        return run_page(page, work, os.environ)

    return run_text


def test_files_are_written_and_commands_see_them_and_where_they_are(run):
    page = """
```yaml title=a/b.yaml
key: 1
```

```console
$ mkdir -p c && cat a/b.yaml
key: 1
$ cd c
$ pwd
.../page/c
```

```bash
test "$(basename "$PWD")" = c
cd ..
```

```console
$ ls \\
  a
b.yaml
```
"""
    assert run(page) == 5


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        (
            "```console\n$ echo one\ntwo\n```",
            "page.md:2: $ echo one\n--- the page says\ntwo\n--- it printed\none",
        ),
        ("```console\n$ false\n```", "exit code 1, not 0"),
        ("```console exit=1\n$ true\n```", "exit code 0, not 1"),
        ("```console exit=1\n$ false\n$ false\n```", "page.md:2: $ false\nexit code 1, not 0"),
        ("```bash\nfalse\ntrue\n```", "exit code 1, not 0"),
        ("text\n```yaml\na: 1\n```", "page.md:2: give it title=PATH"),
        ("```console\n$ true", "page.md:1: this block is never closed"),
        ("```console\necho no prompt\n```", "page.md:2: expected `$ command`"),
        ("```console skip\n$ false\n```", "no attribute of a block: skip"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(run, page, complaint):
    with pytest.raises(PageWrongError) as error:
        run(page)
    assert complaint in str(error.value)


def test_blocks_that_are_marked_are_not_run(run):
    page = """
```console needs="a key of your own"
$ false
```
```console runs=ci
$ false
```
```yaml fragment
a: 1
```
```text
just shown
```
"""
    assert run(page) == 0


def test_a_failing_command_is_fine_where_the_page_says_so(run):
    assert run("```console exit=3\n$ true\n$ echo why >&2; exit 3\nwhy\n```") == 2


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a  b", "a b", True),
        ("took ... s", "took 1.25 s", True),
        ("took ... s", "took 1.25 m", False),
        ("a\n...\nz", "a\nb\n\nc\nz", True),
        ("a\n...\nz", "a\nz", True),
        ("a\n...", "a", True),
        ("a", "a\nb", False),
        ("a\nb", "b\na", False),
        ("1.5 (x)", "1x5 (x)", False),
        ("...", "", True),
    ],
)
def test_output_is_compared_loosely_where_the_page_says_so(expected, actual, same):
    assert matches(tuple(expected.splitlines()), actual.splitlines()) is same


def test_longer_fences_hold_shorter_ones(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "````markdown\n```console\n$ false\n```\n````\n\n1. item\n\n   ```console\n   $ echo x\n   ```\n"
    )
    blocks = list(blocks_of(page))
    assert [block.language for block in blocks] == ["markdown", "console"]
    assert [command.text for command in commands_of(blocks[1])] == ["echo x"]
