"""Print how many of the cases hold."""

import json
import os
import sys

sys.path.insert(0, os.getcwd())
sys.path.insert(0, os.path.dirname(__file__))

from cases import CASES, passed

held = [name for name in CASES if passed(name)]
result = {"score": len(held), "max_score": len(CASES), "metrics": {"cases_held": len(held), "cases": len(CASES)}}
with open(os.environ["HARNESSLAB_SCORE_FILE"], "w") as file:
    json.dump(result, file)
