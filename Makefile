# make demo   set everything up and evaluate the bundled sample documents
# make test   set everything up and run all tests
# make check  what CI runs: test, pages, lint, types, import contract, build, demo from the wheel
# make bench  how fast it is beside others: WMT=path/to/wmt
# make docs       write the pages that are made from the program, then build the website
# make docs-site  build the website alone, with broken links as errors; `isogloss docs` opens it
# make coverage   which lines the tests run
# make web    build the pages of web/ into the package, after a change there

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test web web-check lint types contract wheel check coverage \
	docs docs-site bench house clean

demo: $(VENV)/installed
	$(BIN)/isogloss demo --save out

# Many tests wait for browsers and servers: three workers keep two cores busy.
WORKERS := $(shell cores=$$(nproc 2>/dev/null) && echo $$(( (cores * 3 + 1) / 2 )) || echo auto)

test: $(VENV)/installed-dev web/node_modules/.installed
	.ci/other-metrics
	.ci/integrations
	$(BIN)/pytest -n $(WORKERS)

# The build is committed, so that installing needs no Node.js; a test finds one that is stale.
web: $(VENV)/installed-dev web/node_modules/.installed
	$(BIN)/python web/generate_types.py
	$(BIN)/python web/generate_annotate_types.py
	cd web && npm run --silent check && npm run --silent build
	$(BIN)/python web/finish_build.py

web-check: web/node_modules/.installed
	cd web && npm run --silent check

lint: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/installed-dev
	$(BIN)/mypy

contract: $(VENV)/installed-dev
	$(BIN)/lint-imports

# The wheels, of the code and of the model, must work by themselves: in a new environment, away from
# the sources. The website goes into the wheel of the code.
wheel: $(VENV)/installed-dev docs-site
	rm -rf dist build/clean
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --wheel --outdir dist packages/model
	$(PYTHON) -m venv build/clean
	build/clean/bin/python -m pip --quiet --disable-pip-version-check install dist/*.whl
	cd build/clean && bin/isogloss demo && ISOGLOSS_CACHE=cache bin/isogloss doctor && bin/isogloss docs --where

docs: $(VENV)/installed-dev
	$(BIN)/python docs/make_command_line.py
	$(BIN)/python docs/make_languages.py
	$(BIN)/python docs/make_licences.py
	$(BIN)/python docs/make_papers.py
	$(BIN)/python docs/make_site.py

docs-site: $(VENV)/installed-dev
	$(BIN)/python docs/make_site.py

# Prints a line for each file that has lines which no test runs, and the sum.
coverage: $(VENV)/installed-dev web/node_modules/.installed
	$(BIN)/pytest -n $(WORKERS) --cov --cov-report=term-missing:skip-covered

# WMT=path/to/wmt names the folder with wmt20 and wmt23.
bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/all.py $(WMT)

# Needs Graphviz; the picture and its figures are for CONTRIBUTING.md.
house: $(VENV)/installed-dev
	$(BIN)/python docs/make_house.py

check: test web-check lint types contract wheel

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Each stamp is older than pyproject.toml when the dependencies may have changed.
$(VENV)/installed: $(VENV)/bin/python pyproject.toml packages/model/pyproject.toml
	$(PIP) install --editable packages/model --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/bin/python pyproject.toml packages/model/pyproject.toml
	.ci/system-packages
	$(PIP) install --editable packages/model --editable '.[dev,annotate,languages,convert,plots,train]'
	touch $@ $(VENV)/installed

# The versions of the lock file. `npm ci` would also ask for what other platforms need, which not
# every registry has.
web/node_modules/.installed: web/package.json web/package-lock.json
	cd web && npm install --no-save --silent --no-audit --no-fund
	touch $@

clean:
	rm -rf $(VENV) web/node_modules build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
