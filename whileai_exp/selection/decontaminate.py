"""Training rows that are, quote, or paraphrase an evaluation: found and taken out.

Four rules, the first that applies names the reason: the same task id, the same text, common runs of words or characters that
cover most of either text, and, with an embedder, the same meaning. Coverage is measured both ways: a short evaluation item
inside a long row counts as much as a row that is a part of one. Everything a row says is looked at, in whatever shape.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ConfigError, Problem
from ..knobs import SelectionKnobs
from ..measures._show import shown
from ..measures._sources import is_tracked, rows_of
from ._report import SelectionReport, row_id
from ._said import ASKS, Text, answers_of, asked_of, texts_of
from ._shingles import Index, Stream, Vocabulary, characters, tokens_of

Row = Mapping[str, Any]
Embedder = Callable[[Sequence[str]], Any]
_FILE = re.compile(r"\S+\.jsonl?")
_CHUNK_CHARS = 500_000
"""Letters looked at together: what bounds memory, whatever the length of a text."""
_EMBEDDED = 1000
_SHOWN = 20
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class _Hit:
    """Why a row goes."""

    reason: str
    field: str
    text: int
    """Index of the evaluation text, -1 for a task id."""
    share: float


def decontaminate(
    rows: Any,
    against: Any,
    *,
    n: int | None = None,
    overlap: float | None = None,
    fields: Sequence[str] | None = None,
    same_task: bool = True,
    embedder: Embedder | None = None,
    similarity: float | None = None,
    knobs: SelectionKnobs | None = None,
) -> tuple[list[Row], SelectionReport]:
    """The rows that are in no evaluation, and the report with the others.

    `against`: evaluation rows, a JSON-lines file, texts, or a list of any of these. `n`: words in a run. `overlap`: share of
    either text that common runs cover from which it is the same. `fields`: row keys to read besides what a row says in
    `prompt`, `question`, `text`, … and in its `messages`. `same_task`: whether an equal `scenario_id` or `task_id` is enough;
    switch it off where two sets number their tasks alike. `embedder`: texts to vectors; asks at least `similarity` alike (cosine)
    are the same. `report.dropped` has the rows by reason (`same_task`, `exact`, `near`, `semantic`), `report["examples"]` what
    the first ones met. ConfigError: an overlap or similarity outside (0, 1], runs of no word, evaluations without any text.
    """
    knobs = knobs or SelectionKnobs()
    n, overlap = knobs.shingle_words if n is None else n, knobs.overlap_share if overlap is None else overlap
    alike = knobs.semantic_similarity if similarity is None else similarity
    _check(n, overlap, alike)
    given, evals = rows_of(rows), _evaluations(against)
    asks = [Text(at, name, text, True) for at, row in enumerate(evals) for name, text in asked_of(row) if text]
    known = _Known.of([*asks, *answers_of(evals)])
    if evals and not known.texts:
        what = f"{len(evals)} rows hold no text under {', '.join(ASKS)} or messages"
        raise ConfigError(Problem("against", what, "name the column: rows with a prompt, question or text"))
    own = texts_of(given, tuple(fields or ()))
    hits: dict[int, _Hit] = {}
    if same_task:
        _same_tasks(given, evals, hits)
    _alike(own, known, _Rule(n, overlap, knobs), hits)
    percentile = None if embedder is None else _same_meanings(own, asks, embedder, alike, hits)
    return _result(given, evals, known, hits, _Rule(n, overlap, knobs), percentile)


def _check(n: int, overlap: float, similarity: float) -> None:
    problems = [
        Problem(name, f"{value!r} is not in (0, 1]")
        for name, value in (("overlap", overlap), ("similarity", similarity))
        if not 0 < value <= 1
    ]
    if n < 1:
        problems.append(Problem("n", f"{n!r} is below its floor 1"))
    if problems:
        raise ConfigError(problems)


def _evaluations(against: Any) -> list[Row]:
    """The rows of one source or several."""
    if isinstance(against, (str, os.PathLike)) or hasattr(against, "rows") or hasattr(against, "trajectories"):
        against = [against]
    out: list[Row] = []
    for item in against:
        if isinstance(item, Mapping):
            out.append(item)
        elif isinstance(item, str) and not _is_path(item):
            out.append({"prompt": item})
        elif isinstance(item, (list, tuple)):
            out += _evaluations(item)
        else:
            out += rows_of(item, name="against")
    return out


def _is_path(text: str) -> bool:
    """Whether a string names rows and is not a text itself: something that is there, or what is spelled like a file of rows."""
    try:
        return is_tracked(text) or _FILE.fullmatch(text) is not None or Path(text).exists()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class _Known:
    """The different texts of the evaluations."""

    texts: list[Text]
    tokens: list[list[str]]
    exact: Mapping[str, int]
    """Letters and digits of each opening text (and of long answers) to its index."""

    @classmethod
    def of(cls, found: Iterable[Text]) -> _Known:
        texts: list[Text] = []
        tokens: list[list[str]] = []
        exact: dict[str, int] = {}
        for item in found:
            words = tokens_of(item.text)
            key = "".join(words)
            if key and key not in exact:
                exact[key] = len(texts)
                texts.append(item)
                tokens.append(words)
        return cls(texts, tokens, exact)


class _Rule(NamedTuple):
    """When two texts are the same."""

    n: int
    overlap: float
    knobs: SelectionKnobs


def _ids(row: Row) -> list[str]:
    return [str(row[name]) for name in ("scenario_id", "task_id") if row.get(name) not in (None, "")]


def _same_tasks(given: Sequence[Row], evals: Sequence[Row], hits: dict[int, _Hit]) -> None:
    known = {name for row in evals for name in _ids(row)}
    for at, row in enumerate(given):
        if any(name in known for name in _ids(row)):
            hits[at] = _Hit("same_task", "task_id", -1, 1.0)


def _alike(own: Sequence[Text], known: _Known, rule: _Rule, hits: dict[int, _Hit]) -> None:
    """Exact and near hits of rows that are not hit yet. Equal texts of many rows are looked at once."""
    where: dict[tuple[str, bool], int] = {}
    kept: list[tuple[Text, list[str]]] = []
    users: list[list[int]] = []
    for item in own:
        if item.row in hits:
            continue
        at = where.get((item.text, item.opening))
        if at is None:
            words = tokens_of(item.text)
            match = known.exact.get("".join(words))
            if match is not None and len(words) < rule.n and not (item.opening and known.texts[match].opening):
                match = None
            if match is not None:
                hits[item.row] = _Hit("exact", item.field, match, 1.0)
                continue
            at = where[item.text, item.opening] = len(kept)
            kept.append((item, words))
            users.append([])
        users[at].append(item.row)
    if not kept or not known.texts:
        return
    found = _near([words for _, words in kept], known, rule)
    for at in sorted(found):
        text, share = found[at]
        for row in users[at]:
            hits.setdefault(row, _Hit("near", kept[at][0].field, text, share))


def _near(tokens: Sequence[list[str]], known: _Known, rule: _Rule) -> dict[int, tuple[int, float]]:
    """Text to (evaluation text, share covered), of those that common runs of words or characters cover."""
    knobs, vocabulary = rule.knobs, Vocabulary()
    limits = {
        "postings": knobs.shingle_postings,
        "rarest": knobs.shingle_rarest,
        "candidates": knobs.shingle_candidates,
    }
    words = Index(vocabulary.words(known.tokens, rule.n), **limits)
    letters = Index(characters(known.tokens, knobs.shingle_chars), **limits)
    out: dict[int, tuple[int, float]] = {}
    for start, end in _chunks(tokens):
        part = tokens[start:end]
        _verified(words, vocabulary.words(part, rule.n), start, rule.overlap, out)
        left = [at for at in range(len(part)) if start + at not in out]
        found: dict[int, tuple[int, float]] = {}
        _verified(letters, characters([part[at] for at in left], knobs.shingle_chars), 0, rule.overlap, found)
        out.update({start + left[at]: hit for at, hit in found.items()})
    return out


def _chunks(tokens: Sequence[list[str]]) -> Iterable[tuple[int, int]]:
    """Consecutive texts (from, to) of about `_CHUNK_CHARS` letters together, one at least."""
    start = size = 0
    for at, words in enumerate(tokens):
        more = sum(map(len, words))
        if size and size + more > _CHUNK_CHARS:
            yield start, at
            start, size = at, 0
        size += more
    if start < len(tokens):
        yield start, len(tokens)


def _verified(index: Index, asked: Stream, offset: int, overlap: float, out: dict[int, tuple[int, float]]) -> None:
    done = np.zeros(len(asked.lengths), bool)
    for pairs in index.candidates(asked):
        open_ = ~done[pairs.text]
        pairs = type(pairs)(pairs.text[open_], pairs.known[open_])
        if not len(pairs.text):
            continue
        share = np.maximum(*index.covered(asked, pairs))
        for at in np.flatnonzero(share >= overlap).tolist():
            text = int(pairs.text[at])
            done[text] = True
            out[offset + text] = (int(pairs.known[at]), float(share[at]))


def _same_meanings(
    own: Sequence[Text], asks: Sequence[Text], embedder: Embedder, least: float, hits: dict[int, _Hit]
) -> float | None:
    """Hits by cosine of opening texts; gives the 99th percentile of how alike different evaluation asks are."""
    different = list(dict.fromkeys(item.text for item in asks))
    asked = [item for item in own if item.opening and item.row not in hits]
    texts = list(dict.fromkeys(item.text for item in asked))
    if not different or not texts:
        return None
    known = _unit(embedder(different), len(different))
    place = {item.text: at for at, item in reversed(list(enumerate(asks)))}
    found: dict[str, tuple[int, float]] = {}
    for start in range(0, len(texts), _EMBEDDED):
        part = texts[start : start + _EMBEDDED]
        cosine = _unit(embedder(part), len(part)) @ known.T
        best = cosine.argmax(1)
        for at, text in enumerate(part):
            if cosine[at, best[at]] >= least:
                found[text] = (place[different[int(best[at])]], float(cosine[at, best[at]]))
    for item in asked:
        if item.text in found:
            at, share = found[item.text]
            hits.setdefault(item.row, _Hit("semantic", item.field, at, share))
    if len(different) < 2:
        return None
    sample = known[:2000]
    among = sample @ sample.T
    return float(np.quantile(among[~np.eye(len(sample), dtype=bool)], 0.99))


def _unit(vectors: Any, count: int) -> Any:
    made = np.asarray(vectors, float)
    if made.ndim != 2 or len(made) != count:
        raise ConfigError(
            Problem("embedder", f"gave an array of shape {made.shape} for {count} texts", "give one vector per text")
        )
    return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)


def _result(
    given: Sequence[Row], evals: Sequence[Row], known: _Known, hits: Mapping[int, _Hit], rule: _Rule, percentile: float | None
) -> tuple[list[Row], SelectionReport]:
    kept: list[Row] = []
    dropped: dict[str, list[Row]] = {}
    ids: dict[str, list[str]] = {}
    by_field: dict[str, int] = {}
    examples: list[dict[str, Any]] = []
    for at, row in enumerate(given):
        hit = hits.get(at)
        if hit is None:
            kept.append(row)
            continue
        dropped.setdefault(hit.reason, []).append(row)
        ids.setdefault(hit.reason, []).append(row_id(row, at))
        by_field[hit.field] = by_field.get(hit.field, 0) + 1
        if len(examples) < _SHOWN:
            met = known.texts[hit.text].text if hit.text >= 0 else ", ".join(_ids(row))
            examples.append(
                {"row": row_id(row, at), "reason": hit.reason, "field": hit.field, "share": round(hit.share, 4), "met": met[:200]}
            )
    n, counts = len(given), {f"n_{reason}": len(dropped.get(reason, ())) for reason in ("same_task", "exact", "near", "semantic")}
    facts = {
        "kind": "decontaminate",
        "n": n,
        "n_selected": len(kept),
        "n_kept": len(kept),
        "n_contaminated": n - len(kept),
        "rate": (n - len(kept)) / n if n else None,
        **counts,
        "n_eval_rows": len(evals),
        "n_eval_texts": len(known.texts),
        "by_field": by_field,
        "examples": examples,
        "rule": {"words": rule.n, "characters": rule.knobs.shingle_chars, "overlap": rule.overlap},
        "distinct_eval_similarity_p99": percentile,
        "warnings": _warnings(n, kept, evals, counts, percentile, rule),
    }
    return kept, SelectionReport(facts, dropped, ids)


def _warnings(
    n: int, kept: Sequence[Row], evals: Sequence[Row], counts: Mapping[str, int], percentile: float | None, rule: _Rule
) -> list[str]:
    told = []
    if not evals:
        told.append("no evaluation rows were given: nothing was looked for")
    if n and len(kept) < _ALIKE * n:
        told.append(f"{n - len(kept)} of {n} rows are in the evaluations: are both drawn from one template or one task set?")
    if counts["n_same_task"]:
        told.append(f"{counts['n_same_task']} rows share a task id with an evaluation (same_task=False if the ids mean nothing)")
    if percentile is not None and percentile >= rule.knobs.semantic_similarity:
        told.append(
            f"different evaluation asks are up to {shown(percentile)} alike: this embedder cannot tell them apart at that bar"
        )
    return told
