# Each target makes .venv and installs what it needs if that is missing, and starts at once if it is not.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed
CLIENTS := .venv-clients

.PHONY: test stubtest pythons coverage sweep fuzz demo docs versions pages bench bench-trace onnx-cases conformance clients packages adopters upstream calls package plugins format clean

# ruff, mypy and the tests, two processes at a time.
test: $(STAMP)
	$(BIN)/python tools/run_tests.py --lint

# The same tests, with which lines of ours they run.
coverage: $(STAMP)
	$(BIN)/python tools/run_tests.py --coverage

# The types that are shipped, beside the modules as they are at run time: make stubtest ARGS="--only latticework.linalg".
# make test has the part about the core.
stubtest: $(STAMP)
	@$(BIN)/python tools/stubtest.py $(ARGS)

# The core and NumPy's backend on each Python that is found, with environments of their own in .venv-pythons:
# make pythons ARGS="--python 3.14 --parts core"
pythons: $(STAMP)
	@$(BIN)/python tools/pythons.py $(ARGS)

# What takes too long for every day: each function on every dtype, JAX and Dask on every dtype and shape, and what a
# compiler has to be waited for; and random calls and programs on each backend, compared with NumPy. It runs in parts,
# and goes on where it was stopped: make sweep ARGS="--minutes 50"
sweep: $(STAMP)
	$(BIN)/python tools/sweep.py $(ARGS)

# Random calls, random programs, and programs that hold arrays: make fuzz ARGS="--backends torch --calls 20000 --seed 1"
fuzz: $(STAMP)
	@found=0; for tool in fuzz programs stateful; do $(BIN)/python tools/$$tool.py $(ARGS) || found=1; done; exit $$found

demo: $(STAMP)
	@$(BIN)/latticework demo

# The site, into docs/_build/html, with each guide as an executed notebook; a warning is an error.
docs: $(STAMP)
	@$(BIN)/python tools/notebooks.py --changed
	@$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --jobs 2 --quiet docs docs/_build/html
	@echo "docs/_build/html/index.html"

# The sites of several versions beside each other, with a menu: make versions ARGS="main v0.1.0"; see tools/docs_versions.py.
versions: $(STAMP)
	@$(BIN)/python tools/docs_versions.py $(ARGS)

# What is generated and kept: the dispatchers, the stubs, and tables and drawings of the pages. make pages ARGS=--check
pages: $(STAMP)
	@$(BIN)/python tools/write_pages.py $(ARGS)

bench: $(STAMP)
	@$(BIN)/python benchmarks/overhead.py
	@$(BIN)/python benchmarks/superset.py

# What tracing makes of forty functions, beside code by hand: make bench-trace ARGS="--backend jax --sizes 4 1000"
bench-trace: $(STAMP)
	@$(BIN)/python benchmarks/trace.py $(ARGS)

# Every node case of the package onnx, read by lw.from_onnx: writes docs/onnx_operators.md. For some, by name of operator:
# .venv/bin/python tools/onnx_cases.py --operators Conv LSTM --backend torch
onnx-cases: $(STAMP)
	@$(BIN)/python tools/onnx_cases.py --write $(ARGS)

# make conformance SUITE=path/to/array-api-tests   (that repository, with its submodule array-api)
conformance: $(STAMP)
	@$(BIN)/python tools/conformance.py $(if $(SUITE),--suite "$(SUITE)") $(ARGS)

# The wheel and the sdist: built, looked into, installed into an empty environment, and used there.
package: $(STAMP)
	@$(BIN)/python tools/check_package.py $(ARGS)

# The array-API tests of SciPy, scikit-learn and array-api-extra, with latticework as the namespace. They need packages
# that our own tests do not, and have an environment of their own.
# make clients ARGS="--package scipy --backend numpy --tests stats"
clients: $(CLIENTS)/installed
	@$(CLIENTS)/bin/python tools/clients.py $(ARGS)

# The frameworks' own tests, with our dialect in the framework's place. What was run on what is there now is not run
# again: make upstream ARGS="--suite numpy --backend torch --parts fft linalg --again"
upstream: $(STAMP)
	@$(BIN)/python tools/upstream.py $(ARGS)

# The public functions of a framework in each form that their signatures allow, there and in its dialect:
# make calls ARGS="tensorflow --functions 'tf.math.*' --show 20"; see tools/calls_by_signature.py.
calls: $(STAMP)
	@$(BIN)/python tools/calls_by_signature.py $(ARGS)

# The tests of packages that others wrote for a framework, on other backends: make packages ARGS="--package zuko"; see
# tools/packages.py.
packages: $(STAMP)
	@$(BIN)/python tools/packages.py $(ARGS)

# The tests of libraries whose layer of backends examples/adopters has over latticework, with theirs and with ours:
# make adopters ARGS="--library pyhf"; see tools/adopters.py.
adopters: $(STAMP)
	@$(BIN)/python tools/adopters.py $(ARGS)

# The tests of the packages in plugins/, each in an environment of its own with what it needs: make plugins ARGS="mlx"
plugins: $(STAMP)
	@$(BIN)/python tools/plugins.py $(ARGS)

format: $(STAMP)
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .venv-clients .venv-plugins .venv-pythons .upstream .packages .coverage* .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
	rm -rf docs/_build docs/reference docs/port

# Made anew when the requirements change, so that nothing is left over from what they were.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"{sys.executable} is Python {v[0]}.{v[1]}; 3.11 or newer is needed: make PYTHON=python3.12 …")'
	@echo "Installing into .venv, which takes a minute or two the first time"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(CLIENTS)/installed: pyproject.toml constraints.txt
	@echo "Installing into $(CLIENTS), which takes a minute or two the first time"
	@$(PYTHON) -m venv --clear $(CLIENTS)
	@$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[clients]'
	@touch $@
