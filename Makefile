# make play   everything set up, then a game in the terminal
# make test   everything set up, then all checks
# (help, bench, test-long and clean: see below)

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: play test test-long bench bench-search lint format clean help

play: .venv/ready          ## play a game in the terminal
	$(BIN)/comptoir play batavia

test: .venv/ready lint     ## formatting, lint, types, and all tests with coverage
	$(BIN)/pytest -n auto --cov --cov-report=term:skip-covered --cov-fail-under=95
	$(BIN)/comptoir rules --check --quiet

test-long: .venv/ready     ## the contract suite on 100,000 random matches for each player number and setup
	$(BIN)/pytest -m long -n auto

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready        ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready         ## decisions a second, beside Catanatron and OpenSpiel in the same run
	$(BIN)/python bench/speed.py

bench-search: .venv/ready  ## search iterations a second, beside OpenSpiel's, and the time of each level's decisions
	$(BIN)/python bench/search.py

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@

clean:                     ## remove what the targets above have made
	rm -rf .venv .bench-venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov dist

help:
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 14
