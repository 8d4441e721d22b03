"""A key leaves no trace in anything a run writes or prints, however the run ends."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import orjson
import pytest

from .test_resilience import wait_for_calls
from .test_wire import on, server  # noqa: F401

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow

KEY = 'sk-canary/4f9+77d1="q"'
"""Holds what URLs and JSON escape, so that its encodings differ from it."""


def forms(key: str) -> list[bytes]:
    """The key as a file could hold it: plain, JSON-escaped, URL-quoted, base64 (at each of three offsets), hex."""
    raw = key.encode()
    shifted = [base64.b64encode(b"x" * offset + raw)[4 if offset else 0 : -4] for offset in range(3)]
    return [raw, orjson.dumps(key)[1:-1], quote(key, safe="").encode(), *shifted, raw.hex().encode()]


def holders(folder: Path, *said: str) -> list[str]:
    """Where a form of the key stands: files below `folder` and what was printed."""
    texts = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    texts |= {f"printed {number}": text.encode() for number, text in enumerate(said)}
    return [name for name, text in texts.items() if any(form in text for form in forms(KEY))]


def configure(url: str, **settings: object) -> None:
    request = urllib.request.Request(url.removesuffix("/v1") + "/config", orjson.dumps(settings), method="POST")
    urllib.request.urlopen(request, timeout=10).close()


@pytest.mark.parametrize(
    ("ending", "variable", "settings", "more", "code"),
    [
        ("success", "MY_KEY", {}, (), 0),
        ("success", "OPENAI_API_KEY", {}, (), 0),
        ("echoed 401", "MY_KEY", {"api_key": "another", "echo_key": True}, (), 77),
        ("echoed 401 in mid-run", "MY_KEY", {"refuse_after": 6, "echo_key": True}, ("allocation.concurrency=1",), 77),
        ("500", "MY_KEY", {"faults": {"500": 1.0}}, ("advanced.retry_attempts=1",), 75),
        ("timeout", "MY_KEY", {"faults": {"stall": 1.0}}, ("allocation.timeout_s=1", "advanced.retry_attempts=1"), 75),
    ],
)
def test_a_key_is_in_nothing_that_is_left(
    run: Run,
    tmp_path: Path,
    server: Callable[..., str],  # noqa: F811
    ending: str,
    variable: str,
    settings: dict[str, object],
    more: tuple[str, ...],
    code: int,
) -> None:
    url = server()
    configure(url, **settings)
    named = () if variable == "OPENAI_API_KEY" else (f"agent.api_key_env={variable}",)
    arguments = on(url, *named, "record=default", "counts.situations=3", *more)
    done = run(*arguments, env={variable: KEY, "PYTHONDEVMODE": "1"})
    assert done.returncode == code, done.stdout + done.stderr
    assert holders(tmp_path, done.stdout, done.stderr) == []
    if ending != "echoed 401":
        assert any(path.name == "mlflow.db" or path.suffix == ".db" for path in tmp_path.rglob("*")), (
            "no MLflow store to look into"
        )


def test_a_key_is_in_nothing_that_an_interrupted_run_leaves(tmp_path: Path, server: Callable[..., str]) -> None:  # noqa: F811
    url = server("--latency", "0.2")
    process = subprocess.Popen(
        [sys.executable, "-m", "whileai_exp", *on(url, "agent.api_key_env=MY_KEY", f"hydra.run.dir={tmp_path}/cut")],
        cwd=tmp_path,
        env={**os.environ, "MY_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_calls(tmp_path / "cut")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert holders(tmp_path, out, err) == []


@pytest.mark.parametrize(
    "override",
    [f"+agent.api_key={KEY}", f"agent.base_url=http://me:{quote(KEY, safe='')}@127.0.0.1:9/v1", f"+agent.options.token={KEY}"],
)
def test_a_key_on_the_command_line_is_refused_before_any_file_is_written(run: Run, tmp_path: Path, override: str) -> None:
    done = run(*on("http://127.0.0.1:9/v1"), override)
    assert done.returncode == 2, done.stdout + done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert holders(tmp_path, done.stdout, done.stderr) == []


def test_the_search_finds_each_form_of_a_key(tmp_path: Path) -> None:
    for number, form in enumerate(
        [KEY.encode(), base64.b64encode(b"Bearer " + KEY.encode()), quote(KEY, safe="").encode(), KEY.encode().hex().encode()]
    ):
        (tmp_path / str(number)).write_bytes(b"..." + form + b"...")
    assert len(holders(tmp_path, f"said {KEY}")) == 5
