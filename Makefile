# Everything a newcomer needs is `make up` and `make test`; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
BENCH_INSTALLED := $(VENV)/installed-bench
GAMES ?= 2000

# Tests start many processes; each would translate our modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help up test lint format bench openapi fuzz clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(INSTALLED) ## Install into .venv and start the service with a demo game
	@exec $(BIN)/laguna up

test: $(INSTALLED) ## Install, then run the whole suite
	@$(BIN)/python -m tests.servers.install
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(INSTALLED) ## Check style, types and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED) ## Format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH_INSTALLED) ## Measure against peers in the same run; prints JSON
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/service.py
	$(BIN)/python bench/worker.py
	$(BIN)/python bench/mail.py
	$(BIN)/python bench/web.py

openapi: $(INSTALLED) ## Write openapi.yaml from the app
	@$(BIN)/laguna openapi

fuzz: $(INSTALLED) ## Play GAMES random games per setting and check every promise
	$(BIN)/laguna fuzz --games $(GAMES)

clean: ## Remove what the other targets made (not var/, which holds your data)
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Laguna needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV), which takes a minute .."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	@touch $@
