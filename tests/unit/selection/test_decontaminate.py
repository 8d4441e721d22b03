"""Contamination in any script, shape and direction; near-duplicates against all pairs; both the same at any order."""

from __future__ import annotations

import copy
import json
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.schema import Privileged
from whileai_exp.selection import decontaminate, near_duplicate_prompts
from whileai_exp.selection._shingles import Index, Vocabulary, characters, tokens_of

APPLES = "How many apples does John have if he buys 3 and eats 1?"


def count(row: Any, against: Any, **options: Any) -> int:
    return decontaminate([row], against, **options)[1]["n_contaminated"]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("请取消我的订单谢谢", "请取消我的订单谢谢"),
        ("Отмените мой заказ, пожалуйста", "отмените мой заказ пожалуйста"),
        ("Cancel order 9911", "Cancel order 9911."),
        ("Ｃａｎｃｅｌ order 9911", "cancel ORDER 9911"),
        ("background " * 40 + APPLES, APPLES),
        (APPLES, "Read the passage. " * 30 + APPLES),
        ("上下文。" * 30 + "请取消我的订单谢谢你", "请取消我的订单谢谢你"),
        ("Thequickbrownfoxjumpsoverthelazydog again", "the quick brown fox jumps over the lazy dog"),
    ],
)
def test_the_same_text_is_found_in_any_script_and_inside_longer_ones(mine: str, theirs: str) -> None:
    assert count({"prompt": mine}, [[{"prompt": theirs}]]) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": APPLES},
        {"question": APPLES},
        {"text": APPLES},
        {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": APPLES}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": APPLES}]}]},
        {"prompt": [{"role": "user", "content": APPLES}]},
    ],
)
def test_every_shape_is_read_on_both_sides(row: dict[str, Any]) -> None:
    assert count(row, [[{"question": APPLES}]]) == 1 and count({"prompt": APPLES}, [row]) == 1


def test_a_replied_solution_counts_and_what_a_model_replied_in_the_evaluation_does_not() -> None:
    solution = "First add three apples to the basket and then remove the one that was eaten."
    row = {
        "prompt": "solve it",
        "messages": [{"role": "user", "content": "solve it"}, {"role": "assistant", "content": solution}],
    }
    held = {"prompt": APPLES, "privileged": Privileged(reference=solution), "final_text": "ok"}
    assert count(row, [held]) == 1 and count(row, [{"prompt": APPLES, "final_text": solution}]) == 0


def test_short_turns_that_everybody_says_are_no_contamination() -> None:
    rows = [
        {
            "prompt": "cancel it",
            "messages": [{"role": "user", "content": "cancel it"}, {"role": "user", "content": "Yes, go ahead"}],
        }
    ]
    assert decontaminate(rows, [{"prompt": "Yes, go ahead"}])[1]["n_contaminated"] == 0
    assert decontaminate(rows, [{"prompt": "Cancel it!"}])[1]["n_exact"] == 1


def test_what_an_instruction_is_done_to_is_no_ask_by_itself() -> None:
    row = {"instruction": "Translate the word into French", "input": "house"}
    assert count(row, [{"instruction": "Spell the word backwards", "input": "house"}]) == 0
    assert count({"input": APPLES}, [{"input": APPLES}]) == 1
    passage = "The river rises in the hills above the town and runs west to the sea"
    assert count({**row, "input": passage}, [{"instruction": "Summarise this", "input": passage}]) == 1


def test_a_prompt_with_worked_examples_asks_in_its_last_turn_too() -> None:
    shots = [{"role": "user", "content": "1 + 1?"}, {"role": "assistant", "content": "2"}, {"role": "user", "content": APPLES}]
    assert count({"prompt": APPLES}, [{"prompt": shots}]) == 1


def test_other_texts_with_common_words_stay() -> None:
    rows = [
        {"prompt": "How many pears does Mary have if she sells 3 and keeps 1?"},
        {"prompt": "What is the weather in Oslo today?"},
    ]
    kept, report = decontaminate(rows, [APPLES])
    assert kept == rows and report["n_contaminated"] == 0


def test_every_row_is_kept_or_dropped_with_its_reason_and_nothing_is_changed() -> None:
    rows = [
        {"rollout_id": "same", "task_id": "e1", "prompt": "a paraphrase of it"},
        {"rollout_id": "exact", "prompt": APPLES.upper()},
        {"rollout_id": "near", "prompt": APPLES + " Explain."},
        {"rollout_id": "free", "prompt": "Where is my parcel?"},
    ]
    before = copy.deepcopy(rows)
    kept, report = decontaminate(rows, [{"task_id": "e1", "prompt": APPLES}])
    assert [row["rollout_id"] for row in kept] == ["free"] and rows == before
    assert report["dropped"] == {"same_task": ["same"], "exact": ["exact"], "near": ["near"]}
    assert report.dropped["near"] == [rows[2]] and kept[0] is rows[3]
    assert (report["n_same_task"], report["n_exact"], report["n_near"], report["rate"]) == (1, 1, 1, 0.75)
    assert report["examples"][2]["met"] == APPLES and 0.8 <= report["examples"][2]["share"] <= 1
    assert decontaminate(rows, [{"task_id": "e1", "prompt": APPLES}], same_task=False)[1]["n_contaminated"] == 2
    json.dumps(report, allow_nan=False)


def test_sources_are_rows_files_or_texts_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "eval.jsonl"
    path.write_bytes(orjson.dumps({"question": APPLES}) + b"\n")
    for against in (path, str(path), [path], [str(path), "another text"], APPLES, [[APPLES]]):
        assert count({"prompt": APPLES}, against) == 1
    with pytest.raises(ConfigError, match="hold no text"):
        decontaminate([{"prompt": "x"}], [{"q": APPLES}])
    with pytest.raises(ConfigError, match="no file"):
        decontaminate([{"prompt": "x"}], ["missing.jsonl"])
    with pytest.raises(ConfigError, match="(?s)overlap.*n:"):
        decontaminate([], [], n=0, overlap=1.5)
    assert "nothing was looked for" in str(decontaminate([{"prompt": "x"}], [])[1])


def test_an_embedder_finds_what_is_said_in_other_words() -> None:
    meanings = {"refund my order": [1.0, 0.1], "give me my money back": [1.0, 0.0], "where is it": [0.0, 1.0]}
    rows = [{"prompt": "give me my money back"}, {"prompt": "where is it"}]
    kept, report = decontaminate(rows, ["refund my order"], embedder=lambda texts: [meanings[t] for t in texts])
    assert kept == rows[1:] and report["n_semantic"] == 1 and report["examples"][0]["met"] == "refund my order"
    with pytest.raises(ConfigError, match="one vector per text"):
        decontaminate(rows, ["refund my order"], embedder=lambda texts: [1.0])
    _, close = decontaminate(rows, list(meanings)[:2], embedder=lambda texts: [meanings[t] for t in texts])
    assert "cannot tell them apart" in str(close)


def test_coverage_is_what_comparing_every_pair_gives() -> None:
    g = np.random.Generator(np.random.PCG64(3))
    words = [f"w{i}" for i in range(30)]
    known = [[words[i] for i in g.integers(0, 30, g.integers(3, 14))] for _ in range(40)]
    asked = [[*known[g.integers(0, 40)][:6], *(words[i] for i in g.integers(0, 30, g.integers(0, 9)))] for _ in range(60)]
    n, vocabulary = 3, Vocabulary()
    index = Index(vocabulary.words(known, n), postings=99, rarest=99, candidates=99)
    found = {}
    for pairs in index.candidates(stream := vocabulary.words(asked, n)):
        for a, b, one, two in zip(pairs.text.tolist(), pairs.known.tolist(), *index.covered(stream, pairs)):
            found[a, b] = (round(float(one), 9), round(float(two), 9))

    def share(text: list[str], other: list[str]) -> float:
        runs = {tuple(other[i : i + n]) for i in range(len(other) - n + 1)}
        hit = {j for i in range(len(text) - n + 1) if tuple(text[i : i + n]) in runs for j in range(i, i + n)}
        return round(len(hit) / len(text), 9) if text else 0.0

    brute = {(a, b): (share(x, y), share(y, x)) for a, x in enumerate(asked) for b, y in enumerate(known)}
    assert found == {pair: shares for pair, shares in brute.items() if shares[0]} and len(found) > 60


def test_how_texts_are_taken_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    g = np.random.Generator(np.random.PCG64(4))
    said = [" ".join(f"w{i}" for i in g.integers(0, 40, 12)) for _ in range(60)]
    rows = [{"prompt": text + " and more"} for text in said] + [{"prompt": "nothing of the kind at all, " * 3}]
    whole = decontaminate(rows, said[:30])[1].to_dict()
    monkeypatch.setattr(import_module("whileai_exp.selection.decontaminate"), "_CHUNK_CHARS", 100)
    assert decontaminate(rows, said[:30])[1].to_dict() == whole and whole["n_near"] == 30


def test_tokens_are_words_and_single_signs_where_nobody_writes_spaces() -> None:
    assert tokens_of("Set region_id to us-east-1 🎉") == ["set", "region", "id", "to", "us", "east", "1"]
    assert tokens_of("请取消 order") == ["请", "取", "消", "order"] and tokens_of("Straße") == ["strasse"]
    assert (
        characters([["ab", "cd"], ["x"]], 3).lengths.tolist() == [4, 1] and len(characters([["ab", "cd"], ["x"]], 3).hashes) == 2
    )


def test_near_duplicate_asks_are_those_that_all_pairs_give() -> None:
    g = np.random.Generator(np.random.PCG64(1))
    base = [" ".join(f"w{i}" for i in g.choice(400, 20, replace=False)) for _ in range(60)]
    near = [" ".join(text.split()[:-1] + ["changed"]) for text in base[:20]]
    rows = [{"scenario_id": f"t{i}", "prompt": text} for i, text in enumerate([*base, *near])]
    sets = [set(row["prompt"].split()) for row in rows]
    pairs = {(i, j) for i, j in combinations(range(len(rows)), 2) if len(sets[i] & sets[j]) >= 0.8 * len(sets[i] | sets[j])}
    found = near_duplicate_prompts(rows)
    place = {row["prompt"]: i for i, row in enumerate(rows)}
    assert {tuple(place[ask] for ask in group.asks) for group in found.groups} == pairs and len(pairs) == 20
    assert (found.n_asks, found.n_near, found.n_tasks) == (80, 20, 80) and found.share == 0.25
    json.dumps(found.to_dict(), allow_nan=False)


def test_near_duplicates_in_a_script_without_spaces_and_rows_without_an_ask() -> None:
    rows = [
        {"prompt": "请帮我取消昨天下的那个订单吧谢谢"},
        {"prompt": "请帮我取消昨天下的那个订单谢谢"},
        {"prompt": "天气怎么样"},
        {"task_id": "x"},
    ]
    found = near_duplicate_prompts(rows)
    assert [len(group.asks) for group in found.groups] == [2] and "1 rows have no ask" in str(found)
    same = near_duplicate_prompts([{"scenario_id": s, "prompt": "the very same"} for s in ("a", "a", "b")])
    assert same.n_asks == 1 and same.groups == ()
    with pytest.raises(ConfigError, match="similarity"):
        near_duplicate_prompts([], similarity=0.0)


def test_the_first_rows_of_a_shared_template_are_found_too() -> None:
    """A phrase in more evaluation texts than the index keeps of it still finds one of them."""
    evals = [
        {"prompt": f"Please look up the current status of my order number {i} and tell me when it will arrive at home"}
        for i in range(300)
    ]
    row = {"prompt": "Please look up the current status of my order number 9999 and tell me when it will arrive at home"}
    assert count(row, evals) == 1
