"""The JSON Schemas of all formats, by name."""

from __future__ import annotations

from collections.abc import Callable

from bakeoff.dialects.ablate import json_schema as ablate
from bakeoff.dialects.agent_exam import json_schema as agent_exam
from bakeoff.dialects.harness_lab import json_schema as harness_lab
from bakeoff.dialects.json_schema import Schema
from bakeoff.dialects.native import json_schema as native

FORMATS: dict[str, Callable[[], Schema]] = {
    "native": native.suite_schema,
    "native-task": native.task_schema,
    "ablate": ablate.task_schema,
    "agent-exam-task": agent_exam.task_schema,
    "agent-exam-config": agent_exam.config_schema,
    "agent-exam-suite": agent_exam.suite_schema,
    "harness-lab-suite": harness_lab.suite_schema,
    "harness-lab-task": harness_lab.task_schema,
    "harness-lab-experiment": harness_lab.experiment_schema,
}
"""What each kind of file can hold."""
