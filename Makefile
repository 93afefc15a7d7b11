# Two commands do everything: `make serve` and `make test`. `make help` lists the rest.
#
# PYTHON       the interpreter that makes .venv     make serve PYTHON=python3.12
# PORT         where the site is served             make serve PORT=8001
# CONSTRAINTS  the pinned versions; empty for none  make test CONSTRAINTS=
# TORCH_INDEX  where PyTorch alone comes from       make serve TORCH_INDEX=https://…

PORT ?= 8000
# Material says at each start that it will end in 2027; here it need not.
export NO_MKDOCS_2_WARNING = 1
CONSTRAINTS ?= constraints.txt

ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := .venv/Scripts
VENV_PYTHON := $(BIN)/python.exe
else
PYTHON ?= python3
BIN := .venv/bin
VENV_PYTHON := $(BIN)/python
endif

# Written last, so that an install that was interrupted is done again.
STAMP := .venv/.installed
# An environment whose Python is gone (uninstalled, upgraded away) is made again too.
ifneq ($(shell test -e $(VENV_PYTHON) && echo there),there)
.PHONY: $(STAMP)
endif

.PHONY: help serve site book test quick check train measure verify bench constraints clean

help:
	@echo "make serve    install what is pinned, serve the site, run the chapters meanwhile"
	@echo "              on http://127.0.0.1:$(PORT) (another port: make serve PORT=8001)"
	@echo "make test     install, then test everything: units, chapters, labs, browser"
	@echo "make quick    two minutes of tests: no chapter, browser, study or trained model"
	@echo "make check    ruff, ruff format, mypy --strict and import-linter"
	@echo "make site     build the site into site/; any warning is an error"
	@echo "make book     the book and each path as PDF and EPUB, into build/book"
	@echo "              (one: make book NAME=evening); the PDF needs Chromium"
	@echo "make train    train the models that are out of date (one: make train NAME=ngram)"
	@echo "make measure NAME=…   renew the results of a study that pages show"
	@echo "make verify   measure the quick studies anew: do they come out as stored?"
	@echo "make bench    time the models beside NLTK, torch and others (one: NAME=hmm)"
	@echo "make constraints  pin again what pyproject.toml asks for, UPGRADE=1 the newest"
	@echo "make clean    remove what was built; .venv stays"

serve: $(STAMP)
	@$(BIN)/mkdocs serve -a 127.0.0.1:$(PORT)

site: $(STAMP)
	$(BIN)/mkdocs build --strict

# From the site, which is built anew: what has not changed comes from its cache.
book: site
	$(VENV_PYTHON) -m lookback book $(NAME)

test: $(STAMP)
	$(BIN)/pytest -n logical --dist loadfile --no-loadscope-reorder

# What tests/conftest.py does not mark as slow.
quick: $(STAMP)
	$(BIN)/pytest -n logical --dist loadfile -m "not slow" tests

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-cache --no-logo

train: $(STAMP)
	$(VENV_PYTHON) -m lookback train $(NAME)

measure: $(STAMP)
	$(VENV_PYTHON) -m lookback measure $(NAME)

# NAME= some studies; without it those whose cases took up to five minutes together
verify: $(STAMP)
	$(VENV_PYTHON) -m lookback measure --verify $(or $(NAME),--within 300)

bench: $(STAMP)
	$(VENV_PYTHON) bench/run.py $(NAME)

# One version of each package for every system and every Python that may install it;
# those that stand in constraints.txt stay while they fit. PyTorch itself names the
# version of each CUDA package, and the smaller builds of it need none.
constraints: $(STAMP)
	$(VENV_PYTHON) -m pip install uv
	$(VENV_PYTHON) -m uv pip compile pyproject.toml --extra site --extra test \
	  --constraints constraints.in $(if $(UPGRADE),--upgrade) \
	  --universal --python-version 3.11 --fork-strategy fewest \
	  --no-annotate --custom-compile-command "make constraints" \
	  --quiet --output-file constraints.txt
	sed -i.old -E '/^(cuda|nvidia)-|^triton=/d' constraints.txt
	rm constraints.txt.old

clean:
	rm -rf site build dist .lookback .cache .pytest_cache .mypy_cache .ruff_cache
	find . -path ./.venv -prune -o -name __pycache__ -prune -exec rm -rf {} +

# The three tries for pip: it is there; the environment was made without it or its
# making was interrupted; there is no environment yet.
$(STAMP): pyproject.toml $(CONSTRAINTS)
	@rm -f $@
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { \
	  echo "Lookback needs Python 3.11 or newer, and PYTHON=$(PYTHON) is not." >&2; \
	  echo "Name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" || { \
	  echo "$(PYTHON) cannot make virtual environments: its venv is missing." >&2; \
	  echo "On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@$(VENV_PYTHON) -m pip --version >/dev/null 2>&1 \
	  || $(VENV_PYTHON) -m ensurepip >/dev/null 2>&1 \
	  || $(PYTHON) -m venv --clear .venv
	$(if $(TORCH_INDEX),$(VENV_PYTHON) -m pip install --no-deps \
	  --index-url $(TORCH_INDEX) $(addprefix -c ,$(CONSTRAINTS)) torch)
	$(VENV_PYTHON) -m pip install $(addprefix -c ,$(CONSTRAINTS)) -e ".[site,test]"
	@touch $@
