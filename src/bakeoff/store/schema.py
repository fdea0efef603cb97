"""The tables of a store: facts to select by as columns, each whole record beside them as strict JSON.

Columns repeat facts of a record so that a query can use them; a record is always read back
from its JSON. What changes after an experiment has started (status, end, owner) is JSON of its
own, `state`. Text that an agent wrote stands in JSON only, which is plain ASCII: no database can
stumble over it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 1
"""Raised with every change of the tables; a store with a higher one is refused."""

METADATA = MetaData()

SCHEMA = Table(
    "bakeoff_schema",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("bakeoff_version", String(100), nullable=False),
)

EXPERIMENTS = Table(
    "experiments",
    METADATA,
    Column("id", String(200), primary_key=True),
    Column("name", Text, nullable=False, index=True),
    Column("suite", Text, nullable=False, index=True),
    Column("created_us", BigInteger, nullable=False, index=True),
    Column("status", String(40), nullable=False),
    Column("bakeoff_version", String(100), nullable=False),
    Column("state", Text, nullable=False),
    Column("record", Text, nullable=False),
)

TRIALS = Table(
    "trials",
    METADATA,
    Column("id", String(200), primary_key=True),
    Column("experiment", String(200), ForeignKey("experiments.id"), nullable=False),
    Column("suite", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("arm", Text, nullable=False),
    Column("repeat_number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("outcome", String(40), nullable=False),
    Column("void_reason", String(40)),
    Column("ending", String(40), nullable=False),
    Column("score", Float(53)),
    Column("weight", Float(53), nullable=False),
    Column("agent_s", Float(53)),
    Column("cost_usd", Float(53)),
    Column("cost_source", String(40), nullable=False),
    Column("harness", Text, nullable=False),
    Column("harness_version", Text),
    Column("model_asked", Text),
    Column("model_answered", Text, nullable=False),
    Column("task_digest", String(64), nullable=False, index=True),
    Column("prompt_digest", String(64), nullable=False),
    Column("checks_digest", String(64), nullable=False),
    Column("contents_digest", String(64), nullable=False),
    Column("setup_digest", String(64), nullable=False),
    Column("placements_digest", String(64), nullable=False),
    Column("options_digest", String(64), nullable=False),
    Column("arm_digest", String(64), nullable=False, index=True),
    Column("environment_digest", String(64), nullable=False),
    Column("base_commit", String(64)),
    Column("baseline_tree", String(64)),
    Column("final_tree", String(64)),
    Column("sandbox", Text, nullable=False),
    Column("bakeoff_version", String(100), nullable=False),
    Column("record", Text, nullable=False),
    UniqueConstraint("experiment", "suite", "task", "arm", "repeat_number", name="one_record_per_trial"),
    Index("trials_in_order", "experiment", "position"),
)

VERDICTS = Table(
    "verdicts",
    METADATA,
    Column("trial", String(200), ForeignKey("trials.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("check_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("aspect", String(40), nullable=False),
    Column("required", Boolean, nullable=False),
    Column("status", String(40), nullable=False),
    Column("code", Text, nullable=False),
    Column("score", Float(53)),
    Column("duration_s", Float(53)),
    Column("record", Text, nullable=False),
)
