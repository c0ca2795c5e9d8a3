# make demo   set everything up and evaluate the bundled sample documents
# make test   set everything up and run all tests
# make check  what CI runs: test, lint, types, import contract, build, demo from the built wheel

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test lint types contract wheel check docs clean

demo: $(VENV)/installed
	$(BIN)/isogloss demo --save out

test: $(VENV)/installed-dev
	$(BIN)/pytest -n auto

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

check: test lint types contract wheel

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Each stamp is older than pyproject.toml when the dependencies may have changed.
$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(PIP) install --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/bin/python pyproject.toml
	$(PIP) install --editable '.[dev,languages,convert,plots,train]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
