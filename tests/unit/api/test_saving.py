"""Rows to a file and back: hostile text and numbers, broken lines named, files larger than memory."""

from __future__ import annotations

import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whileai_exp as wai
from whileai_exp.errors import ConfigError, DiskError
from whileai_exp.export import export_dataset


def saved(tmp_path: Path, *rows: Any, name: str = "rows.jsonl") -> list[dict[str, Any]]:
    return wai.load_rows(wai.save_rows(rows, tmp_path / name))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_separators_that_are_no_newlines_end_no_line(name: str, tmp_path: Path):  # B66
    row = {"prompt": "a\u2028b\u2029c\u0085d\x0b\x0ce\r\nf", "final_text": ""}
    assert saved(tmp_path, row, row, name=name) == [row, row]


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float64("nan")])
def test_a_reward_that_is_no_number_is_null_and_never_zero(value: Any, tmp_path: Path):  # B68
    (back,) = saved(tmp_path, {"prompt": "p", "reward": value, "logprob": value})
    assert back == {"prompt": "p", "reward": None, "logprob": None}
    json.loads((tmp_path / "rows.jsonl").read_text("utf-8"), parse_constant=lambda name: pytest.fail(name))
    with pytest.raises(wai.ExportError, match="1 unjudged"):
        export_dataset([{"prompt": "p", "final_text": "x", "reward": value}], tmp_path / "out.jsonl")


def test_nan_that_others_wrote_is_read_as_null(tmp_path: Path):  # B68
    (tmp_path / "theirs.jsonl").write_text('{"prompt": "p", "reward": NaN, "logprob": -Infinity}\n')
    assert wai.load_rows(tmp_path / "theirs.jsonl") == [{"prompt": "p", "reward": None, "logprob": None}]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_surrogates_bytes_and_huge_numbers_are_written_as_what_json_has(name: str, tmp_path: Path):
    (back,) = saved(tmp_path, {"prompt": "a\ud800b", "blob": b"x\xff", "big": 10**30, "edge": 2**64 - 1, "one": np.int64(3)}, name=name)  # fmt: skip
    assert back == {"prompt": "a?b", "blob": "x\ufffd", "big": str(10**30), "edge": 2**64 - 1, "one": 3}


def test_numbers_past_64_bits_and_lone_surrogates_of_others_are_read_as_they_stand(tmp_path: Path):
    (tmp_path / "theirs.jsonl").write_bytes(
        b'\xef\xbb\xbf{"id": 123456789012345678901234567890, "t": "\\ud800"}\r\n\r\n{"id": 1}'
    )
    assert wai.load_rows(tmp_path / "theirs.jsonl") == [{"id": 123456789012345678901234567890, "t": "\ud800"}, {"id": 1}]


def test_every_line_that_holds_no_row_is_named_at_once(tmp_path: Path):
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b'{"prompt":"a"}\n[1]\nnot json\n\n"text"\n{"a":"\xff"}\n{"prompt":"b"}\n{"prompt":"cu')
    with pytest.raises(ConfigError) as caught:
        wai.load_rows(path)
    told = str(caught.value)
    for words in ("line 2: is a list", "line 3: is not JSON", "line 5: is text", "line 6: is not UTF-8", "line 8: is cut off"):
        assert words in told
    assert "line 1" not in told and "2 lines are rows" in told
    faults: list[str] = []
    assert [row["prompt"] for row in wai.iter_rows(path, skip=faults)] == ["a", "b"] and len(faults) == 5
    with pytest.raises(ConfigError, match="line 2"):
        list(wai.iter_rows(path))


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path):
    with pytest.raises(ConfigError, match="no such file"):
        wai.load_rows(tmp_path / "nowhere.jsonl")
    with pytest.raises(ConfigError, match="is nested too deeply|is not JSON"):
        (tmp_path / "deep.jsonl").write_bytes(b'{"a":' * 5000 + b"1" + b"}" * 5000)
        wai.load_rows(tmp_path / "deep.jsonl")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_a_row_that_cannot_be_written_is_named_and_the_file_before_it_stays(name: str, tmp_path: Path):
    wai.save_rows([{"prompt": "old"}], tmp_path / name)
    with pytest.raises(ConfigError, match=r"row r7: cannot be written.*object"):
        wai.save_rows([{"prompt": "new"}, {"rollout_id": "r7", "x": object()}], tmp_path / name)
    with pytest.raises(ConfigError, match="row 1: is list, not a row"):
        wai.save_rows([{"prompt": "new"}, []], tmp_path / name)  # pyright: ignore[reportArgumentType]
    assert wai.load_rows(tmp_path / name) == [{"prompt": "old"}] and [p.name for p in tmp_path.iterdir()] == [name]


def test_a_disk_that_refuses_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskError, match="nothing was written"):
        wai.save_rows([{"prompt": "a"}], tmp_path / "file" / "rows.jsonl")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_no_rows_are_a_file_of_none(name: str, tmp_path: Path):
    assert saved(tmp_path, name=name) == []


def test_privileged_data_stays_behind_and_the_sidecar_says_whose_rows_they_are(tmp_path: Path):  # W17
    rows = [{"prompt": "p", "final_text": "f", "privileged": {"reference": "SECRET"}, "meta": {"privileged": {"a": "SECRET"}}}]
    scored = wai.run_judge(rows, lambda row: 1)
    for name in ("rows.jsonl", "rows.parquet"):
        back = wai.load_rows(scored.save(tmp_path / name))
        assert back[0]["reward"] == 1.0 and "privileged" not in back[0] and back[0]["meta"] == {}
    assert not any(b"SECRET" in path.read_bytes() for path in tmp_path.iterdir())
    assert orjson.loads((tmp_path / "rows.meta.json").read_bytes())["judge"]["name"]


def test_a_run_comes_back_as_its_rows(tmp_path: Path):
    tools = [{"name": "get_order", "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}}}]
    data = wai.simulate(agent="scripted", tools=tools, system_prompt="Look after orders.", mode="rl", situations=3, repeats=2)
    for name in ("rows.jsonl", "rows.parquet"):
        assert wai.load_rows(data.save(tmp_path / name)) == list(data.rows)


def test_a_file_is_read_and_written_without_holding_it(tmp_path: Path):
    """30 MB of rows through 3 MB of memory: nothing grows with the file."""
    text = "x" * 10_000
    tracemalloc.start()
    try:
        wai.save_rows(({"prompt": text, "n": n} for n in range(3000)), tmp_path / "big.jsonl")
        assert sum(1 for _ in wai.iter_rows(tmp_path / "big.jsonl")) == 3000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "big.jsonl").stat().st_size > 30e6 and peak < 3e6


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
_KEYS = st.sampled_from(["prompt", "reward", "seed", "messages", "markers", "phrasing", "usage", "note", "extra"]) | st.text(
    max_size=5
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.dictionaries(_KEYS.filter(lambda key: key != "privileged"), _JSON, max_size=6), max_size=4))
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_of_json_come_back_equal(name: str, rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory):
    """Property, both kinds of file: what JSON can say is what is read back."""
    assert saved(tmp_path_factory.mktemp("rows"), *rows, name=name) == rows
