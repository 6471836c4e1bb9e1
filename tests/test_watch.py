"""`spheresn watch`: rows in, JSON lines out; bad lines are said, and it goes on."""

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import spheresn as sn
from spheresn.apps.cli import main, stream
from spheresn.apps.cli.stream import Reader, pieces_of_text

QUICK = ["--train", "200", "--units", "20", "--learned", "30"]


def wave(rows, columns=1):
    t = np.arange(rows)[:, None]
    noise = 0.1 * np.random.default_rng(0).standard_normal((rows, columns))
    return np.sin(0.2 * t + np.arange(columns)) + noise


def text_of(rows, head="x"):
    return "\n".join([head, *(",".join(f"{v:.4f}" for v in row) for row in rows), ""])


def said(capsys, *arguments, code=0):
    """The lines of JSON that a command prints."""
    assert main(["watch", *map(str, arguments)]) == code
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def table(tmp_path):
    """A fault of 40 rows, at lines 702 to 741."""
    rows = wave(1200)
    rows[700:740] += 1.5
    path = tmp_path / "rows.csv"
    path.write_text(text_of(rows))
    return path


def test_a_fault_in_a_file(table, capsys):
    *found, last = said(capsys, table, *QUICK, "--level", "0.01")
    alarms = [one["line"] for one in found if one["alarm"]]
    assert 702 in alarms and set(alarms) & set(range(702, 742))
    begins = [one for one in found if "since" in one]
    assert 702 <= begins[0]["line"] < 760 and abs(begins[0]["since"] - 702) < 25
    ends = [one for one in found if not one["changed"] and not one["alarm"]]
    assert ends and ends[0]["line"] > 742
    assert last == {"rows": 1000, "alarms": len(alarms), "changes": len(begins), "bad": 0}
    row = next(one for one in found if one["line"] == 702)
    assert row["value"]["x"] > row["upper"]["x"] > row["forecast"]["x"] > row["lower"]["x"]


def test_all_rows_and_a_saved_model(table, tmp_path, capsys):
    model = sn.ESNForecaster(units=20, observation_noise=0, random_state=0).fit(wave(1200)[:200])
    sn.save(model, tmp_path / "m.spheresn")
    path = tmp_path / "rest.csv"
    path.write_text(text_of(wave(1200)[200:300]))
    *found, last = said(capsys, path, "--model", tmp_path / "m.spheresn", "--all")
    assert len(found) == last["rows"] == 100 and found[0]["line"] == 2
    assert found[0]["forecast"]["x"] == pytest.approx(model.forecast(1)[0, 0])
    assert found[0]["upper"]["x"] is None and found[0]["probability"] is None


def test_standard_input_with_times(tmp_path, monkeypatch, capsys):
    path = tmp_path / "rows.csv"
    rows = wave(300)[:, 0]
    path.write_text("time,x\n" + "".join(f"t{k}\x07,{x:.4f}\n" for k, x in enumerate(rows)))
    with path.open() as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        *found, last = said(capsys, "-", *QUICK, "--all")
    assert found[0]["time"] == "t200\\x07" and found[0]["line"] == 202 and last["rows"] == 100


def test_bad_lines_are_said_and_missing(tmp_path, capsys):
    lines = text_of(wave(700, 2), "a,b").splitlines()
    lines[300] = "1.0"
    lines[400] = "1.0,oops\x07"
    lines[500] = "1e200,0"
    lines[550] = "x" * (stream.LONGEST_LINE + 5)
    lines[600] = ",nan"  # missing, not bad
    lines[5] = "7;;;"  # before the model is learned
    lines[6] = "# a remark"
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))  # and no end of the last line
    *found, last = said(capsys, path, *QUICK)
    bad = {one["line"]: one["bad"] for one in found if "bad" in one}
    assert bad == {
        6: "1 cell, not 2: 7;;;",
        301: "1 cell, not 2: 1.0",
        402 - 1: "no number: oops\\x07",
        501: "no number: 1e200",
        551: f"longer than {stream.LONGEST_LINE} bytes",
    }
    assert last["bad"] == 5 and last["rows"] == 700 - 1 - 200


def numbers(*lines, **options):
    """The values that a reader finds, and what is bad."""
    reader = Reader(**options)
    found = list(reader.read(lines))
    return reader.names, [one.values for one in found], [one.bad for one in found]


@pytest.mark.parametrize(
    ("lines", "names", "values"),
    [
        (["1,2", "3,4"], ["1", "2"], [[1, 2], [3, 4]]),
        (["a;b", "1;2.5"], ["a", "b"], [[1, 2.5]]),
        (["a\tb", "1\t2"], ["a", "b"], [[1, 2]]),
        (["1   2", "3 4"], ["1", "2"], [[1, 2], [3, 4]]),
        (["5", "", "# six", "7"], ["1"], [[5], [7]]),
        (["time,x", "2020-01-01,1"], ["x"], [[1]]),
        (["Timestamp,x", "17,1"], ["x"], [[1]]),
        (['"a, or b",c', '1,"2"'], ["a, or b", "c"], [[1, 2]]),
        (["[1, 2]", "[3, null]"], ["1", "2"], [[1, 2], [3, np.nan]]),
        (['{"x": 1, "time": 4, "s": "t"}', '{"s": "u", "x": "2"}'], ["x"], [[1], [2]]),
        (["1,n/a"], ["1"], [[1]]),
    ],
)
def test_rows_of_many_forms(lines, names, values):
    found = numbers(*lines)
    assert found[0] == names and not any(found[2])
    assert np.array_equal(found[1], values, equal_nan=True)


@pytest.mark.parametrize(
    ("lines", "bad"),
    [
        (["[1]", "[true]"], "no number: True"),
        (["[1]", "{"], "no JSON: {"),
        (["[1]", "[" * 3000], "no JSON: [[["),
        (["[1]", "[1e999]"], "no number: inf"),
        (["[1]", "[" + "9" * 400 + "]"], "no number: 999"),
        (["1", "inf"], "no number: inf"),
        (["[]", "[1]"], "no numbers: []"),
        (["1", "1,2"], "no number: 1,2"),
        (["x,time", ",17", "1,18"], "no numbers: ,17"),
        (["1", None], "longer than"),
    ],
)
def test_lines_that_are_no_rows(lines, bad):
    _, values, found = numbers(*lines, expected=1)
    (line,) = [k for k, one in enumerate(found) if one]
    assert found[line].startswith(bad) and np.isnan(values[line]).all()


def test_columns_by_their_names():
    assert numbers("a,b,c", "1,2,3", wanted=["c", "a"])[:2] == (["c", "a"], [[3, 1]])
    assert numbers('{"a": 1, "b": 2}', wanted=["b"])[:2] == (["b"], [[2]])
    with pytest.raises(sn.BadInput, match="--column must be one of a, b"):
        numbers("a,b", "1,2", wanted=["d"])
    with pytest.raises(sn.BadInput, match="--column must be one of a"):
        numbers('{"a": 1}', wanted=["d"])


def test_lines_come_as_soon_as_they_are_there():
    """Half a line waits for its end; a long line is skipped without being kept."""
    read, write = os.pipe()
    pieces = pieces_of_text(read)
    os.write(write, b"1\n2\n3")
    assert next(pieces) == ["1", "2"]
    os.write(write, b"4\n")
    assert next(pieces) == ["34"]
    thread = threading.Thread(
        target=lambda: (os.write(write, b"x" * 300_000 + b"\n5\n\xff6"), os.close(write))
    )
    thread.start()
    assert [line for piece in pieces for line in piece] == [None, "5", "�6"]
    thread.join()
    os.close(read)


REFUSED = [
    (["none.csv"], "FILE must be a file of rows, got 'none.csv'"),
    (["."], "got the directory"),
    (["a\0b"], "FILE must be a file of rows"),
    (["rows.csv", "--train", "5"], "--train must be a whole number of at least 40"),
    (["rows.csv", "--train", "5000"], "FILE must have at least 5000 rows to learn from"),
    (["holes.csv", "--train", "50"], "FILE must have numbers in half of its first 50 rows"),
    (["empty.csv"], "FILE must have at least 1000 rows"),
    (["rows.csv", *QUICK, "--level", "2"], "level must be"),
    (["rows.csv", "--model", "regressor.spheresn"], "MODEL must be a forecaster"),
    (["rows.csv", "--model", "beside.spheresn"], "MODEL must have no exogenous columns"),
    (["two.csv", "--model", "m.spheresn"], "FILE must have 1 column(s) of numbers"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Files and models."""
    folder = tmp_path_factory.mktemp("watch")
    (folder / "rows.csv").write_text(text_of(wave(300)))
    (folder / "two.csv").write_text(text_of(wave(300, 2), "a,b"))
    (folder / "holes.csv").write_text("x\n1\n" + "nan\n" * 80)
    (folder / "empty.csv").write_text("")
    options = {"units": 20, "observation_noise": 0, "random_state": 0}
    rows, beside = wave(200), np.arange(200.0)[:, None] % 5
    sn.save(sn.ESNForecaster(**options).fit(rows), folder / "m.spheresn")
    sn.save(sn.ESNForecaster(**options).fit(rows, exogenous=beside), folder / "beside.spheresn")
    sn.save(sn.ESNRegressor(units=20).fit(rows, rows[:, 0]), folder / "regressor.spheresn")
    return folder


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=lambda one: str(one[0])[:20])
def test_what_cannot_be_watched(place, arguments, sentence, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert main(["watch", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_model_with_names_takes_its_columns(place, tmp_path, capsys):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(wave(200, 2), columns=["b", "a"])
    model = sn.ESNForecaster(units=20, observation_noise=0, random_state=0).fit(frame)
    sn.save(model, tmp_path / "named.spheresn")
    *found, _ = said(capsys, place / "two.csv", "--model", tmp_path / "named.spheresn", "--all")
    assert list(found[0]["value"]) == ["b", "a"]
    ahead = model.forecast(1).iloc[0]
    assert found[0]["forecast"] == pytest.approx({"b": ahead["b"], "a": ahead["a"]})


def started(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "spheresn", "watch", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_a_pipe_is_answered_row_by_row_until_ctrl_c(place):
    with started("-", "--model", str(place / "m.spheresn"), "--all") as run:
        for value in (b"0.1\n", b"0.2\n"):
            run.stdin.write(value)
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["value"]["1"] == float(value)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
        assert run.stderr.read() == b""


def test_a_reader_that_goes_away_is_no_defect(place):
    with started("-", "--model", str(place / "m.spheresn"), "--all") as run:
        run.stdin.write(b"0.1\n")
        run.stdin.flush()
        run.stdout.readline()
        run.stdout.close()
        run.stdin.write(b"0.1\n" * 5000)
        run.stdin.close()
        assert run.wait(60) == 0
        assert run.stderr.read() == b""
