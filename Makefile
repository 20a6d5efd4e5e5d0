# Everything that a person runs. Each target does the set-up that it needs (and rebuilds the
# native modules when their sources changed); when there is nothing to do that takes no time. Paths are relative, so that a folder with a space in its name works.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast slow coverage portable check format bench compare printed mutants bands fits twins survey torture fuzz fuzz-urcu site playground vscode labs slides lock clean

# What runs below finds cmake, ninja and locklab of this environment first.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

PYTHON_BIN := .venv/bin/python
# At most eight test processes: more gains little and costs memory.
RUN_TESTS := -m pytest -q -n auto --maxprocesses 8 --dist loadfile
PYTEST := $(PYTHON_BIN) $(RUN_TESTS)
# Data, language, machine and memory: no native locks, no sandbox, hardly any compiled engine.
FAST := ui/tests datasets/tests $(addprefix sim/tests/,lang core machine emit)
LOCKS := build base notebook cluster course dev docs fuzz playground beside/nbgrader beside/otter beside/simulators beside/harmony

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

setup: ## Install missing packages, make .venv, build and install LockLab in it
	@tools/setup

demo: setup ## Reproduce the 2004 SELinux result: table, errors, plot
	@.venv/bin/locklab paper reproduce kaigai-2004

test: setup ## Run every test except the slow ones
	@$(PYTEST) $(ARGS)

test-fast: setup ## Run the folders whose tests are quick
	@$(PYTEST) $(FAST) $(ARGS)

slow: setup ## Run the slow tests, and every property with many new examples
	@$(PYTEST) -m "slow or hypothesis" --hypothesis-profile=many $(ARGS)

coverage: export COVERAGE_FILE := $(CURDIR)/out/coverage/data
coverage: setup ## Run every test except the slow ones; lines and branches that none of them runs
	@rm -rf out/coverage && mkdir -p out/coverage
	@$(PYTHON_BIN) -m coverage run $(RUN_TESTS) $(ARGS)
	@$(PYTHON_BIN) -m coverage combine --quiet
	@$(PYTHON_BIN) -m coverage report

portable: setup ## Run commands and labs with Unix's modules hidden, as on Windows
	@$(PYTHON_BIN) -m pytest -v -m "slow or not slow" ui/tests/test_portable.py grader/tests/test_portable.py $(ARGS)

check: setup ## Lint, format, types, spelling
	@tools/check

format: setup ## Format the Python sources and apply lint's automatic fixes
	@$(PYTHON_BIN) -m ruff check --fix-only --quiet .
	@$(PYTHON_BIN) -m ruff format .

bench: setup ## Measure the engines; a table, and a JSON file below out/
	@$(PYTHON_BIN) sim/benchmarks/run.py $(ARGS)

compare: setup ## Measure ours beside other simulators, formulas, checkers, graders, harnesses (network); below out/compare
	@$(PYTHON_BIN) tools/comparison.py $(ARGS)

printed: setup ## Compare locks printed from the language with the hand-written headers; a table and JSON
	@$(PYTHON_BIN) native/benchmarks/printed.py $(ARGS)

mutants: export PYTHONPATH := sim/tests
mutants: setup ## Judge wrong locks made from the library's by the checker; survivors without a reason are red
	@$(PYTHON_BIN) -m mutants $(ARGS)

bands: setup ## Judge the bands of predictions by published curves; learn the error of the model from half of them
	@nice $(PYTHON_BIN) sim/benchmarks/bands.py $(ARGS)

fits: setup ## Judge fits to few measured points by published curves, beside a fitted law; learn the discrepancy
	@nice $(PYTHON_BIN) sim/benchmarks/fits.py $(ARGS)

twins: setup ## Judge predictions of changes by 40 loads that were written by a stranger; about an hour
	@nice $(PYTHON_BIN) sim/benchmarks/twins.py $(ARGS)

survey: setup ## Measure this machine (ten minutes), calibrate, check the predictions; below out/survey
	@.venv/bin/locklab native survey --out out/survey $(ARGS)
	@$(PYTHON_BIN) -c "from pathlib import Path as P; from locknative.survey import folder; folder.write_csv(P('out/survey'), P('out/survey/data'))"
	@.venv/bin/locklab machine calibrate --from out/survey --out out/survey/data/machine.toml
	@.venv/bin/locklab native predict --from out/survey --machine out/survey/data/machine.toml

torture: setup ## Test every C lock: explorer (SC and TSO), torture, ThreadSanitizer, AddressSanitizer
	@.venv/bin/locklab native explore all --threads 3
	@.venv/bin/locklab native explore all --threads 3 --memory tso
	@.venv/bin/locklab native torture --tool all $(ARGS)

fuzz: setup ## Fuzz the grader's readers, MINUTES (10) of processor time each
	@tools/fuzz --minutes $(or $(MINUTES),10) $(ARGS)

fuzz-urcu: setup ## Use and misuse liburcu's bindings at random, MINUTES (10) of processor time
	@$(PYTHON_BIN) native/fuzz/urcu.py --minutes $(or $(MINUTES),10) $(ARGS)

site: setup ## Run the lessons, build all pages and a PDF of the lessons into out/site
	@tools/site

playground: setup ## Build the page that proves and simulates in a browser into out/site/playground (needs npm)
	@tools/playground

vscode: ## Pack the extension for VS Code into out/vscode/locklab.vsix (needs npm)
	@tools/vscode

labs: setup ## Check every lab: solution passes, starter and wrong submissions fail, hints exist
	@.venv/bin/locklab lab lint $(ARGS)

slides: setup ## A slide for each lab with its best plot: out/slides/slides.html and .pdf
	@.venv/bin/python tools/slides.py $(ARGS)

lock: setup ## Renew requirements/*.txt from requirements/*.in (needs the network)
	@tools/lock $(LOCKS) $(ARGS)

clean: ## Remove everything that was built: .venv, build, out and caches
	@tools/clean
