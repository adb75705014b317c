# make play   everything set up, then the games in your browser
# make test   everything set up, then all checks
# (help, bench, test-long and clean: see below)

PYTHON ?= python3
BIN := .venv/bin
VENDOR := src/comptoir/web/static/vendor
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: play test test-long bench bench-search bench-research bench-tables boards shots lint format machine wheel clean help

play: .venv/ready $(VENDOR)/ready  ## open the games in your browser
	$(BIN)/comptoir

test: .venv/ready machine lint     ## formatting, lint, types, and all tests with coverage
	$(BIN)/pytest -n auto --cov --cov-report=term:skip-covered --cov-fail-under=95
	$(BIN)/comptoir rules --check --quiet

test-long: .venv/ready machine     ## the contract suite on 100,000 random matches for each player number and setup, 200 kills
	$(BIN)/pytest -m long -n auto

lint: .venv/ready $(VENDOR)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
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

bench-tables: .venv/ready $(VENDOR)/ready  ## 200 tables with four sockets each: how long until everyone is told
	$(BIN)/python bench/tables.py

boards: .venv/ready $(VENDOR)/ready machine  ## every board at every stage, to look at
	$(BIN)/python docs/boards.py

shots: .venv/ready $(VENDOR)/ready machine   ## screenshots of every page, to look at
	$(BIN)/python docs/shots.py

wheel: .venv/ready $(VENDOR)/ready  ## the package with all it needs
	$(BIN)/pip wheel -q --no-deps -w dist .

# Fonts and idiomorph, which the pages need, and what checks our scripts; locked in package-lock.json.
$(VENDOR)/ready: package.json package-lock.json vendor.py
	@command -v npm >/dev/null || { echo "The pages' fonts come from npm: install Node.js (Debian: apt-get install npm), then make again."; exit 1; }
	npm ci --no-fund --no-audit --loglevel=error
	$(PYTHON) vendor.py
	touch $@

# What tests need of the machine: a browser and PostgreSQL, from Debian's packages.
machine: $(VENDOR)/ready
	@if ! command -v chromium >/dev/null || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
		echo "Installing chromium and postgresql for the tests"; \
		SUDO=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$SUDO apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$SUDO apt-get install -y -qq --no-install-recommends chromium postgresql >/dev/null; \
	fi

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@

clean:                     ## remove what the targets above have made
	rm -rf .venv node_modules $(VENDOR) .bench-venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov dist

help:
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 14
