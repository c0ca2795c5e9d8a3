# make demo   set everything up and evaluate the bundled sample documents
# make test   set everything up and run all tests
# make check  what CI runs: test, pages, lint, types, import contract, build, demo from the wheel
# make bench  how fast it is beside others: WMT=path/to/wmt
# make web    build the pages of web/ into the package, after a change there

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test web web-check lint types contract wheel check docs bench house clean

demo: $(VENV)/installed
	$(BIN)/isogloss demo --save out

# Many tests wait for browsers and servers: three workers keep two cores busy.
WORKERS := $(shell cores=$$(nproc 2>/dev/null) && echo $$(( (cores * 3 + 1) / 2 )) || echo auto)

test: $(VENV)/installed-dev web/node_modules/.installed
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

# The wheel must work by itself: installed alone in a new environment, away from the sources.
wheel: $(VENV)/installed-dev
	rm -rf dist build/clean
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/clean
	build/clean/bin/python -m pip --quiet --disable-pip-version-check install dist/*.whl
	cd build/clean && bin/isogloss demo

docs: $(VENV)/installed-dev
	$(BIN)/python docs/make_command_line.py
	$(BIN)/python docs/make_languages.py
	$(BIN)/python docs/make_papers.py

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
$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(PIP) install --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/bin/python pyproject.toml
	.ci/system-packages
	$(PIP) install --editable '.[dev,annotate,languages,convert,plots,train]'
	touch $@ $(VENV)/installed

# The versions of the lock file. `npm ci` would also ask for what other platforms need, which not
# every registry has.
web/node_modules/.installed: web/package.json web/package-lock.json
	cd web && npm install --no-save --silent --no-audit --no-fund
	touch $@

clean:
	rm -rf $(VENV) web/node_modules build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
