# make run    install into .venv and run the main experiment offline
# make test   install into .venv and pass the tests
PYTHON ?= python3
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check -c .ci/constraints.txt

.PHONY: run test test-slow lint format clean sandbox-check chaos bench

$(VENV)/.run: pyproject.toml .ci/constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.dev: pyproject.toml .ci/constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[dev]'
	touch $@ $(VENV)/.run

run: $(VENV)/.run
	$(BIN)/python -m whileai_exp +experiment=rl_v1

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not optin"

sandbox-check: $(VENV)/.dev
	$(BIN)/python -m tests.sandbox_check

chaos: $(VENV)/.dev
	$(BIN)/python -m tests.chaos

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/all.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
