# Two commands do it all: `make run` starts the service, `make test` checks it. `make` alone lists the rest.

VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet

SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.14 python3.11,\
	$(shell $(name) -c '$(SUPPORTED)' >/dev/null 2>&1 && echo $(name))) python3)

# pyright is locked like everything else: it need not ask whether there is a newer one.
export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1

# The extractor's matrices are too small to share: more threads only take processor time from each other.
export OPENBLAS_NUM_THREADS ?= 1

say = @printf '\n\033[1m==> %s\033[0m\n' "$(1)"

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test test-model fetch lint format docs lock upgrade clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.run ## install what is missing, then run the whole service here; Ctrl-C stops it
	@exec $(BIN)/graphmem up

test: lint fetch ## every check: format, lint, types, all tests on real databases
	$(call say,Tests)
	@$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadgroup

test-model: fetch ## one episode read by a real, small language model, from end to end
	@TEST_WITH_MODEL=1 $(BIN)/pytest tests/ingest/test_real_model.py

fetch: $(VENV)/.dev ## bring the Neo4j jars and the embedding model into the cache
	$(call say,Neo4j and the embedding model)
	@$(BIN)/graphmem fetch

lint: $(VENV)/.dev ## format, lint, types and containers, without the tests
	$(call say,Format)
	@$(BIN)/ruff format --check
	$(call say,Lint)
	@$(BIN)/ruff check
	$(call say,Types)
	@$(BIN)/pyright --pythonpath $(BIN)/python
	$(call say,Containers)
	@$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	@$(BIN)/hadolint Dockerfile

format: $(VENV)/.dev ## put the code into its one format and mend what the linter can
	@$(BIN)/ruff check --fix --exit-zero --quiet
	@$(BIN)/ruff format

docs: $(VENV)/.dev ## write again the pages that come from the code
	@$(BIN)/python -m docs.generate

bench-%: $(VENV)/.dev ## run one benchmark: make bench-<name>
	@$(BIN)/python -m benchmarks.$(subst -,_,$*)

lock: ## bring the locks in step with pyproject.toml; needs uv
upgrade: ## lock the newest versions that pyproject.toml allows; needs uv
lock upgrade:
	@command -v uv >/dev/null || { echo "make $@ needs uv: install it with 'pip install uv'."; exit 1; }
	@$(RESOLVE) --all-extras --output-file requirements/dev.txt
	@$(RESOLVE) --extra embedded --extra local --constraint requirements/dev.txt --output-file requirements/run.txt
	@$(RESOLVE) --extra local --constraint requirements/dev.txt --output-file requirements/image.txt

RESOLVE = uv pip compile pyproject.toml --group build $(if $(filter upgrade,$@),--upgrade) --quiet --universal --python-version 3.11 \
	--generate-hashes --only-binary :all: --no-emit-index-url --no-header --no-annotate

clean: ## remove .venv and caches; the data folder stays
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# A stamp newer than the lock means that nothing is to be installed. The larger set holds the smaller.
$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/pip
	$(call install,run)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(BIN)/pip
	$(call install,dev)
	@touch $(VENV)/.run $@

define install
$(call say,Installing the locked packages of requirements/$(1).txt)
@$(PIP) install --require-hashes --only-binary :all: --requirement requirements/$(1).txt
@$(PIP) install --no-deps --no-build-isolation --editable .
endef

$(BIN)/pip:
	@$(PYTHON) -c '$(SUPPORTED)' 2>/dev/null || { echo "graphmem needs Python 3.11 to 3.14, which $(PYTHON) is not:" \
		"install one, or name it with 'make $(MAKECMDGOALS) PYTHON=python3.13'."; exit 1; }
	$(call say,Making $(VENV))
	@$(PYTHON) -m venv $(VENV)
