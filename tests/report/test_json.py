"""JSON reports: strict, versioned, with keys that stay."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.experiments import demo_experiment, demo_trials
from support.record_strategies import trials as any_trials
from support.records import a_trial, a_verdict, an_experiment

from bakeoff.model.trajectory import Message, ToolCall, Trajectory
from bakeoff.model.trial import TrialRecord
from bakeoff.report.json import experiment_json, text_json, trajectory_json, trial_json, verdicts_json
from bakeoff.report.trial_view import trial_view
from bakeoff.report.view import experiment_view


def strictly(text: str) -> dict[str, Any]:
    """Read JSON as a strict reader does: no NaN, no infinity, no lone surrogate."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert text.isascii()
    document: dict[str, Any] = json.loads(text, parse_constant=refuse)
    json.dumps(document, ensure_ascii=False).encode("utf-8")
    return document


def test_an_experiment_says_what_it_is_and_what_came_of_it() -> None:
    document = strictly(experiment_json(experiment_view(demo_experiment(), demo_trials())))
    assert (document["schema"], document["version"]) == ("bakeoff.experiment", 1)
    experiment = document["experiment"]
    arm = experiment["arms"][1]
    assert arm["rate"] == {
        "passed": 0,
        "judged": 2,
        "value": 0.0,
        "weighted": False,
        "if_void_failed": 0.0,
        "if_void_passed": 1 / 3,
        "interval": None,
    }
    assert arm["outcomes"] == {"fail": 1, "timeout": 1, "void": 1}
    assert arm["spending"] == {"usd": 0.05, "by_source": {"reported": 0.05}, "unpriced": 2}
    assert [trial["address"] for trial in experiment["trials"]][1] == (
        "exp_0a1b2c3d4e5f6a7b8::demo::month-end::confident::1"
    )


def test_the_keys_stay() -> None:
    """A key that goes away or is renamed breaks somebody's program: raise the version then."""
    document = strictly(experiment_json(experiment_view(demo_experiment(), demo_trials())))
    experiment = document["experiment"]
    assert set(document) == {"schema", "version", "experiment"}
    assert set(experiment) >= {
        "id", "name", "suite", "status", "status_reason", "created_at", "finished_at", "planned", "recorded",
        "outcomes", "spending", "cautions", "arms", "tasks", "checks", "style_checks", "trials",
    }  # fmt: skip
    assert set(experiment["arms"][0]) >= {
        "id", "harness", "model", "outcomes", "void_reasons", "endings", "rate", "score", "agent_s", "tokens",
        "spending", "denials", "retries",
    }  # fmt: skip
    assert set(experiment["trials"][0]) >= {
        "id", "address", "task", "arm", "repeat", "outcome", "void_reason", "ending", "why", "score",
        "agent_s", "tokens", "cost_usd", "cost_source", "verdicts",
    }  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(record=any_trials)
def test_whatever_an_agent_did_the_json_is_strict(record: TrialRecord) -> None:
    document = strictly(trial_json(trial_view(an_experiment(), record)))
    assert document["trial"]["line"]["outcome"] == record.outcome
    assert document["trial"]["usage"]["cost_usd"] == record.usage.cost_usd
    strictly(experiment_json(experiment_view(an_experiment(), [record])))


def test_unknown_is_null_and_evidence_is_whole() -> None:
    evidence = "line\n" * 5_000
    trial = a_trial(skills=None, score=None, verdicts=[a_verdict(evidence=evidence, document={"a": [1]})])
    document = strictly(trial_json(trial_view(an_experiment(), trial)))["trial"]
    assert document["skills"] is None
    assert document["line"]["score"] is None
    assert document["tools"] is None
    assert document["verdicts"][0]["evidence"] == evidence
    assert document["verdicts"][0]["document"] == {"a": [1]}


def test_the_verdicts_of_a_check() -> None:
    trial = a_trial(outcome="fail")
    document = strictly(verdicts_json([("exp::a::b::c::1", trial, trial.verdicts[0])]))
    assert document["schema"] == "bakeoff.verdicts"
    found = document["verdicts"][0]
    assert (found["trial"], found["outcome"], found["verdict"]["status"]) == (
        "exp::a::b::c::1", "fail", "failed",
    )  # fmt: skip


def test_a_trajectory_with_what_no_strict_reader_takes() -> None:
    trajectory = Trajectory(
        steps=(Message(text="a\ud800"), ToolCall(id="1", name="x", input={"\udfff": float("nan")}))
    )
    document = strictly(trajectory_json("exp::a::b::c::1", trajectory))
    assert document["schema"] == "bakeoff.trajectory"
    assert document["steps"][0] == {"step": "message", "text": "a\\ud800", "kind": "text", "thread": None}
    assert document["steps"][1]["input"] == {"\\udfff": "nan"}
    assert document["final_text"] is None


@given(content=st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_bytes_are_text_where_they_are(content: bytes) -> None:
    document = strictly(text_json("bakeoff.diff", "exp::a::b::c::1", content))
    if document["exact"]:
        assert document["text"].encode("utf-8") == content
    else:
        assert "\\x" in document["text"]
