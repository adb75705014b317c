# make play   install what you need to play, and open the games in your browser
# make test   everything set up, then the checks that people wait for
# (help, docs, wheel, bench, test-all, test-long and clean: see below)

PYTHON ?= python3
BIN := .venv/bin
# Not compiled when installed: Python compiles what is used, when it is. That halves the time and saves 60 MB.
INSTALL := $(BIN)/pip install -q --no-compile -c constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1
# Tests start some hundred Python processes: without bytecode on disk, each compiles again what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test test-rest test-all test-times test-long mutants bench bench-search bench-research bench-load boards shots docs site lint format compiled compiled-slow machine wheel vendor lock clean help

play: .venv/play           ## open the games in your browser
	$(BIN)/comptoir

# Lint keeps one core busy, and compiling at times too. A worker more than cores: tests with a browser wait for it.
WORKERS = $$($(BIN)/python -c 'import os; print(os.cpu_count() + 1)')

test: .venv/ready machine     ## formatting, lint, types, and the tests that people wait for
	$(MAKE) -j 2 lint compiled
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -rfE

test-rest: .venv/ready machine compiled-slow  ## what `make test` leaves out: slow tests and every browser test, without coverage
	$(BIN)/pytest -m '(slow or browser) and not long' -n $(WORKERS) --dist worksteal -rfE

test-all: .venv/ready machine compiled-slow  ## every test but the long ones, with coverage
	COMPTOIR_TEST_EFFORT=4 $(BIN)/pytest -m 'not long' -n $(WORKERS) --dist worksteal -rfE --cov --cov-report=term:skip-covered --cov-fail-under=95

test-times: .venv/ready machine compiled  ## where the time of `make test` goes: by folder, and the costliest tests
	$(BIN)/python -m pytest -p tests.times -n $(WORKERS) --dist worksteal

test-long: .venv/ready machine     ## the contract suite on 100,000 random matches for each player number and setup, 200 kills
	$(BIN)/pytest -m long -n auto

mutants: .venv/ready       ## break the rules and what guards secrets in small ways; list what no test notices
	nice $(BIN)/python -m tests.mutants --jobs $$($(BIN)/python -c 'import os; print(os.cpu_count())')

# Once, on both cores and without coverage: else every worker would compile the same, traced.
GAMES = (ls src/comptoir/games/*/rules.py | cut -d/ -f4; echo lots) | xargs -P 2 -I GAME

compiled: .venv/ready
	$(GAMES) $(BIN)/python -m tests.precompile GAME

compiled-slow: compiled
	$(GAMES) $(BIN)/python -m tests.precompile GAME slow

lint: .venv/ready node_modules/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	npx --no-install tsc --project tsconfig.json

format: .venv/ready        ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready         ## decisions a second, beside Catanatron and OpenSpiel in the same run
	$(BIN)/python bench/speed.py

bench-search: .venv/ready  ## search iterations a second, beside OpenSpiel's, and the time of each level's decisions
	$(BIN)/python bench/search.py

bench-research: .venv/ready  ## batches and the PettingZoo environment, beside PettingZoo's own games and RLCard
	$(BIN)/python bench/research.py

bench-load: .venv/ready    ## load test: 200 tables with four sockets each, time until every socket is updated
	$(BIN)/python bench/load.py

boards: .venv/ready machine  ## every board at every stage, to look at
	$(BIN)/python tools/boards.py

shots: .venv/ready machine   ## screenshots of every page, to look at
	$(BIN)/python tools/shots.py

docs: .venv/docs           ## the documentation, served while you write it
	$(BIN)/mkdocs serve --strict

site: .venv/docs           ## the documentation as a folder of pages, in site/
	$(BIN)/mkdocs build --strict

wheel: .venv/made    ## the package with all it needs, in dist/
	$(BIN)/pip wheel -q --no-deps -w dist .

vendor: node_modules/ready  ## renew the fonts and idiomorph that the pages bring, from package-lock.json
	$(PYTHON) tools/vendor.py

lock: .venv/ready    ## pin what a server installs, with hashes, and list the licences, after a change of constraints.txt
	$(BIN)/python tools/lock.py

# What checks our scripts and pages, and what tools/vendor.py copies; locked in package-lock.json.
node_modules/ready: package.json package-lock.json
	@command -v npm >/dev/null || { echo "Our scripts are checked by TypeScript: install Node.js (Debian: apt-get install npm), then make again."; exit 1; }
	npm ci --no-fund --no-audit --loglevel=error
	touch $@

# What tests need of the machine: a browser and PostgreSQL, from Debian's packages.
machine: node_modules/ready
	@if ! command -v chromium >/dev/null || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
		echo "Installing chromium and postgresql for the tests"; \
		SUDO=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$SUDO apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$SUDO apt-get install -y -qq --no-install-recommends chromium postgresql >/dev/null; \
	fi

.venv/made:
	$(PYTHON) -m venv .venv
	touch $@

.venv/play: pyproject.toml constraints.txt | .venv/made
	$(INSTALL) -e '.[app]'
	touch $@

.venv/docs: pyproject.toml constraints.txt | .venv/made
	$(INSTALL) -e '.[docs]'
	touch $@

.venv/ready: pyproject.toml constraints.txt | .venv/made
	$(INSTALL) -e '.[dev]'
	touch $@ .venv/play .venv/docs

clean:                     ## remove what the targets above have made
	rm -rf .venv node_modules .bench-venv .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov dist site

help:
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 14
