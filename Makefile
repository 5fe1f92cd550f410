# Everything a newcomer needs; `make` alone prints the list.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# One resolution for every platform, with hashes; nothing younger than a week, against poisoned releases.
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --exclude-newer "7 days"

# The tests of verbs, steps and the worker; the others read, or show.
LOST_COMMITS := $(addprefix tests/,payments ledger customers providers sandbox/scenarios developers/webhooks \
	platform/mail platform/orgs reporting/schedules)

# What the short form of the long tests plays: kills and races of money, the life of a server, the page that a
# newcomer reads first, and a day of a role in a browser. What plays for minutes beside a test of its kind is left out.
SHORT_FORM := $(addprefix tests/,races properties ledger payments providers/evm \
	developers/webhooks/test_leases.py developers/webhooks/test_fairness.py platform/db/test_embedded_kills.py \
	app/processes/test_production_on_chains.py browser/dashboard/test_roles_day.py providers/sidecar/test_payouts.py \
	customers/verification/test_machine.py app/failover/test_replica.py) \
	$(addprefix tests/providers/sidecar/test_suite.py::test_,python_template_passes typescript_template_passes) \
	tests/app/processes/test_serve.py::test_killed_processes_restart_without_losing_acknowledged_data \
	tests/app/failover/test_failover.py::test_failover_loses_and_doubles_nothing[kill] \
	tests/test_docs.py::test_examples_run_as_pasted[README.md]

# What runs on several nodes; tests/cluster/left_out.py says what does not, and why.
CLUSTER := $(addprefix tests/,cluster ledger payments/swaps platform/changes reporting/rollups)

# A worker more than cores, as tests wait for timeouts and processes a fifth of the time. Neighbours stay together, so
# that what a module shares is made once.
PYTEST := $(BIN)/pytest -n $(or $(WORKERS),3) --dist worksteal

# Containers often forbid Python to keep bytecode. Without it, each start compiles hundreds of files.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
CHAINS_FILE = .landbridge/chains.toml

.PHONY: help setup run test test-long test-soak test-cluster test-versions check fmt bench demo chains image lock sdk site words screenshots news clean

help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 15

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

run: setup ## serve on 127.0.0.1:8080; with CHAINS=1 on the chains of `make chains`
	@test -z "$(CHAINS)" || test -f $(CHAINS_FILE) || echo "No local chains are set up (run make chains in another terminal): chains are simulated."
	$(if $(CHAINS),$(if $(wildcard $(CHAINS_FILE)),LANDBRIDGE_CHAINS_FILE=$(CHAINS_FILE))) $(BIN)/landbridge serve

test: $(VENV)/.tools ## run all tests but the long ones on a real PostgreSQL
	$(PYTEST) -m "not machine" $(ARGS)

test-long: $(VENV)/.tools ## the long tests, and lose the answers to commits in every verb and step
	HYPOTHESIS_PROFILE=medium $(PYTEST) -m "long or machine or hypothesis" $(ARGS)
	HYPOTHESIS_PROFILE=long $(PYTEST) -m long tests/providers/evm/outbox/test_soak.py $(ARGS)
	$(PYTEST) -m "wide or not long" --lost-commits=once $(LOST_COMMITS) $(ARGS)
	$(PYTEST) -m "wide or not long" --lost-commits=repeatedly $(LOST_COMMITS) $(ARGS)

test-soak: $(VENV)/.tools ## the short form of test-long, in some ten minutes
	HYPOTHESIS_PROFILE=medium $(PYTEST) -m "long and not wide or machine" $(SHORT_FORM) $(ARGS)
	$(PYTEST) --lost-commits=repeatedly tests/payments/swaps $(ARGS)

test-cluster: $(VENV)/.tools ## the money path on a coordinator and two workers of Citus, where there is one (CITUS_BIN)
	$(BIN)/python -m tests.cluster.nodes $(or $(PORT),18150) $(BIN)/pytest $(or $(ARGS),$(CLUSTER))

test-versions: $(VENV)/.tools ## what may differ between versions of PostgreSQL (TEST_DATABASE_URL)
	$(PYTEST) -m "versions and db and (long or not long) and not wide" $(ARGS)

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

chains: setup ## run local EVM chains with tokens on 127.0.0.1:8545-8547 (needs npm once)
	$(BIN)/python -m chains $(ARGS)

image: ## build the container image and check it (needs buildah)
	deploy/make-image

lock: setup ## renew the lock files: of pyproject.toml with all extras, of the installer, and of a release's tools
	echo uv | $(LOCK) - -o requirements-uv.lock
	printf 'cyclonedx-bom\nhatchling\n' | $(LOCK) - -o requirements-release.lock
	$(LOCK) pyproject.toml --all-extras -o requirements.lock
	$(LOCK) pyproject.toml --all-extras --group check --group test --group bench -o requirements-dev.lock

sdk: $(VENV)/.tools ## write the generated parts of the client libraries from openapi.json
	$(BIN)/python -m sdk.emitter

site: ## build the documentation site, which the server then has at /docs/site (needs npm)
	cd site && npm ci --ignore-scripts --no-audit --no-fund && npx vitepress build
	cd site/dist && $(PYTHON) -m zipfile -c ../../src/landbridge/platform/http/documentation_site.zip *

words: $(VENV)/.tools ## gather what pages say into the files of languages
	$(BIN)/python -m tests.dashboard.catalogue

screenshots: $(VENV)/.tools ## screenshot every page of the dashboard into screenshots/
	$(BIN)/python -m tests.browser.screenshots

news: $(VENV)/.tools ## gather news/ into CHANGELOG.md
	$(BIN)/towncrier build $(ARGS)

clean: ## remove what setup and tests made (not .landbridge, which holds money)
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
