# Each target works as the first command in a fresh clone: it makes .venv, installs, runs.
# Needs Python 3.11 or newer, git and make. `make help` lists the targets.

VENV ?= .venv
BIN := $(VENV)/bin
RUNTIME_READY := $(VENV)/.runtime-ready
DEV_READY := $(VENV)/.dev-ready
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Two workers: the measure of a small machine and of CI. A file stays with one of them, since its
# tests may share what is costly to make. ARGS goes to pytest as it is.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile -q
ARGS ?=
DEFAULT := not real_cli and not setup_cache and not slow

.PHONY: help demo test test-all check fix docs fuzz bench agent-clis pins clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22

demo: $(RUNTIME_READY) ## three small tasks, three scripted agents, a real report; no key, no network
	@$(BIN)/bakeoff demo

test: $(DEV_READY) ## tests that need nothing but Python and git (ARGS="-k name" goes to pytest)
	@$(PYTEST) -m "$(DEFAULT)" $(ARGS)

test-all: $(DEV_READY) ## every test, with the real agent programs and the sandbox where they can be had
	@sh tools/install-agent-clis || echo "the agent programs could not be installed: their tests are skipped" >&2
	@sh tools/warm-caches $(BIN)/python || echo "packages could not be downloaded: their tests are skipped" >&2
	@$(PYTEST) $(ARGS)

check: $(DEV_READY) ## lint, formatting, types, layers, generated pages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/reference.py --check

fix: $(DEV_READY) ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(RUNTIME_READY) ## write docs/reference anew from the code
	@$(BIN)/python tools/reference.py

fuzz: $(DEV_READY) ## spoil files and streams for FUZZ_SECONDS (600): no traceback, no hang, bounded memory
	@$(BIN)/python tools/fuzz.py

bench: $(DEV_READY) ## run every benchmark, one after the other
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python "$$file" || exit 1; done

agent-clis: $(DEV_READY) ## download what test-all needs into .agent-clis: real agent programs (by npm), packages
	@sh tools/install-agent-clis
	@sh tools/warm-caches $(BIN)/python

pins: ## write requirements/*.txt anew from pyproject.toml
	@sh tools/pin-requirements

clean: ## remove everything that these targets made
	rm -rf $(VENV) .agent-clis .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

$(BIN)/python:
	@sh tools/make-venv $(VENV)

$(RUNTIME_READY): $(BIN)/python pyproject.toml requirements/runtime.txt
	@echo "installing Bakeoff into $(VENV) ..." >&2
	@$(PIP) install -r requirements/runtime.txt
	@$(PIP) install --no-deps --editable .
	@touch $@

$(DEV_READY): $(RUNTIME_READY) requirements/dev.txt
	@echo "installing the tools for tests and checks ..." >&2
	@$(PIP) install -r requirements/dev.txt
	@touch $@
