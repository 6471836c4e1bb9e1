#!/usr/bin/env bash
# The tests again and again, and a table of how they went: alone, then beside two busy processes; every other run begins with
# an empty cache of compiled code. What a run said is in build/again/. Ends with 1 if any run failed.
#
#     tests/again.sh                                  # all tests, as `make test` runs them, but for coverage
#     IDLE=0 BUSY=2 tests/again.sh tests/test_cli.py  # these only, and so often
set -u
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
tests=("$@")
[ $# -gt 0 ] || tests=(-n 2 --doctest-modules --ignore tests/faults tests src)
logs=build/again
mkdir -p "$logs"
busy=() empty="" worst=0 run=0

# Only what was started here is ended, also on Ctrl-C; killed without warning, this script leaves nothing that works on either.
begin_work() {
    for _ in 1 2; do
        (while kill -0 $$ 2>/dev/null; do :; done) &
        busy+=($!)
    done
}
end_work() {
    if [ ${#busy[@]} -gt 0 ]; then
        kill "${busy[@]}" 2>/dev/null
        wait "${busy[@]}" 2>/dev/null
    fi
    busy=()
}
clean() {
    end_work
    [ -z "$empty" ] || rm -rf "$empty"
    empty=""
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

count() { sed -n "s/.*<testsuite [^>]*$1=\"\([0-9]*\)\".*/\1/p" "$logs/$run.xml" 2>/dev/null | head -n 1; }

once() { # LOAD CACHE
    run=$((run + 1))
    local began=$SECONDS cache=() code=0
    if [ "$2" = empty ]; then
        empty=$(mktemp -d)
        cache=("NUMBA_CACHE_DIR=$empty")
    fi
    [ "$1" = idle ] || begin_work
    rm -f "$logs/$run.xml"
    env "${cache[@]}" "$python" -m pytest --junitxml "$logs/$run.xml" "${tests[@]}" >"$logs/$run.log" 2>&1 || code=$?
    clean
    local all bad errors skipped
    all=$(count tests) bad=$(count failures) errors=$(count errors) skipped=$(count skipped)
    if [ -z "$all" ]; then
        printf '| %s | %s | %s | none | exit code %s | %s |\n' "$run" "$1" "$2" "$code" $((SECONDS - began))
    else
        bad=$((bad + errors))
        printf '| %s | %s | %s | %s | %s | %s |\n' "$run" "$1" "$2" $((all - bad - skipped)) "$bad" $((SECONDS - began))
    fi
    [ "$code" -eq 0 ] || worst=1
}

printf '| run | load | cache | passed | failed | seconds |\n|--:|---|---|--:|--:|--:|\n'
for turn in $(seq "${IDLE:-5}"); do
    once idle "$([ $((turn % 2)) = 0 ] && echo empty || echo warm)"
done
for turn in $(seq "${BUSY:-3}"); do
    once "2 busy" "$([ $((turn % 2)) = 0 ] && echo warm || echo empty)"
done
exit $worst
