# Everything a newcomer needs; `make` alone prints the list.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# One resolution for every platform, with hashes; nothing younger than a week, against poisoned releases.
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --exclude-newer "7 days"

# The tests of verbs, steps and the worker; the others read, or show.
LOST_COMMITS := $(addprefix tests/,flows stories ledger approvals accounts wallets receipts rfis \
	virtual_accounts users kyc verification limits payments webhooks mail orgs reporting/schedules)

# Containers often forbid Python to keep bytecode. Without it, each start compiles hundreds of files.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run test test-long check fmt bench demo lock words screenshots news clean

help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 10

setup: $(VENV)/.ready ## make .venv with what it takes to run

$(VENV)/.ready: pyproject.toml requirements.lock requirements-uv.lock
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "$(PYTHON) not found: install Python 3.11 or newer, or name yours, as in: make run PYTHON=python3"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -x $(UV) || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

# The tools that test, check and measure; `make run` does without them.
$(VENV)/.tools: $(VENV)/.ready requirements-dev.lock
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

run: setup ## serve API, worker and database on 127.0.0.1:8080
	$(BIN)/landbridge serve

test: $(VENV)/.tools ## run all tests on a real PostgreSQL
	$(BIN)/pytest -n 2 $(ARGS)

test-long: $(VENV)/.tools ## lose the answers to commits, in every verb and step
	$(BIN)/pytest -n 2 -m long tests/lost_commits $(ARGS)
	$(BIN)/pytest -n 2 --lost-commits=once $(LOST_COMMITS) $(ARGS)
	$(BIN)/pytest -n 2 --lost-commits=repeatedly $(LOST_COMMITS) $(ARGS)

check: $(VENV)/.tools ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/basedpyright

fmt: $(VENV)/.tools ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.tools ## measure speed, as ratios, into bench/results/
	$(BIN)/python -m bench $(ARGS)

demo: setup ## play a whole story on a fresh sandbox and print the books
	$(BIN)/landbridge demo

lock: setup ## renew the lock files: of pyproject.toml, and of the installer itself
	echo uv | $(LOCK) - -o requirements-uv.lock
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) pyproject.toml --group check --group test --group bench -o requirements-dev.lock

words: $(VENV)/.tools ## gather what pages say into the files of languages
	$(BIN)/python -m tests.dashboard.catalogue

screenshots: $(VENV)/.tools ## photograph every page of the dashboard into screenshots/
	$(BIN)/python -m tests.browser.screenshots

news: $(VENV)/.tools ## gather news/ into CHANGELOG.md
	$(BIN)/towncrier build $(ARGS)

clean: ## remove what setup and tests made (not .landbridge, which holds money)
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
