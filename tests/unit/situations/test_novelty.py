"""Near-copies are found exactly, without comparing everything."""

from __future__ import annotations

from whileai_exp._rng import Stream
from whileai_exp.situations.novelty import NearCopies, shingles


def jaccard(a: str, b: str) -> float:
    one, two = shingles(a), shingles(b)
    return len(one & two) / len(one | two)


def test_the_filter_finds_what_brute_force_finds() -> None:
    stream = Stream(4)
    words = ["order", "cancel", "please", "today", "blue", "shoes", "refund", "card", "late", "box"]
    texts = [" ".join(stream.choice(words) for _ in range(12)) for _ in range(120)]
    texts += [f"{text} now" for text in texts[:40]]
    for threshold in (0.5, 0.8, 0.9):
        copies = NearCopies(threshold)
        for index, text in enumerate(texts):
            truth = max((jaccard(text, other) for other in texts[:index]), default=0.0)
            assert copies.similar(text) == (truth if truth >= threshold else 0.0)
            copies.add(text)


def test_case_and_punctuation_do_not_matter() -> None:
    copies = NearCopies(0.9)
    copies.add("Cancel my order, please!")
    assert copies.similar("cancel MY order please") == 1.0


def test_chinese_is_compared_by_characters() -> None:
    copies = NearCopies(0.7)
    copies.add("帮我删除一条消息消息编号是三四五六七")
    assert copies.similar("请帮我删除一条消息消息编号是三四五六七") > 0.7
    assert copies.similar("今天天气怎么样啊我想知道") == 0.0
