"""Hypothesis strategies for records: any text a harness may send, any number JSON can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from bakeoff.model.trial import (
    ChangeRecord,
    Digests,
    Ending,
    Finding,
    Outcome,
    TrialRecord,
    UsageRecord,
    VerdictRecord,
    VoidReason,
)

# Lone surrogates included: harnesses send them.
any_text = st.text(st.characters(exclude_categories=()), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(min_value=0, max_value=2**53)
optional_numbers = st.none() | numbers
optional_counts = st.none() | counts
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(any_text, json_values, max_size=3)

verdicts = st.builds(
    VerdictRecord,
    check=any_text,
    type=any_text,
    aspect=st.sampled_from(["correctness", "style"]),
    required=st.booleans(),
    status=st.sampled_from(["passed", "failed", "error", "skipped"]),
    reason=any_text,
    code=any_text,
    evidence=any_text,
    score=optional_numbers,
    score_error=st.none() | any_text,
    numbers=st.dictionaries(any_text, numbers, max_size=3),
    document=json_values,
    duration_s=optional_numbers,
    known_issue=st.none() | any_text,
)

digests = st.builds(
    Digests,
    **dict.fromkeys(
        ["task", "prompt", "checks", "setup", "placements", "options", "arm", "environment"],
        st.text("0123456789abcdef", min_size=64, max_size=64),
    ),
    contents=st.dictionaries(any_text, any_text, max_size=2),
)

usages = st.builds(
    UsageRecord,
    input=optional_counts,
    output=optional_counts,
    cache_read=optional_counts,
    source=st.sampled_from(["reported", "unknown"]),
    cost_usd=optional_numbers,
    cost_source=st.sampled_from(["reported", "derived", "estimated", "unknown"]),
)

trials = st.builds(
    TrialRecord,
    id=st.just("trial_1"),
    experiment=st.just("exp_0a1b2c3d4e5f6a7b8"),
    suite=any_text,
    task=any_text,
    arm=any_text,
    repeat=st.integers(1, 1_000),
    order=st.integers(0, 10_000),
    outcome=st.sampled_from(Outcome),
    void_reason=st.none() | st.sampled_from(VoidReason),
    ending=st.sampled_from(Ending),
    detail=any_text,
    started_at=st.just("2026-03-01T10:00:00+00:00"),
    finished_at=st.just("2026-03-01T10:00:01+00:00"),
    agent_s=optional_numbers,
    exit_code=st.none() | st.integers(-255, 255),
    score=optional_numbers,
    weight=st.floats(0, 1e6),
    tags=st.lists(any_text, max_size=2),
    metrics=st.dictionaries(any_text, numbers, max_size=2),
    verdicts=st.lists(verdicts, max_size=3),
    usage=usages,
    skills=st.none() | st.lists(any_text, max_size=2),
    harness=any_text,
    harness_version=st.none() | any_text,
    model_asked=st.none() | any_text,
    model_answered=st.lists(any_text, max_size=2),
    session_id=st.none() | any_text,
    roster=st.none() | documents,
    changes=st.lists(st.builds(ChangeRecord, path=any_text, kind=any_text), max_size=2),
    findings=st.lists(st.builds(Finding, kind=any_text, detail=any_text), max_size=2),
    sandbox=any_text,
    protections=st.dictionaries(any_text, st.booleans(), max_size=2),
    digests=digests,
    environment=st.dictionaries(any_text, any_text, max_size=2),
    bakeoff_version=any_text,
    notes=documents,
    artifacts=st.dictionaries(any_text, any_text, max_size=2),
    timings=st.dictionaries(any_text, numbers, max_size=2),
)
