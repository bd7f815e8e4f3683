# The project's commands. Each makes what it needs; `make clean` takes all of it away again.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
REPORT := .memory/local/reports/tests.xml
SWEEP_REPORT := .memory/local/reports/sweep.xml
FIGURES := .memory/local/reports/figures.jsonl
PYTEST := $(BIN)/python -m pytest -q --progress --durations 10 -n auto --dist worksteal --ignore tests/wheel
# Set TESTS to folders or files of tests to run those alone.
QUICK = $(PYTEST) -m "not sweep" --examples 10 --junitxml=$(REPORT) $(TESTS)

# Where this is set, each test process and each vfcc that they start compiles every module for itself.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo recording test sweep fresh matrix reference report screenshots screens check site dist bench clean

help:
	@echo "make demo    install into $(VENV) and show a gate that stays closed until the tests can fail"
	@echo "make report  the report of this project, into build/report"
	@echo "make test    install into $(VENV) and run the tests that take minutes, not quarters of an hour"
	@echo "make sweep   the other cases, and all examples of the laws; with SWEEP=full five times as many"
	@echo "make fresh   run demo and test in a new, minimal Debian system (needs root and debootstrap)"
	@echo "make matrix  run the tests on each Python from 3.11 to 3.14 that is installed"
	@echo "make reference   write the generated pages and tables of docs/ again"
	@echo "make check   lint, types, import rules, our own trace, the documentation and the built wheel"
	@echo "make site    build the documentation site into build/site; a dead link fails"
	@echo "make dist    build the source archive and the wheel into dist, and check what an index would show of them"
	@echo "make screens   write docs/screens again: what a person sees of ten commands"
	@echo "make bench   the benchmarks"
	@echo "make recording   run the demo and write docs/demo.svg"
	@echo "make screenshots   take the pictures of the documentation (needs chromium or google-chrome)"
	@echo "make clean   remove what these made"

# What users install, and pytest, which the demo runs. Python compiles what the demo imports, less than half of it.
$(INSTALLED): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "vfcc needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --no-compile --editable . 'pytest>=8.2'
	@touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(PIP) --editable '.[dev]'
	@touch $(READY)

# What builds the site and the release. `make test` does without it.
$(TOOLS): $(READY)
	$(PIP) --editable '.[docs,release]'
	@touch $(TOOLS)

demo: $(INSTALLED)
	$(BIN)/python docs/demo.py --report build/demo

# This project's own report, of the commit that is checked out.
report: $(INSTALLED)
	$(BIN)/vfcc report --html build/report

# The recording at the top of the README. A test compares it with what the demo prints.
recording: $(INSTALLED)
	$(BIN)/python docs/demo.py --svg docs/demo.svg

screenshots: $(INSTALLED)
	$(BIN)/python docs/screenshots.py

# What a person sees of ten commands. A test compares it with what they show now.
screens: $(READY)
	$(BIN)/python -m tests.screens

# The report of an earlier sweep is about other code, or will be.
test: $(READY)
	@rm -f $(SWEEP_REPORT)
	$(QUICK)

fresh:
	.ci/fresh

matrix:
	TESTS="$(TESTS)" .ci/matrix

# At its end, the figures of the faults: points, kills, hostile inputs, and how long hooks took beside writers.
sweep: $(READY)
	@rm -f $(FIGURES)
	$(PYTEST) -m "sweep or law" --examples $(if $(filter full,$(SWEEP)),500,100) --junitxml=$(SWEEP_REPORT)
	@cat $(FIGURES)

# Only where there is none: the check itself reports one that is older than the code, and `make test` replaces it.
$(REPORT): | $(READY)
	$(QUICK)

# The trace wants a result for each test that names an item, so those that only a sweep runs are run for it.
$(SWEEP_REPORT): | $(READY)
	$(PYTEST) -m "sweep and vfcc" --junitxml=$@

# Tests compare what these write.
reference: $(READY)
	$(BIN)/python docs/capabilities.py
	$(BIN)/python docs/schemas.py
	$(BIN)/python -m tests.completion_table
	$(BIN)/python -m tests.mcp_lists
	$(BIN)/python -m tests.plugin_folder
	$(BIN)/python -m tests.shipped_templates
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/example_report.py
	$(BIN)/python -m tests.trace_checks_page
	$(BIN)/python -m tests.memory_checks_page
	$(BIN)/python -m tests.item_types_page
	$(BIN)/python -m tests.who_may_page
	$(BIN)/python -m tests.tested_tables

# All pages are read again each time: warnings about a page in its cache would not be repeated.
site: $(TOOLS)
	rm -rf build/site
	$(BIN)/zensical build --strict --clean

check: $(TOOLS) $(REPORT) $(SWEEP_REPORT)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/pure/test_imports.py
	$(BIN)/vfcc check config
	$(BIN)/vfcc check trace
	$(MAKE) site
	$(BIN)/python -m pytest -q tests/wheel

# The wheel is built from the source archive, so that the archive is known to be whole.
dist: $(TOOLS)
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

bench: $(READY)
	$(BIN)/python benchmarks/commands.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache $(REPORT) $(SWEEP_REPORT)
