"""Which commands are test runs, and which run covers another."""

from __future__ import annotations

import json

import pytest

from steno.core.message import Call
from steno.facts import testruns
from steno.facts.testruns import covers_run

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
pnpm --filter web test
bun test
deno test
go test ./...
go vet ./...
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
go build ./...
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


def command(text: str) -> Call:
    return Call("c", "bash", json.dumps({"command": text}))


@pytest.mark.parametrize("text", TESTS.strip().split("\n"))
def test_a_test_run_is_seen(text: str) -> None:
    assert testruns.test_command(command(text)) == text


@pytest.mark.parametrize("text", OTHERS.strip().split("\n"))
def test_what_only_names_tests_is_no_test_run(text: str) -> None:
    assert testruns.test_command(command(text)) == ""


def test_a_command_may_be_a_list_of_words() -> None:
    words = ["bash", "-lc", "cd lib && npx jest src"]

    found = testruns.test_command(Call("c", "shell", json.dumps({"command": words})))

    assert "npx jest src" in found
    assert covers_run("npx jest", found)
    assert testruns.test_command(Call("c", "shell", json.dumps({"command": ["ls", "tests"]}))) == ""


def test_any_arguments_are_read() -> None:
    for arguments in ("", "{", '{"command": ""}', '{"command": "pytest \\u12', '{"command": []}'):
        assert testruns.test_command(Call("c", "bash", arguments)) == ""


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
    ],
)
def test_a_run_does_not_cover_another(newer: str, older: str) -> None:
    assert not covers_run(newer, older)
