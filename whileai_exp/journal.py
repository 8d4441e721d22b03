"""What models answered, kept so that nothing is paid for twice: resume, exact replay and reuse across runs.

A call's key is the SHA-256 of what decides its answer: role, model, the request without any endpoint in it, and its
address in the experiment. An answer is in the file before it is used, which is safe from any death of the process, and
on the disk within `sync_s`, which is safe from that of the machine. Failures, content-filter refusals and empty answers
are kept as attempts: a resumed run asks again, an offline replay repeats them as the failures they were.

The store is SQLite in WAL mode with one writing thread and one commit per few milliseconds. Every entry carries its
own checksum; an entry that fails it, or lies past a cut in the file, costs one repeated call and nothing else.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import orjson

from ._clock import SystemClock
from ._hash import plain
from .errors import BackendError, ConfigError, DiskError, KeyRefused, Problem, ReplayMismatch, RunBusy
from .ports import ChatModel, ChatRequest, Reply, ToolCall
from .schema import Usage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, answered INTEGER NOT NULL, address TEXT NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
);
"""
_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
_INSERT = "INSERT INTO entries (key, answered, address, body, crc) VALUES (?, ?, ?, ?, ?)"
_FILE = "journal.sqlite"
_WORTH_WAITING = 2.0
"""Answers that must be expected within `commit_s` for the writer to wait for them: a slow run loses no time to it."""
_RATE_WINDOW_S = 1.0


class Entry(NamedTuple):
    """What became of a call: an answer, or the failure it ended in."""

    answered: bool
    body: bytes


class _Write(NamedTuple):
    row: tuple[bytes, int, str, bytes, int]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


def encoded(value: Any) -> bytes:
    """Canonical bytes of a request or reply; what orjson takes as it is costs no walk."""
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return orjson.dumps(plain(value), option=_OPTIONS)


class RunLock:
    """Sole ownership of a run directory by this process, until `release` or the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "run.lock"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(self._file, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(self._file)
            raise RunBusy(f"process {owner} is running in {folder}; wait for it, or give another output directory") from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Journal:
    """The calls of one run directory; `shared` journals of other runs are read through and never written.

    Use `Journal.open`, then `async with` or `close`. Safe for one event loop at a time.
    """

    def __init__(
        self, folder: Path, *, commit_s: float = 0.0, sync_s: float = 0.0, replay: bool = False, shared: Sequence[Path] = ()
    ) -> None:
        self.folder = folder
        self.replay = replay
        """Whether a call that is not in the journal is an error instead of a call."""
        self.damaged = 0
        """Entries that were lost to a cut or a flipped bit when the file was opened."""
        self.hits = 0
        self.calls = 0
        self._commit_s = commit_s
        self._sync_s = sync_s
        self._lock = None if replay else RunLock(folder)
        self._readers: list[tuple[sqlite3.Connection, dict[bytes, int], dict[bytes, int]]] = []
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._broken: DiskError | None = None
        self._thread: threading.Thread | None = None
        try:
            self._readers = [
                self._reader(folder / _FILE, own=not replay),
                *(self._reader(_file_of(path), own=False) for path in shared),
            ]
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        commit_s: float = 0.0,
        sync_s: float = 0.0,
        replay: bool = False,
        shared: Sequence[Path | str] = (),
    ) -> Journal:
        """The journal in `folder`, made when it is not there. RunBusy when another process writes to it.

        `commit_s` gathers answers into one commit; `sync_s` is how long it may wait for the disk, 0 not at all.
        `replay=True` opens an existing one for reading only: a call it does not know raises ReplayMismatch.
        `shared`: folders of other runs whose answers are reused. ConfigError when one holds no journal.
        """
        path = Path(folder)
        if replay and not (path / _FILE).is_file():
            raise ConfigError(Problem("replay", f"{path} holds no journal", "give the directory of a run"))
        for other in shared:
            if not _file_of(Path(other)).is_file():
                raise ConfigError(Problem("journal.share", f"{other} holds no journal", "give the directory of a run"))
        path.mkdir(parents=True, exist_ok=True)
        return cls(path, commit_s=commit_s, sync_s=sync_s, replay=replay, shared=[Path(other) for other in shared])

    def __len__(self) -> int:
        """How many answers the run's own journal holds."""
        return len(self._readers[0][1])

    def find(self, key: bytes) -> Entry | None:
        """What is known of a call: its answer from any journal; its failure only under replay."""
        for connection, answers, failures in self._readers:
            row = answers.get(key)
            if row is None and self.replay:
                row = failures.get(key)
            if row is not None and (entry := _read(connection, row)) is not None:
                self.hits += 1
                return entry
        return None

    async def add(self, key: bytes, address: str, body: bytes, *, answered: bool = True) -> None:
        """Return when the entry is on disk. DiskError when it cannot be, then and ever after."""
        if self._broken is not None:
            raise self._broken
        self.calls += 1
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="whileai-journal", daemon=True)
            self._thread.start()
        self._queue.put(_Write((key, int(answered), address, body, crc32(key + body)), loop, done))
        await done

    def close(self) -> None:
        """Write what is queued, fold the log into the file, let the directory go. Safe to call twice."""
        for connection, _, _ in self._readers:
            connection.close()  # before the writer, whose close then folds the log into the file
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    async def __aenter__(self) -> Journal:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reader(self, path: Path, own: bool) -> tuple[sqlite3.Connection, dict[bytes, int], dict[bytes, int]]:
        if own:
            self.damaged += _prepare(path)
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False, timeout=10)
        answers: dict[bytes, int] = {}
        failures: dict[bytes, int] = {}
        for row, key, answered in connection.execute("SELECT id, key, answered FROM entries ORDER BY id"):
            if isinstance(key, bytes):
                (answers if answered else failures)[key] = row
        return connection, answers, failures

    def _write_all(self) -> None:
        """The writing thread: gather, commit, tell everyone who waits."""
        pause = threading.Event()
        connection = sqlite3.connect(self.folder / _FILE, isolation_level=None, timeout=30)
        with closing(connection):
            clock, synced_s, syncing, more = SystemClock(), float("-inf"), None, True
            rate, counted, since_s = 0.0, 0, clock.monotonic()
            while more and (first := self._queue.get()) is not None:
                due = clock.monotonic() - synced_s >= self._sync_s
                if due is not syncing:
                    connection.execute(f"PRAGMA synchronous={'FULL' if due else 'NORMAL'}")
                    syncing = due
                if rate * self._commit_s >= _WORTH_WAITING:
                    pause.wait(self._commit_s)
                batch = [first]
                with suppress(queue.Empty):
                    while (item := self._queue.get_nowait()) is not None:
                        batch.append(item)
                    more = False
                self._commit(connection, batch)
                now_s = clock.monotonic()
                synced_s = now_s if due else synced_s
                counted += len(batch)
                if now_s - since_s >= _RATE_WINDOW_S:
                    rate, counted, since_s = counted / (now_s - since_s), 0, now_s

    def _commit(self, connection: sqlite3.Connection, batch: list[_Write]) -> None:
        error: DiskError | None = self._broken
        if error is None:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(_INSERT, [item.row for item in batch])
                connection.execute("COMMIT")
            except sqlite3.Error as caught:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                error = self._broken = DiskError(
                    f"the journal in {self.folder} cannot be written ({caught}); make room and resume"
                )
        for loop in {id(item.loop): item.loop for item in batch}.values():
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, [item.done for item in batch if item.loop is loop], error)


def _settle(waiting: list[asyncio.Future[None]], error: DiskError | None) -> None:
    for done in waiting:
        if done.done():
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def _file_of(path: Path) -> Path:
    return path if path.suffix == ".sqlite" else path / _FILE


def _read(connection: sqlite3.Connection, row: int) -> Entry | None:
    try:
        found = connection.execute("SELECT key, answered, body, crc FROM entries WHERE id = ?", (row,)).fetchone()
    except sqlite3.Error:
        return None
    if found is None or not isinstance(found[0], bytes) or not isinstance(found[2], bytes):
        return None
    return Entry(bool(found[1]), found[2]) if crc32(found[0] + found[2]) == found[3] else None


def _prepare(path: Path) -> int:
    """Make `path` a whole journal; returns how many entries a damaged one lost."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(_SCHEMA)
            if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return 0
    except sqlite3.OperationalError as error:
        if "disk" in str(error) and "malformed" not in str(error) and "I/O" not in str(error):
            raise DiskError(f"the journal {path} cannot be opened ({error}); make room and resume") from None
    except sqlite3.DatabaseError:
        pass
    return _salvage(path)


def _salvage(path: Path) -> int:
    """Move a damaged file aside and copy into a new one every entry that can still be read whole."""
    number = sum(1 for _ in path.parent.glob("journal.damaged-*"))
    aside = path.with_name(f"journal.damaged-{number}.sqlite")
    for tail in ("", "-wal", "-shm"):
        source = Path(f"{path}{tail}")
        if source.exists():
            source.rename(f"{aside}{tail}")
    _pad(aside)
    kept, highest = _whole_entries(aside)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        connection.executemany(_INSERT, kept)
        connection.execute("COMMIT")
    return max(0, highest - len(kept))


def _pad(path: Path) -> None:
    """Extend a cut file with zeros to the length its header promises: SQLite reads no page of a shorter one."""
    with path.open("r+b") as file:
        header = file.read(32)
        if len(header) < 32 or not header.startswith(b"SQLite format 3\0"):
            return
        page = int.from_bytes(header[16:18], "big") or 65536
        promised = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
        if 0 < promised < 1 << 40 and path.stat().st_size < promised:
            file.truncate(promised)


def _whole_entries(path: Path) -> tuple[list[tuple[bytes, int, str, bytes, int]], int]:
    """Entries whose checksum holds, and the highest id seen."""
    kept: list[tuple[bytes, int, str, bytes, int]] = []
    highest = 0
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        row = misses = 0
        while misses < 4096:
            row += 1
            try:
                found = connection.execute(
                    "SELECT key, answered, address, body, crc FROM entries WHERE id = ?", (row,)
                ).fetchone()
            except sqlite3.Error:
                found = None
            if found is None:
                misses += 1
                continue
            misses, highest = 0, row
            key, answered, address, body, crc = found
            if isinstance(key, bytes) and isinstance(body, bytes) and crc32(key + body) == crc:
                kept.append((key, int(bool(answered)), str(address), body, crc))
    return kept, highest


class JournaledModel:
    """A model whose every answer is in the journal before anyone sees it, and is asked for only once."""

    deterministic = False

    def __init__(self, model: ChatModel, journal: Journal) -> None:
        self._model = model
        self._journal = journal
        self._tools: tuple[Any, bytes] = ((), b"[]")

    @property
    def model(self) -> str:
        return self._model.model

    async def complete(self, request: ChatRequest) -> Reply:
        """The recorded answer, or the model's, recorded. ReplayMismatch under replay when there is none."""
        key = self.key(request)
        entry = self._journal.find(key)
        if entry is not None:
            return _reply_from(entry)
        address = "/".join(map(str, request.address.parts()))
        if self._journal.replay:
            raise ReplayMismatch(
                f"the journal has no answer for the call at {address}: the request differs from the recorded run's"
            )
        try:
            reply = await self._model.complete(request)
        except KeyRefused:
            raise
        except BackendError as error:
            said = {"error": str(error), "kind": error.kind, "status": error.status}
            await self._journal.add(key, address, encoded(said), answered=False)
            raise
        empty = not reply.text and not reply.calls
        await self._journal.add(key, address, _reply_bytes(reply), answered=reply.finish_reason != "content_filter" and not empty)
        return reply

    async def aclose(self) -> None:
        await self._model.aclose()

    def key(self, request: ChatRequest) -> bytes:
        """What decides the answer, hashed."""
        if self._tools[0] is not request.tools:
            self._tools = (request.tools, encoded(list(request.tools)))
        sampling = request.sampling.wire()
        sampling["model"] = sampling["model"] or self._model.model
        parts = [list(request.address.parts()), sampling, request.response_format, request.logprobs, list(request.messages)]
        return sha256(self._tools[1] + encoded(parts)).digest()


def journaled(model: ChatModel, journal: Journal | None) -> ChatModel:
    """`model` behind the journal; itself when there is none, or when it is deterministic and a replay can ask it again."""
    if journal is None or getattr(model, "deterministic", False):
        return model
    return JournaledModel(model, journal)


def _reply_bytes(reply: Reply) -> bytes:
    body: dict[str, Any] = {"text": reply.text, "finish": reply.finish_reason, "model": reply.model}
    if reply.calls:
        body["calls"] = [[c.id, c.name, c.arguments, c.raw, c.error] for c in reply.calls]
    if reply.usage != Usage():
        body["usage"] = [reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens]
    for name, value in (("reasoning", reply.reasoning), ("logprob", reply.logprob), ("n_tokens", reply.n_tokens)):
        if value is not None:
            body[name] = value
    if reply.token_logprobs is not None:
        body["token_logprobs"] = list(reply.token_logprobs)
    if reply.meta:
        body["meta"] = dict(reply.meta)
    # not sorted: the order of a call's arguments goes back to the model in the next request
    try:
        return orjson.dumps(body)
    except TypeError:
        return orjson.dumps(plain(body))


def _reply_from(entry: Entry) -> Reply:
    body = orjson.loads(entry.body)
    if "error" in body:
        raise BackendError(body["error"], kind=body["kind"], status=body["status"])
    logps = body.get("token_logprobs")
    return Reply(
        text=body["text"],
        calls=tuple(ToolCall(*call) for call in body.get("calls", ())),
        finish_reason=body["finish"],
        usage=Usage(*body.get("usage", ())),
        reasoning=body.get("reasoning"),
        logprob=body.get("logprob"),
        n_tokens=body.get("n_tokens"),
        token_logprobs=tuple(logps) if logps is not None else None,
        model=body["model"],
        meta=body.get("meta", {}),
    )
