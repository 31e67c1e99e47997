# The commands of Deskhand. Python 3.11 or newer, git and make are all they need; the first call installs the rest.
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/deskhand-installed
ARGS ?=
LINTED := contracts domain workflows activities adapters api cli offline bench deploy tests worker.py
CANDIDATES := python3 python3.11 python3.12 python3.13 python3.14
PYTHON ?= $(firstword $(foreach name,$(CANDIDATES),$(shell command -v $(name) >/dev/null 2>&1 \
	&& $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $(name))))
# Without a home to write to, no cache is kept.
HOMELESS := $(shell test -w "$${HOME:-/nonexistent}" || echo yes)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet $(if $(HOMELESS),--no-cache-dir)

.DEFAULT_GOAL := help
.PHONY: help run demo test test-long test-browser screenshots bench bench-retrieval bench-autonomy lint doctor setup clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(STAMP) ## start everything on this machine until Ctrl-C
	@$(BIN)/deskhand run $(ARGS)

demo: $(STAMP) ## send a few real-looking mails through and follow each to its end
	@$(BIN)/deskhand demo $(ARGS)

test: $(STAMP) ## the test suite, on real Postgres and a real Temporal server (ARGS=path or pytest options)
	@$(BIN)/python -m pytest -m "not long" $(ARGS)

test-long: $(STAMP) ## the tests that take minutes
	@$(BIN)/python -m pytest -m long $(ARGS)

test-browser: $(STAMP) ## the browser tests alone (Debian's chromium)
	@$(BIN)/python -m pytest -m "not long" tests/browser $(ARGS)

screenshots: $(STAMP) ## every page of the demo, light and dark, desktop and phone, into screenshots/
	@$(BIN)/python -m tests.browser.screenshots

bench: $(STAMP) ## speed and cost, as ratios against other ways of doing the same work
	@$(BIN)/python -m bench $(ARGS)

bench-autonomy: $(STAMP) ## what a certificate is worth, by simulation (ARGS=--quick for a small one)
	@$(BIN)/python -m bench.autonomy $(ARGS)

bench-retrieval: $(STAMP) ## how well and how fast knowledge is found (ARGS=recall|leaks|facts|pages|speed)
	@$(BIN)/python -m bench.retrieval $(ARGS)

lint: $(STAMP) ## style, types and the direction of imports
	@$(BIN)/ruff check $(wildcard $(LINTED))
	@$(BIN)/mypy $(filter-out tests bench,$(wildcard $(LINTED)))
	@$(BIN)/lint-imports

doctor: $(STAMP) ## check the settings, the servers and the model endpoint
	@$(BIN)/deskhand doctor $(ARGS)

setup: $(STAMP) ## install only

clean: ## remove what setup installed; data stays in .deskhand
	rm -rf $(VENV)

$(STAMP): requirements/bootstrap.txt requirements/lock.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Deskhand needs Python 3.11 or newer. Name it: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@echo "Installing into $(VENV) (only now, and when the lock changes) ..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes -r requirements/bootstrap.txt || echo "No uv here; pip does it, more slowly."
	@$(BIN)/uv pip sync $(if $(HOMELESS),--no-cache) --python $(BIN)/python --require-hashes requirements/lock.txt \
		|| $(PIP) install --require-hashes -r requirements/lock.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
