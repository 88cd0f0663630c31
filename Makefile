# Everything a newcomer needs is `make up` and `make test`; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
DEV_INSTALLED := $(VENV)/installed-dev
BENCH_INSTALLED := $(VENV)/installed-bench
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock' pyproject.toml --extra build
AUDIT := $(BIN)/uv tool run --from pip-audit==2.10.1 pip-audit --strict --disable-pip --require-hashes
GAMES ?= 2000
MINUTES ?= 10

# Tests start many processes; each would translate our modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help up test soak lint format bench openapi fuzz lock audit clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(INSTALLED) ## Install into .venv and start the service with a demo game
	@exec $(BIN)/laguna up

test: $(DEV_INSTALLED) ## Install, then run the whole suite
	@$(BIN)/python -m tests.servers.install
	$(BIN)/pytest $(PYTEST_ARGS)

soak: $(DEV_INSTALLED) ## Play, attack and kill for MINUTES on each database, then check all of it
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

lint: $(DEV_INSTALLED) ## Check style, formatting, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV_INSTALLED) ## Format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH_INSTALLED) ## Measure against peers in the same run; prints JSON
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/service.py
	$(BIN)/python bench/streams.py
	$(BIN)/python bench/worker.py
	$(BIN)/python bench/mail.py
	$(BIN)/python bench/web.py

openapi: $(INSTALLED) ## Write openapi.yaml from the app
	@$(BIN)/laguna openapi

fuzz: $(INSTALLED) ## Play GAMES random games per setting and check every promise
	$(BIN)/laguna fuzz --games $(GAMES)

lock: $(DEV_INSTALLED) ## Pin what pyproject.toml names, with hashes (UPGRADE=1: the newest)
	$(LOCK) $(if $(UPGRADE),--upgrade) --output-file constraints.txt
	$(LOCK) --constraint constraints.txt --extra dev $(if $(UPGRADE),--upgrade) \
		--output-file constraints-dev.txt
	$(LOCK) --constraint constraints.txt --extra bench $(if $(UPGRADE),--upgrade) \
		--output-file constraints-bench.txt

audit: $(DEV_INSTALLED) ## Look for known vulnerabilities of what we build on (needs the network)
	$(AUDIT) --requirement constraints.txt
	$(AUDIT) --requirement constraints-dev.txt

clean: ## Remove what the other targets made (not var/, which holds your data)
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The hashes of constraints*.txt hold for everything that is installed; our own package comes last,
# built by the setuptools among it.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Laguna needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV), which takes a minute .."
	@$(PIP_INSTALL) --require-hashes --requirement constraints.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV_INSTALLED): $(INSTALLED) constraints-dev.txt
	@echo "Installing what tests need .."
	@$(PIP_INSTALL) --require-hashes --requirement constraints-dev.txt
	@touch $@

$(BENCH_INSTALLED): $(DEV_INSTALLED) constraints-bench.txt
	@$(PIP_INSTALL) --require-hashes --requirement constraints-bench.txt
	@touch $@
