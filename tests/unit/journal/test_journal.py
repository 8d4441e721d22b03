"""Nothing is paid for twice, whatever happens to the process or the file."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import BackendError, ConfigError, DiskError, KeyRefused, ReplayMismatch, RunBusy
from whileai_exp.journal import Journal, JournaledModel, journaled
from whileai_exp.ports import Address, ChatRequest, Reply, ToolCall
from whileai_exp.schema import Sampling, Usage

FULL = Reply(
    text="hé\ud800",
    calls=(ToolCall("a", "f", {"x": [1, {"y": None}]}), ToolCall("b", "g", {}, raw="{", error="bad")),
    finish_reason=None,
    usage=Usage(1, 2, None),
    reasoning="r",
    logprob=-0.1,
    n_tokens=2,
    token_logprobs=(-0.05, -0.05),
    model="m",
    meta={"planted": ["x"]},
)


class Counting:
    """A model that counts its calls and answers from a list, or with its address."""

    model = "m"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        answer = self.answers.pop(0) if self.answers else Reply(text=f"answer {request.address.repeat}", usage=Usage(3, 4))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def aclose(self) -> None: ...


def request(repeat: int = 0, text: str = "hi", **more: Any) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": text},), Address("agent", "t", repeat), **more)


def ask(journal: Journal, model: Counting, *requests: ChatRequest) -> list[Reply]:
    async def play() -> list[Reply]:
        return list(await asyncio.gather(*(JournaledModel(model, journal).complete(r) for r in requests)))

    return asyncio.run(play())


def test_an_answer_is_asked_for_once_and_read_back_whole(tmp_path):
    model = Counting(FULL)
    with Journal.open(tmp_path) as journal:
        ask(journal, model, request())
    with Journal.open(tmp_path) as journal:
        (again,) = ask(journal, model, request())
    assert model.calls == 1
    assert again == Reply(**{name: getattr(FULL, name) for name in FULL.__slots__} | {"text": "hé?"})


def test_the_key_covers_all_that_decides_an_answer(tmp_path):  # B71
    base = JournaledModel(Counting(), None)  # type: ignore[arg-type]
    tools = ({"function": {"name": "f"}},)
    variants = [
        request(),
        request(1),
        request(text="ho"),
        request(tools=tools),
        request(sampling=Sampling(temperature=0.2)),
        request(sampling=Sampling(temperature=0.7)),
        request(logprobs=True),
        request(response_format={"type": "object"}),
        ChatRequest(request().messages, Address("judge", "t", 0)),
        ChatRequest(request().messages, Address("agent", "t", 0, 1)),
    ]
    assert len({base.key(variant) for variant in variants}) == len(variants)
    assert base.key(request()) == JournaledModel(Counting(), None).key(request())  # type: ignore[arg-type]
    other = Counting()
    other.model = "other"  # type: ignore[misc]
    assert base.key(request()) != JournaledModel(other, None).key(request())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "failure", [BackendError("down", kind="error", status=500), Reply(text="", finish_reason="content_filter"), Reply(text="")]
)
def test_failures_refusals_and_empty_answers_are_asked_again_on_resume(tmp_path, failure):  # B38
    model = Counting(failure)
    with Journal.open(tmp_path) as journal:
        if isinstance(failure, BackendError):
            with pytest.raises(BackendError):
                ask(journal, model, request())
        else:
            ask(journal, model, request())
    with Journal.open(tmp_path) as journal:
        assert ask(journal, model, request())[0].text == "answer 0"
    assert model.calls == 2
    with Journal.open(tmp_path, replay=True) as journal:
        assert ask(journal, model, request())[0].text == "answer 0"


def test_an_offline_replay_repeats_failures_as_failures(tmp_path):
    model = Counting(BackendError("down", kind="timeout", status=None), Reply(text="", finish_reason="content_filter"))
    with Journal.open(tmp_path) as journal:
        with pytest.raises(BackendError):
            ask(journal, model, request(0))
        ask(journal, model, request(1))
    with Journal.open(tmp_path, replay=True) as journal:
        with pytest.raises(BackendError, match="down") as caught:
            ask(journal, model, request(0))
        assert caught.value.kind == "timeout"
        assert ask(journal, model, request(1))[0].finish_reason == "content_filter"
    assert model.calls == 2


def test_a_refused_key_leaves_no_trace(tmp_path):
    model = Counting(KeyRefused("no"))
    with Journal.open(tmp_path) as journal, pytest.raises(KeyRefused):
        ask(journal, model, request())
    with Journal.open(tmp_path, replay=True) as journal, pytest.raises(ReplayMismatch):
        ask(journal, model, request())


def test_a_replay_that_asks_something_else_is_told_where(tmp_path):
    with Journal.open(tmp_path) as journal:
        ask(journal, Counting(), request())
    model = Counting()
    with Journal.open(tmp_path, replay=True) as journal, pytest.raises(ReplayMismatch, match="agent/t/0"):
        ask(journal, model, request(text="other"))
    assert model.calls == 0


def test_a_replay_writes_nothing_and_needs_no_lock(tmp_path):
    with Journal.open(tmp_path) as writing:
        ask(writing, Counting(), request())
        with Journal.open(tmp_path, replay=True) as reading:
            assert len(reading) == 1


def test_journals_of_other_runs_are_read_through_and_not_written(tmp_path):
    with Journal.open(tmp_path / "a") as journal:
        ask(journal, Counting(), request(0))
    model = Counting()
    with Journal.open(tmp_path / "b", shared=[tmp_path / "a"]) as journal:
        ask(journal, model, request(0), request(1))
        assert journal.hits == 1
    assert model.calls == 1
    with Journal.open(tmp_path / "a") as journal:
        assert len(journal) == 1
    with pytest.raises(ConfigError, match="no journal"):
        Journal.open(tmp_path / "b", shared=[tmp_path / "nowhere"])
    with pytest.raises(ConfigError, match="no journal"):
        Journal.open(tmp_path / "nowhere", replay=True)


def test_the_second_process_is_told_who_owns_the_directory(tmp_path):
    with Journal.open(tmp_path), pytest.raises(RunBusy, match=f"process {os.getpid()} ") as caught:
        Journal.open(tmp_path)
    assert caught.value.exit_code == 73
    with Journal.open(tmp_path):
        pass


def test_a_deterministic_model_is_not_journaled():
    model = Counting()
    assert journaled(model, None) is model
    model.deterministic = True  # type: ignore[attr-defined]
    assert journaled(model, object()) is model  # type: ignore[arg-type]


def test_an_answer_is_on_disk_before_it_is_used(tmp_path):
    async def play() -> None:
        journal = Journal.open(tmp_path, commit_s=0.002)
        replies = await asyncio.gather(*(JournaledModel(Counting(), journal).complete(request(n)) for n in range(50)))
        with sqlite3.connect(f"file:{tmp_path / 'journal.sqlite'}?mode=ro", uri=True) as other:
            assert other.execute("SELECT count(*) FROM entries").fetchone() == (len(replies),)
        journal.close()

    asyncio.run(play())


def test_a_killed_process_loses_nothing_that_was_used(tmp_path):
    script = f"""
import asyncio, sys
from tests_journal import Counting, request, JournaledModel, Journal
async def play():
    journal = Journal.open({str(tmp_path)!r}, commit_s=0.001)
    for n in range(100000):
        await JournaledModel(Counting(), journal).complete(request(n))
        sys.stdout.write(str(n) + "\\n"); sys.stdout.flush()
asyncio.run(play())
"""
    copy = tmp_path / "lib"
    copy.mkdir()
    shutil.copy(__file__, copy / "tests_journal.py")
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=copy)
    assert child.stdout is not None
    used = [int(child.stdout.readline()) for _ in range(40)]
    child.send_signal(signal.SIGKILL)
    used += [int(line) for line in child.stdout.read().split() if line.isdigit()]
    child.wait()
    model = Counting()
    with Journal.open(tmp_path) as journal:
        ask(journal, model, *(request(n) for n in range(max(used))))
    assert model.calls == 0


def journal_bytes(folder: Path, n: int = 300) -> bytes:
    with Journal.open(folder) as journal:
        ask(journal, Counting(), *(request(repeat) for repeat in range(n)))
    for tail in ("-wal", "-shm"):
        assert not (folder / f"journal.sqlite{tail}").exists() or (folder / f"journal.sqlite{tail}").stat().st_size in (0, 32768)
    return (folder / "journal.sqlite").read_bytes()


def reopened(folder: Path, data: bytes) -> tuple[int, int]:
    """Answers kept, and repeated calls, after `data` was found on disk."""
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "journal.sqlite").write_bytes(data)
    model = Counting()
    with Journal.open(folder) as journal:
        kept = len(journal)
        replies = ask(journal, model, *(request(repeat) for repeat in range(300)))
    assert [reply.text for reply in replies] == [f"answer {n}" for n in range(300)]
    with Journal.open(folder) as journal:
        ask(journal, model, *(request(repeat) for repeat in range(300)))
    return kept, model.calls


@pytest.mark.slow
def test_a_journal_cut_anywhere_resumes_and_repeats_only_what_was_lost(tmp_path):  # B70
    data = journal_bytes(tmp_path / "run")
    for cut in (
        1,
        2,
        511,
        4095,
        4096,
        4097,
        9000,
        len(data) // 2,
        len(data) - 4096,
        len(data) - 101,
        len(data) - 33,
        len(data) - 1,
        len(data),
    ):
        kept, repeated = reopened(tmp_path / "run", data[: len(data) - cut])
        assert 0 <= repeated - (300 - kept) <= 8  # an entry that cannot be read is found when it is wanted
    kept, _ = reopened(tmp_path / "run", data[:-9000])
    assert kept > 200


def test_flipped_bytes_cost_the_entries_they_hit(tmp_path):
    data = journal_bytes(tmp_path / "run")
    for at in (20, 100, 4096 + 7, len(data) // 3, len(data) - 500):
        broken = data[:at] + bytes(byte ^ 0xFF for byte in data[at : at + 3]) + data[at + 3 :]
        kept, repeated = reopened(tmp_path / "run", broken)
        assert repeated <= 300 and kept <= 300


def test_a_file_that_is_no_journal_is_moved_aside(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"not a database at all, just text" * 400)
    with Journal.open(tmp_path) as journal:
        assert len(journal) == 0
    assert (tmp_path / "journal.damaged-0.sqlite").exists()


def test_a_disk_that_cannot_be_written_is_an_error_for_everyone_who_waits(tmp_path):
    async def play() -> list[Any]:
        journal = Journal.open(tmp_path)
        real = journal._commit

        def full(connection: sqlite3.Connection, batch: Any) -> None:
            connection.execute("PRAGMA max_page_count = 8")
            real(connection, batch)

        journal._commit = full  # type: ignore[method-assign]
        model = JournaledModel(Counting(), journal)
        long = [request(n, text="x" * 10) for n in range(40)]
        model._model.answers = [Reply(text="y" * 4000)] * 40  # type: ignore[attr-defined]
        results = await asyncio.gather(*(model.complete(r) for r in long), return_exceptions=True)
        later = await asyncio.gather(model.complete(request(99)), return_exceptions=True)
        journal.close()
        return [*results, *later]

    results = asyncio.run(play())
    assert isinstance(results[-1], DiskError) and results[-1].exit_code == 74 and "resume" in str(results[-1])
    with Journal.open(tmp_path) as journal:
        assert len(journal) == sum(isinstance(result, Reply) for result in results)
