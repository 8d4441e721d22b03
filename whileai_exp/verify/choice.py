"""Which option was chosen? The last explicit statement counts, and a word is never taken for a letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._base import Row, Verifier
from .text import tidy

_ANSWER = r"answers?|choice|option|答案|回答|答え|答|정답|réponse|respuesta|resposta|risposta|antwort|ответ|उत्तर|الإجابة|الجواب|cevap|jawaban|odpowiedź|svar|đáp án|คำตอบ"
_VERB = r"is|are|was|be|should\s+be|must\s+be|would\s+be|est|es|ist|é|è|是|为|は|है|это|هي|هو|sind|son|sono|adalah|jest|är|là"
_FILLER = r"(?:(?:for\s+sure|definitely|clearly|most\s+likely|likely|probably|therefore|thus|then|indeed|obviously|certainly|simply|option|choice|letter|number|la|le|der|die|das|選択肢|选项)\s+){0,4}"
_OPEN = r"[\s\"'“”‘’*_`$({\[（【「<]*(?:\\boxed\{|\\text\{|\\textbf\{|\\mathbf\{)*[\s(\"'*]*"
_LETTER = r"[A-Z]"
_LIST = (
    rf"{_LETTER}(?![A-Za-z'’])(?:(?:\s*[,、&/]\s*(?:and\s+|or\s+)?|\s+(?:and|or|und|et|y)\s+|\s*和\s*){_LETTER}(?![A-Za-z'’]))*"
)
_SAYS = re.compile(
    rf"(?:\b(?:{_ANSWER})\b|(?:答案|回答|答え|答|정답|उत्तर|الإجابة|คำตอบ))(?i:\s*(?:{_VERB})\b|\s*(?:是|为|は|है))?\s*[:：=\-–—]*\s*(?i:{_FILLER}){_OPEN}(?P<letters>{_LIST})",
    re.IGNORECASE,
)
_STATED = re.compile(r"\banswers?\s*[:：=][ \t]*(?P<rest>[^\n]*)", re.IGNORECASE)
_BOXED = re.compile(rf"\\(?:boxed|fbox)\{{(?:\\text(?:bf)?\{{|\\mathbf\{{|\\mathrm\{{)?\s*\(?(?P<letters>{_LIST})\)?")
_HEAD = re.compile(
    rf"^\s*(?:option\s+|choice\s+)?[\s\"'*(\[（【]*(?P<letters>{_LETTER})(?=[\s\"'*]*(?:[.):：。．、,，\]）】।؟!]|$|\n)|[^\x00-\x7f])",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?<![\w'’.])\(?(?P<letters>[A-Z])\)?(?![\w'’])(?!\.\w)")


@dataclass(frozen=True, kw_only=True)
class MultipleChoice(Verifier):
    """Whether the chosen letter is the reference's: a letter, a list of letters, an option text, or "" for none of them.

    Letters are capitals. The last "Answer: B" or "the answer is B" decides, else a \\boxed letter, else a reply that
    begins with its letter, else the last letter that stands alone and is no word. A reply that states several letters
    chose all of them. `choices`: the options' texts in order (or the row's `choices`), so that a reply may name the text.
    """

    choices: Sequence[str] | None = None

    def check(self, candidate: str, reference: Any, row: Row) -> Any:
        given = self.choices if self.choices is not None else row.get("choices")
        options = [str(option) for option in given] if isinstance(given, (list, tuple)) else []
        wanted = gold_letters(reference, options)
        chosen = chosen_letters(candidate, options)
        if wanted is None:
            stated = _stated(candidate)
            golds = [tidy(str(item)) for item in (reference if isinstance(reference, (list, tuple)) else [reference])]
            return float(stated is not None and tidy(stated) in golds), "compared as text"
        right = chosen == wanted
        return float(right), "right" if right else "another option" if chosen else "no option was named"


def chosen_letters(text: str, options: Sequence[str] = ()) -> frozenset[str]:
    """The letters a reply chose; empty when it named none."""
    said = [found for found in _SAYS.finditer(text) if _capital(found["letters"])]
    boxes = list(_BOXED.finditer(text))
    last = max([*said, *boxes], key=lambda m: m.start(), default=None)
    stated = _stated(text)
    if stated is not None and (last is None or text.rfind(stated) > last.end()):
        named = _option(stated, options)
        if named is not None:
            return frozenset(named)
        if not stated.strip():
            return frozenset() if last is None else _letters(last["letters"])
    if last is not None:
        return _letters(last["letters"])
    head = _HEAD.match(text)
    if head and _capital(head["letters"]):
        return _letters(head["letters"])
    named = _option(text, options)
    if named is not None:
        return frozenset(named)
    alone = [found["letters"] for found in _ALONE.finditer(text) if _is_choice(text, found)]
    return frozenset(alone[-1:])


def gold_letters(reference: Any, options: Sequence[str]) -> frozenset[str] | None:
    """The letters of a reference; None when it is a text that names no letter."""
    if isinstance(reference, (list, tuple)):
        parts = [gold_letters(item, options) for item in reference]
        return None if any(part is None for part in parts) else frozenset(letter for part in parts for letter in part or ())
    if isinstance(reference, int) and not isinstance(reference, bool) and 0 <= reference < 26:
        return frozenset(chr(65 + reference))
    text = str(reference).strip()
    if not text:
        return frozenset()
    if re.fullmatch(r"[A-Za-z]", text):
        return frozenset(text.upper())
    if re.fullmatch(rf"[(\[]?{_LIST}[)\].]?", text):
        return _letters(text)
    named = _option(text, options)
    if named is not None:
        return frozenset(named)
    headed = re.match(r"^[(\[]?([A-Z])(?:[)\].:]|\s)", text) or re.search(r"(?:^|\n)\s*[(\[]([A-Z])[)\]]", text)
    return frozenset(headed.group(1)) if headed else None


def _letters(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", text))


def _capital(letters: str) -> bool:
    return letters[:1].isupper()


def _stated(text: str) -> str | None:
    found = list(_STATED.finditer(text))
    return found[-1]["rest"] if found else None


def _option(text: str, options: Sequence[str]) -> str | None:
    said = tidy(text)
    found = [chr(65 + n) for n, option in enumerate(options[:26]) if option and (tidy(option) == said)]
    if not found and len(said) > 1:
        inside = [
            (len(tidy(o)), chr(65 + n))
            for n, o in enumerate(options[:26])
            if len(tidy(o)) > 1 and re.search(rf"(?<!\w){re.escape(tidy(o))}(?!\w)", said)
        ]
        found = [letter for _, letter in inside] if len(inside) == 1 else []
    return found[0] if len(found) == 1 else None


def _is_choice(text: str, found: re.Match[str]) -> bool:
    letter = found["letters"]
    if "(" in found.group() or ")" in found.group():
        return True
    rest = text[found.end() :]
    return letter not in "AI" or not re.match(r"\s+[a-z]|\s*'", rest)
