# Two commands matter: `make demo` and `make test`. Both need only git, make and Python 3.11 or later.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo test faults mutants bench lint lock clean

help:
	@echo "make demo    start everything on this machine, with players that keep scoring (PORT, DATA_DIR, DEMO_PLAYERS)"
	@echo "make test    run the tests on a real Valkey and a real PostgreSQL (ARGS='-k standings')"
	@echo "make faults  kill, freeze and empty servers and processes in mid-load, the long form (FAULT_SEED=… repeats a run)"
	@echo "make mutants take one protection away at a time, and see that a test fails (ARGS='no_barrier')"
	@echo "make bench   measure, and print each figure as one line (ARGS='--players 100000')"
	@echo "make lint    style, types, directions of imports, missing migrations"
	@echo "make lock    renew the locked requirements"
	@echo "make clean   remove the environment and caches; the demo's data stay"

demo: $(VENV)/.installed-demo
	@exec $(BIN)/python -m config.local

PYTEST = $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

test: $(VENV)/.installed-dev
	$(PYTEST) -m "not long" $(ARGS)

faults: $(VENV)/.installed-dev
	FAULTS_LONG=1 $(BIN)/python -m pytest -m faults -n auto --maxprocesses 8 --dist loadscope $(ARGS)

mutants: $(VENV)/.installed-dev
	$(BIN)/python tests/faults/mutants/run.py $(ARGS)

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	SECRET_KEY=only-for-lint DATABASE_URL=sqlite://:memory: $(BIN)/python manage.py makemigrations --check --dry-run

# Each is touched last: an installation that was cut off starts again. The demo needs far less than the tests.
# Python compiles what it uses by itself; to compile everything beforehand takes longer than the first start.
$(VENV)/.installed-%: requirements-%.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed; name it like this: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing $< into $(VENV) (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $<
	@touch $@

LOCK = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

lock:
	$(LOCK) pyproject.toml --all-extras -o requirements-dev.txt
	$(LOCK) pyproject.toml --extra demo -c requirements-dev.txt -o requirements-demo.txt
	$(LOCK) pyproject.toml -c requirements-dev.txt -o requirements.txt

clean:
	rm -rf $(VENV) .ci-venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "The demo's data, if any, stay in .data (or DATA_DIR); remove that folder to start anew."
