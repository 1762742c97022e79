# Two commands matter: `make demo` and `make test`. Both need only git, make and Python 3.11 or later.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST = $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal
ALONE = $(BIN)/python -m pytest -q
CONTRACT = $(ALONE) -m "contract and not long"
# Tests often wait, for a server that is frozen or a page that moves: one more than there are cores fills the gaps.
ONE_MORE = -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
REDIS := $(shell command -v redis-server)
SIEGE = tests/security/test_siege.py
NPM := $(and $(shell command -v node),$(shell command -v npm))
NPM_TOOLS = tests/openapi/node_modules/.installed
ICU := $(firstword $(wildcard /usr/lib/postgresql/*/bin/initdb))

# Tests start hundreds of processes: where what Python compiled may not be kept, each compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check long soak elsewhere elsewhere-small elsewhere-large deployable smoke faults mutants bench
.PHONY: lint style docs
.PHONY: siege lock npm-tools clean secrets digests audit image rules

help:
	@echo "make demo    start everything on this machine, with players that keep scoring (PORT, DATA_DIR, DEMO_PLAYERS, CLUSTER=1)"
	@echo "make test    the quick tests, on a real Valkey and a real PostgreSQL: before each commit (ARGS='-k standings')"
	@echo "make check   everything that must hold, as CI runs it: quick and long tests, lint, other servers, the demo"
	@echo "make long    the long tests alone: fault worlds, the browser matrix, more examples"
	@echo "make faults  kill, freeze and empty servers and processes for longer still, and run the slow benchmarks once"
	@echo "make mutants take one protection away at a time, and see that a test fails (ARGS='no_barrier')"
	@echo "make bench   measure, and print each figure as one line (ARGS='--players 100000'; beside a Nakama: --peer-nakama=PATH)"
	@echo "make soak    mixed load on all of it, and a fault every 20 seconds (MINUTES=20, FAULT_SEED)"
	@echo "make siege   500 slow lines for a minute beside normal load: what everybody else notices of it (in faults and bench)"
	@echo "make lint    style, types, directions of imports, missing migrations, the documentation site"
	@echo "make docs    build the documentation site in build/site; every warning is an error"
	@echo "make audit   ask whether a weakness is known of a locked package (needs the network)"
	@echo "make secrets make what is missing of the secrets of docker-compose.yml (SECRETS_FOLDER)"
	@echo "make digests write down which images its names mean today (needs Docker and the network)"
	@echo "make rules   write the alert rules into the PrometheusRule of deploy/kubernetes, after a change to them"
	@echo "make image   build the image, and see that it serves read-only, as nobody (BASE=debian without a registry)"
	@echo "make lock    renew the locked requirements"
	@echo "make clean   remove the environment and caches; the demo's data stay"

demo: $(VENV)/.installed-demo
	@exec $(BIN)/python -m config.local

# exec: pytest takes the shell's place, so that ending make ends the tests and their servers.
test: $(VENV)/.installed-test
	exec $(PYTEST) -m "not long" $(ARGS)

# What npm installs for the long tests comes beside the quick ones; if it fails, `long` says so.
check:
	@$(MAKE) --no-print-directory npm-tools >/dev/null 2>&1 & \
		$(MAKE) --no-print-directory test ARGS="$(ONE_MORE) --durations=25"; status=$$?; wait; exit $$status
	@$(MAKE) --no-print-directory style
	@$(MAKE) --no-print-directory deployable
	@$(MAKE) --no-print-directory long EXAMPLES= ARGS=--durations=25
	@$(MAKE) --no-print-directory elsewhere
	@$(MAKE) --no-print-directory smoke

# Quick tests of examples run once more, with twice the examples; not in `check`, whose time is bounded.
EXAMPLES = or hypothesis
# One that waits in vain for twenty minutes ends its worker, and the others go on.
PATIENCE = -o faulthandler_timeout=1200 -o faulthandler_exit_on_timeout=true
# Tests in which an hour passes in a second, or that compare times, come last, alone: beside others they would measure those.
long: $(VENV)/.installed-dev npm-tools
	@rm -f .pytest_cache/v/cache/lastfailed
	@$(PYTEST) $(ONE_MORE) $(PATIENCE) -m "(long and not bench and not deep and not alone) $(EXAMPLES)" --hypothesis-profile=whole $(ARGS) \
		|| $(BIN)/python .ci/once_more.py
	@$(ALONE) -m alone

# Linters and a generator that the tests of the OpenAPI document run: a plain hint where this machine has no Node.js.
npm-tools:
ifneq ($(NPM),)
	@$(MAKE) --no-print-directory $(NPM_TOOLS)
else
	@echo "LEFT OUT: linters and TypeScript of the OpenAPI document; install nodejs (18.18 or later) and npm" >&2
endif

$(NPM_TOOLS): tests/openapi/package-lock.json
	@echo "Installing $< (once) ..."
	@npm ci --prefix tests/openapi --prefer-offline --fetch-timeout=30000 --fetch-retries=5 --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# The contract's quick part on servers that the other tests do not use, both pairs at once: a small site has SQLite
# beside Debian's Redis, a large one a cluster beside a PostgreSQL that sorts by ICU. Left out is what is the same there:
# DynamoDB, divided and compact boards on SQLite, walks through pages of SQL. A plain hint where there is no server.
elsewhere: $(VENV)/.installed-test
	@$(MAKE) --no-print-directory -j 2 --output-sync=target elsewhere-small elsewhere-large

elsewhere-small:
ifneq ($(REDIS),)
	TEST_REDIS_SERVER=$(REDIS) TEST_DATABASE=sqlite $(CONTRACT) -k "not dynamodb and not divided and not compact"
else
	@echo "LEFT OUT: the contract on Debian's Redis and SQLite; install redis-server" >&2
endif

elsewhere-large:
ifneq ($(ICU),)
	TEST_REDIS=cluster TEST_POSTGRES_LOCALE=icu $(CONTRACT) -k "not dynamodb and not walks"
else
	@echo "LEFT OUT: the contract on a cluster and a PostgreSQL with ICU; install postgresql" >&2
endif

deployable: $(VENV)/.installed-test
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') ALLOWED_HOSTS=boards.example \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

smoke: $(VENV)/.installed-test
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(BIN)/python .ci/smoke.py "$$folder"

faults: $(VENV)/.installed-test
	FAULTS_LONG=1 $(PYTEST) -m "faults or bench or deep" --ignore=$(SIEGE) $(ARGS)
	@$(MAKE) --no-print-directory siege

mutants: $(VENV)/.installed-test
	$(BIN)/python tests/faults/mutants/run.py $(ARGS)

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks $(ARGS)
	@$(if $(findstring --peer-nakama,$(ARGS)),,$(MAKE) --no-print-directory siege)

# All of Sunwi as it is deployed, under load, with figures as it goes.
soak: $(VENV)/.installed-test
	@SOAK_MINUTES=$(or $(MINUTES),20) $(ALONE) -s tests/soak/test_soak.py

# By itself, since it compares times, and with what it prints.
siege: $(VENV)/.installed-test
	@$(ALONE) -s $(SIEGE)

lint: style
	@$(MAKE) --no-print-directory docs

# What `check` runs of it: a long test makes the documentation site.
style: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	SECRET_KEY=only-for-lint DATABASE_URL=sqlite://:memory: $(BIN)/python manage.py makemigrations --check --dry-run

# Needs no network and no server; the pages load nothing from elsewhere.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx --quiet --fail-on-warning --builder html docs build/site
	@echo "The documentation site is in build/site/index.html"

# Each is touched last: an installation that was cut off starts again. The demo needs far less than the quick tests,
# and those less than everything (dev).
# Python compiles what it uses by itself; to compile everything beforehand takes longer than the first start.
$(VENV)/.installed-%: requirements-%.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed; name it like this: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing $< into $(VENV) (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $<
	@touch $@ $(if $(filter dev,$*),$(VENV)/.installed-test)

secrets:
	@$(PYTHON) config/servers/prepare.py $(or $(SECRETS_FOLDER),secrets)

digests:
	@$(PYTHON) config/servers/digests.py

# What stands above `spec:` stays.
RULE = deploy/kubernetes/monitoring/rules.yaml
rules:
	@head=$$(sed '/^spec:/q' $(RULE)) && \
		{ echo "$$head"; sed -n '/^groups:/,$$ s/^/  /p' docs/watching/alerts.yml; } > $(RULE)

image:
	@$(PYTHON) config/servers/image.py

# Known weaknesses fail it; a network that is away is said, and fails nothing.
audit:
	@$(PYTHON) .ci/audit.py

LOCK = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

lock:
	$(LOCK) pyproject.toml --all-extras -o requirements-dev.txt
	$(LOCK) pyproject.toml --extra demo --extra test -c requirements-dev.txt -o requirements-test.txt
	$(LOCK) pyproject.toml --extra demo -c requirements-dev.txt -o requirements-demo.txt
	$(LOCK) pyproject.toml -c requirements-dev.txt -o requirements.txt
	$(LOCK) pyproject.toml --extra otel --extra sentry -c requirements-dev.txt -o requirements-watch.txt
	$(LOCK) pyproject.toml --extra dynamodb -c requirements-dev.txt -o requirements-dynamodb.txt
	echo "pip-audit>=2.10.1" | $(LOCK) - -o .ci/requirements-audit.txt

clean:
	rm -rf tests/openapi/node_modules
	rm -rf $(VENV) .ci-venv .ci-audit .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/sunwi-tests"
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "The demo's data, if any, stay in .data (or DATA_DIR); remove that folder to start anew."
