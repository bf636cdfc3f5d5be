# GPU Almanac: every command of the project. "make" alone lists them.
# Needs Python 3.11 or newer, git and GNU make; everything else is put into .venv and .cache.

PYTHON ?= python3
PORT   ?= 8000
MIRROR ?=
ENGINE ?= properdocs

VENV       := .venv
TORCH_VENV := .venv-torch
PY         := $(VENV)/bin/python

# The environment is as old as the lock file it was made from, and belongs to the folder it was made in.
LOCK_KEY    := $(shell { pwd; cat requirements.lock; } | cksum | cut -d ' ' -f 1)
READY       := $(VENV)/ready-$(LOCK_KEY)
TORCH_READY := $(TORCH_VENV)/ready-$(LOCK_KEY)

# Two announcements of other projects, printed on every MkDocs run, are switched off.
export DISABLE_MKDOCS_2_WARNING := true
export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What one step has compiled the next ones read: the tests start Python hundreds of times.
unexport PYTHONDONTWRITEBYTECODE
# pip-compile writes this into the head of the lock file.
export CUSTOM_COMPILE_COMMAND := make lock

TYPED      := pipeline $(wildcard docs/*.py)
QUICK      := not full and not browser and not torch
UNIT       := not browser and not torch
# One process a core. Each begins with a stretch of the files, so that what their tests share is made once, and takes
# from the end of another's when it is idle.
PARALLEL   := -n auto --dist worksteal
# The files that hold tests of the built site: the others need not be read to find them.
BROWSING    = $(shell grep -l "mark[.]browser" tests/test_*.py)

# What the slow tests counted, for the page "How we test".
REPORTS    := .cache/tests

# One step after the other: each prints what it does. What keeps one core busy runs beside its like (see "beside").
ifndef BESIDE
.NOTPARALLEL:
endif
.DEFAULT_GOAL := help
.PHONY: help venv serve engine test test-full test-torch lint unit unit-full browser-test browser-full \
        data refresh check release site validate kit told mutation bench bench-site lock clean vendor beside \
        browser-ready browser-quick

help:  ## list the commands
	@echo "GPU Almanac. Usage: make <command>"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

# ---------------------------------------------------------------- look at it

serve: $(READY) vendor data  ## build the dataset and serve the site at http://127.0.0.1:8000/gpu-almanac/ (PORT=...)
	@echo "==> Serving http://127.0.0.1:$(PORT)/gpu-almanac/ once the pages are built (stop with Ctrl-C)"
	@$(PY) -m mkdocs serve --dirty --dev-addr 127.0.0.1:$(PORT)

# Never with --quiet: MkDocs then counts no warnings, and --strict passes whatever happens.
site: $(READY) vendor  ## build the site into site/, warnings are errors
	@echo "==> Building the site"
	@$(PY) -m mkdocs build --strict --clean --site-dir site

engine: $(READY) site  ## build the site with a successor of MkDocs and compare (ENGINE=properdocs or zensical)
	@echo "==> Building the site with $(ENGINE)"
	@$(PY) -m pipeline.tools.setup.engines $(ENGINE)

# ---------------------------------------------------------------- prove it

test: beside unit browser-quick  ## set up and run every check: lint, types, imports, tests, data, site, browser

test-full: beside unit-full browser-full  ## the same with the slow tests; data/how-we-test.json tells of them
	@$(PY) -m pipeline.tools.tested $(REPORTS)/*.xml

test-torch: $(TORCH_READY)  ## tests that need PyTorch, in an environment of their own (.venv-torch)
	@echo "==> Tests that need PyTorch"
	@$(TORCH_VENV)/bin/python -m pytest -m torch || { \
	  code=$$?; [ $$code -eq 5 ] && echo "No test is marked 'torch' yet." || exit $$code; }

lint: $(READY)  ## style, formatting, types, import contract, spelling, of Python, scripts and workflows
	@echo "==> Style and formatting (ruff)"
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/ruff format --quiet --check . || { echo "not formatted; run: $(VENV)/bin/ruff format ."; exit 1; }
	@echo "==> Types (mypy)"
	@$(VENV)/bin/mypy $(TYPED)
	@echo "==> Import contract (import-linter)"
	@$(VENV)/bin/lint-imports --no-logo
	@echo "==> Spelling (codespell)"
	@$(VENV)/bin/codespell
	@$(PY) -m pipeline.tools.setup.scripts
	@echo "==> Workflows: rights (zizmor)"
	@$(VENV)/bin/zizmor --quiet --offline --no-progress .github/workflows

unit: $(READY)
	@echo "==> Unit tests"
	@$(PY) -m pytest $(PARALLEL) -m "$(QUICK)"

unit-full: $(READY) vendor
	@echo "==> Unit tests, slow ones too"
	@$(PY) -m pytest $(PARALLEL) -m "$(UNIT)" --junitxml=$(REPORTS)/unit.xml

# Style, data and site, two at a time: none of them uses more than one core.
beside: $(READY) vendor
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target BESIDE=1 lint check site

browser-test: site browser-quick

browser-ready: $(READY)
	@echo "==> Browser"
	@$(PY) -m pipeline.tools.setup.browser

browser-quick: browser-ready
	@echo "==> Browser tests against site/"
	@$(PY) -m pytest $(BROWSING) $(PARALLEL) -m "browser and not full"

browser-full: browser-ready
	@echo "==> Browser tests against site/, slow ones too"
	@$(PY) -m pytest $(BROWSING) $(PARALLEL) -m browser --junitxml=$(REPORTS)/browser.xml

# ---------------------------------------------------------------- the data

data: $(READY)  ## rebuild data/clean from what is committed
	@echo "==> Building the dataset"
	@$(PY) -m pipeline build

refresh: $(READY)  ## fetch and parse every source anew (MIRROR=folder reads a mirror instead of the network)
	@echo "==> Refreshing the claims"
	@$(PY) -m pipeline refresh $(if $(MIRROR),--mirror $(MIRROR))

check: $(READY)  ## check the data, and that data/clean is current (FILE=data/gpus/X.yml: that file alone, in a second)
	@echo "==> Data check"
	@$(PY) -m pipeline check $(FILE)

release: $(READY)  ## write the dataset as a data package into dist/data (SINCE=tag says what changed since it)
	@$(PY) -m pipeline release dist/data $(if $(SINCE),--since $(SINCE))

# ---------------------------------------------------------------- the rest

validate: $(READY)  ## hold the estimator against every measured point
	@$(PY) -m pipeline validate

kit: $(READY)  ## pack the measuring kit into one file, build/measure.pyz
	@$(PY) -m pipeline.tools.measure.pack build/measure.pyz
	@echo "==> build/measure.pyz: copy it to the machine, then: python measure.pyz"

told: $(READY)  ## record what the code makes of the twelve recorded GPUs, after a change that was meant (tests/told.py)
	@PYTHONPATH=.:tests $(PY) tests/told.py

mutation: $(READY)  ## how many seeded errors the quick tests notice, room by room (ROOM=derive COUNT=30: one room, more)
	@$(PY) -m pipeline.tools.mutation "$(ROOM)" "$(COUNT)"

bench: $(READY)  ## time refresh and build, and the cost of a row (MIRROR=folder: the refresh; OBSERVATIONS=10000000: prices)
	@$(PY) -m pipeline bench $(if $(MIRROR),--mirror $(MIRROR)) $(if $(OBSERVATIONS),--observations $(OBSERVATIONS))
	@$(PY) -m pipeline.tools.bench.pages

bench-site: $(READY) site  ## weigh the pages in a browser against their budgets (ROUNDS=1 ONLY=home,gpu: less of it)
	@$(PY) -m pipeline.tools.bench.site site $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only "$(ONLY)")

lock: $(READY)  ## renew requirements.lock from pyproject.toml (UPGRADE=1 takes newer versions)
	@echo "==> Resolving versions and hashes (minutes)"
	@$(VENV)/bin/pip-compile --quiet $(if $(UPGRADE),--upgrade) --generate-hashes --allow-unsafe --strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	  --extra pipeline --extra dev --extra scale --extra sheets --output-file requirements.lock pyproject.toml

clean:  ## remove what was built and set up (.venv, .cache, site, ...); data stays
	@echo "==> Removing environments, caches and built files"
	@rm -rf $(VENV) $(TORCH_VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
	  site docs/javascripts/vendor node_modules *.egg-info
	@find pipeline docs tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

vendor: $(READY)
	@$(PY) -m pipeline.tools.setup.plotly_bundle

venv: $(READY)  ## only set up the environment in .venv
	@echo "==> $(VENV) is ready (to use it in a shell: . $(VENV)/bin/activate)"

# $(1) is the folder of a new, empty environment.
define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed and '$(PYTHON)' is not; name another: make PYTHON=python3.12 ..."; exit 1; }
	@echo "==> Setting up $(1) (once, a minute or two)"
	@$(PYTHON) -m venv --clear $(1) || { \
	  echo "'$(PYTHON) -m venv' makes no environment with pip here."; \
	  echo "Install it (Debian and Ubuntu: apt install python3-venv) or name another Python: make PYTHON=..."; exit 1; }
	@echo "==> Installing the packages of requirements.lock, hashes checked"
	@$(1)/bin/python -m pip install -qq --require-hashes -r requirements.lock
	@$(1)/bin/python -m pip install -qq --no-deps --no-build-isolation --editable .
endef

$(READY):
	$(call new_venv,$(VENV))
	@touch $@

$(TORCH_READY):
	$(call new_venv,$(TORCH_VENV))
	@echo "==> Installing PyTorch"
	@$(TORCH_VENV)/bin/python -m pip install torch==2.13.0
	@touch $@
