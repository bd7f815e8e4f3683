# The project's commands. Each makes what it needs; `make clean` takes all of it away again.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
REPORT := .memory/local/reports/tests.xml

.PHONY: help demo test check wheel bench clean

help:
	@echo "make demo    install into $(VENV) and run the main job on the worked example"
	@echo "make test    install into $(VENV) and run the tests"
	@echo "make check   lint, types, import rules, our own trace, and the built wheel in a clean environment"
	@echo "make fresh   run demo and test in a new, minimal Debian system (needs root and debootstrap)"
	@echo "make bench   the benchmarks"
	@echo "make clean   remove what these made"

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "vfcc needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	$(BIN)/python docs/demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist worksteal --ignore tests/wheel --junitxml=$(REPORT)

# Only where there is none: what is older than the code is told by the check itself, and `make test` makes it anew.
$(REPORT): | $(READY)
	$(BIN)/python -m pytest -q -n auto --dist worksteal --ignore tests/wheel --junitxml=$(REPORT)

check: $(READY) $(REPORT)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/pure/test_imports.py
	$(BIN)/vfcc config check
	$(BIN)/vfcc check trace --junit $(REPORT)
	$(BIN)/python -m pytest -q tests/wheel

.PHONY: fresh
fresh:
	.ci/fresh

bench: $(READY)
	$(BIN)/python benchmarks/commands.py

clean:
	rm -rf $(VENV) .demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis $(REPORT)
