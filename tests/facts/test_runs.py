"""Which commands are test runs, and which run covers another."""

from __future__ import annotations

import json

import pytest

from steno.core.message import Call
from steno.facts import runs
from steno.facts.artifacts import command_of_call
from steno.facts.runs import read_test_run

TESTS = """
pytest
pytest -x tests/core
python3.11 -m pytest -q
python -m unittest discover
.venv/bin/python -m pytest
uv run --with x pytest -n 4
poetry run pytest
coverage run -m pytest
tox
tox -e py311
nox -s tests
npx jest
npx jest src/a.test.ts
yarn jest --watch=false
npx mocha --grep login
mocha
npx cypress run
npx playwright test
npx vitest run
npm t
npm test
npm run test:unit -- --coverage
bun verify
pnpm --filter web test
bun test
deno test
go test ./...
cargo test
cargo nextest run
make check
make -C lib -j4 check
make unit-tests
just test
mise run test:ci
task test
mvn -q verify
./mvnw test
./gradlew :app:testDebugUnitTest
gradle check
dotnet test
rspec spec/models
bundle exec rspec
bin/rails test
python manage.py test shop
rake spec
ctest --output-on-failure
swift test
bazel test //...
./run_tests.sh
bash scripts/test.sh
sh ./runtests.sh
python tests/test_store.py
node --test
cd lib && pytest
FOO=1 timeout 60 pytest | tail -20
docker compose exec -T web pytest
bash -lc "cd lib && npm test"
bats tests
some-wrapper npm run test
phpunit
"""

OTHERS = """
pip install pytest
npm install --save-dev jest
npm run build
yarn add mocha
cat tests/test_store.py
grep -rn pytest .
git commit -m "run go test ./... first"
git checkout test
echo "make check"
ls tests
cd tests
test -f setup.py
[ -d tests ]
cargo check
cargo build --tests
python -c "open('tests/test.json')"
go build ./...
go vet ./...
make build
docker build -t test .
npx playwright install
vim test.py
which pytest
command -v pytest
python server.py
mkdir test
rm -rf tests
sed -i s/a/b/ spec/a_spec.rb
curl http://localhost/test
"""


def covers_run(newer: str, older: str) -> bool:
    run, other = read_test_run(newer), read_test_run(older)
    return run is not None and other is not None and run.covers(other)


@pytest.mark.parametrize("text", TESTS.strip().split("\n"))
def test_a_test_run_is_seen(text: str) -> None:
    assert read_test_run(text) is not None


@pytest.mark.parametrize("text", OTHERS.strip().split("\n"))
def test_what_only_names_tests_is_no_test_run(text: str) -> None:
    assert read_test_run(text) is None


def test_a_command_may_be_a_list_of_words() -> None:
    words = ["bash", "-lc", "cd lib && npx jest src"]

    found = command_of_call(Call("c", "shell", json.dumps({"command": words})))

    assert "npx jest src" in found
    assert covers_run("npx jest", found)


def test_any_arguments_are_read() -> None:
    for arguments in ("", "{", '{"command": ""}', '{"command": "pytest \\u12', '{"command": []}'):
        assert read_test_run(command_of_call(Call("c", "bash", arguments))) is None


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("pytest", "pytest tests/a.py"),
        ("python -m pytest", "pytest tests/a.py"),
        ("pytest tests/a.py tests/b.py", "pytest -x tests/a.py"),
        ("pytest -n 4", "pytest -k slow"),
        ("pytest -k slow", "pytest -k=slow"),
        ("go test ./... -count=1", "go test ./store"),
        ("npm test", "npm run test:unit"),
        ("make check", "cargo test -p core"),
        ("npx jest", "yarn jest src/a.test.ts"),
        ("npx jest", "npm test"),
        ("pytest -k slow -q", "pytest -k slow"),
    ],
)
def test_a_run_covers_what_it_runs(newer: str, older: str) -> None:
    assert covers_run(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("pytest tests/a.py", "pytest"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("npm run test:unit", "npm test"),
        ("npm run test:unit", "npm run test:e2e"),
        ("pytest", "npm test"),
        ("go vet ./...", "go test ./..."),
        ("pytest -k fast", "pytest -k slow"),
        ("pytest tests -k fast", "pytest tests"),
        ("pytest tests --ignore=tests/a.py", "pytest tests"),
        ("npx jest src/a.test.ts", "npm test"),
        ("npx jest", "make test"),
    ],
)
def test_a_run_does_not_cover_another(newer: str, older: str) -> None:
    assert not covers_run(newer, older)


PASSED = {
    "pytest": "=== 3 passed, 1 xfailed, 2 warnings in 0.12s ===",
    "pytest -q": "9 passed in 1s",
    "unittest": "Ran 4 tests in 0.010s\n\nOK (skipped=2)",
    "ctest": "100% tests passed, 0 tests failed out of 9\nTotal Test time (real) = 0.1 sec",
    "jest": "Test Suites: 1 passed, 1 total\nTests:       4 passed, 4 total",
    "vitest": " Test Files  1 passed (1)\n      Tests  11 passed (12)",
    "mocha": "  5 passing (12ms)",
    "bun": " 5 pass\n 0 fail",
    "deno": "ok | 5 passed | 0 failed (12ms)",
    "node": "# tests 5\n# pass 5\n# fail 0",
    "go": "ok  \texample.com/pkg\t0.012s\n?   \texample.com/cmd\t[no test files]",
    "cargo": "test result: ok. 5 passed; 0 failed; 0 ignored\n\n"
    "test result: ok. 0 passed; 0 failed; 0 ignored",
    "nextest": "     Summary [   0.105s] 5 tests run: 5 passed, 0 skipped",
    "automake": "# TOTAL: 5\n# PASS:  5\n# FAIL:  0\n# ERROR: 0",
    "gradle": "5 tests completed, 0 failed\nBUILD SUCCESSFUL in 3s",
    "mvn": "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS",
    "dotnet": "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
    "rspec": "5 examples, 0 failures",
    "minitest": "5 runs, 9 assertions, 0 failures, 0 errors, 0 skips",
    "phpunit": "OK (5 tests, 12 assertions)",
    "swift": "Executed 5 tests, with 0 failures (0 unexpected) in 0.1 seconds",
    "playwright": "  5 passed (3.1s)",
    "logs errors": "console.error: 3 errors\nTests:       4 passed, 4 total",
}
FAILED = {
    "pytest": "FAILED tests/t.py::test_a\n=== 1 failed, 2 passed in 0.12s ===",
    "unittest": "Ran 4 tests in 0.010s\n\nFAILED (failures=1)",
    "ctest": "67% tests passed, 3 tests failed out of 9",
    "jest": "Tests:       1 failed, 4 passed, 5 total",
    "vitest": "      Tests  1 failed | 11 passed (12)",
    "mocha": "  5 passing (12ms)\n  1 failing",
    "bun": " 5 pass\n 1 fail",
    "bun with errors": " 5 pass\n 0 fail\n 2 errors\nRan 5 tests across 2 files.",
    "playwright": "  1 failed\n    tests/a.spec.ts:3:1\n  6 did not run\n  13 passed (43.1s)",
    "go without a package": "FAIL\texample.com/pkg [setup failed]\nFAIL",
    "node": "# pass 4\n# fail 1",
    "go": "--- FAIL: TestA (0.00s)\nFAIL\texample.com/pkg\t0.012s\nok  \texample.com/b\t0.1s",
    "cargo": "test result: FAILED. 4 passed; 1 failed; 0 ignored",
    "nextest": "     Summary [   0.105s] 5 tests run: 4 passed, 1 failed, 0 skipped",
    "automake": "# PASS:  4\n# FAIL:  1",
    "gradle": "5 tests completed, 2 failed\nBUILD FAILED in 3s",
    "mvn": "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\nBUILD FAILURE",
    "dotnet": "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5",
    "rspec": "5 examples, 1 failure",
    "minitest": "5 runs, 9 assertions, 1 failures, 0 errors, 0 skips",
    "phpunit": "FAILURES!\nTests: 5, Assertions: 12, Failures: 1.",
    "swift": "Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds",
}
NOTHING_RAN = {
    "pytest": "no tests ran in 0.01s",
    "none passed": "0 passed",
    "unittest": "Ran 0 tests in 0.000s\n\nOK",
    "go": "ok  \texample.com/pkg\t0.012s [no tests to run]",
    "cargo": "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out",
    "rspec": "0 examples, 0 failures",
    "no runner": "build finished\nOK",
}


@pytest.mark.parametrize("runner", PASSED)
def test_a_run_that_passed_is_known_by_what_it_prints(runner: str) -> None:
    assert runs.run_outcome(PASSED[runner]) == "passed"
    assert runs.summary_line(PASSED[runner])


@pytest.mark.parametrize("runner", FAILED)
def test_a_run_that_failed_is_known_by_what_it_prints(runner: str) -> None:
    assert runs.run_outcome(FAILED[runner]) == "failed"
    assert runs.summary_line(FAILED[runner])


@pytest.mark.parametrize("label", ["[test:ci] ", "@shop/pay:test: ", "#12 0.345 "])
@pytest.mark.parametrize("runner", [*PASSED, *FAILED])
def test_what_a_task_runner_puts_before_each_line_is_passed_over(runner: str, label: str) -> None:
    for texts in (PASSED, FAILED):
        text = texts.get(runner, "")
        labelled = "\n".join(label + line for line in text.split("\n"))
        assert runs.run_outcome(labelled) == runs.run_outcome(text)
        assert runs.summary_line(labelled) == runs.summary_line(text)


@pytest.mark.parametrize("runner", NOTHING_RAN)
def test_a_run_without_tests_has_not_passed(runner: str) -> None:
    assert runs.run_outcome(NOTHING_RAN[runner]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok 200",
        "error: unused name",
        "0 issues.",
        "All files pass linting.",
        "how errors are handled: if it failed retry",
        "HTTP/1.1 200 OK",
        "def test_a(): ...",
    ],
)
def test_other_output_shows_no_test_run(text: str) -> None:
    assert runs.summary_line(text) == ""
