# Every target does its own set-up in .venv; `make help` lists them.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
            $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && break; done)
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes

.DEFAULT_GOAL := help
.PHONY: help data test test-slow bench lint format docs system pins clean

help:  ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

data: $(VENV)/.run  ## deal games 1..1,000,000 into data/ms1m and check them (set-up included)
	$(BIN)/dealbook build configs/ms1m.toml --jobs $(JOBS)
	$(BIN)/dealbook check data/ms1m --jobs $(JOBS)

test: $(VENV)/.dev system  ## run the default tests (set-up included)
	$(BIN)/python -m pytest

test-slow: $(VENV)/.dev $(VENV)/.spark system  ## run the slow tests too: the whole million, every solution of 1..32,000, Spark
	$(BIN)/python -m pytest -m "slow or not slow"

bench: $(VENV)/.dev system  ## measure, and print the table of ratios with versions
	$(BIN)/python -m tests.bench

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev  ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev  ## write the pages that are made from the code
	$(BIN)/python -m tests.generated_docs

# Freecell Solver's programs are oracles of the tests, Chromium looks at the report; without root the tests that need them skip.
SYSTEM := freecell-solver-bin chromium chromium-driver gcc libc6-dev
system:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(SYSTEM) >/dev/null 2>&1; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SYSTEM) >/dev/null; fi

pins: $(VENV)/.run  ## resolve the pinned versions in constraints/ anew
	$(BIN)/python -m pip install --quiet 'uv>=0.9'
	$(BIN)/uv pip compile pyproject.toml $(UV) --group build -o constraints/run.txt
	$(BIN)/uv pip compile pyproject.toml $(UV) --group build --group test --group lint \
	  --extra cluster --extra cloud --extra report --extra publish -o constraints/dev.txt
	$(BIN)/uv pip compile pyproject.toml $(UV) --group build --group spark -c constraints/dev.txt -o constraints/spark.txt
UV := --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade

clean:  ## remove the virtual environment and the caches, never data
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@[ -n "$(PYTHON)" ] || { echo "make: Python 3.11, 3.12 or 3.13 is needed; name one with PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: constraints/run.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) -r constraints/run.txt
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: constraints/dev.txt $(VENV)/.run
	$(PIP) -r constraints/dev.txt
	@touch $@

$(VENV)/.spark: constraints/spark.txt $(VENV)/.dev
	$(PIP) -r constraints/spark.txt
	@touch $@
