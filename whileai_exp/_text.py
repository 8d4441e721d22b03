"""Small, pure operations on text that more than one stage needs."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

_SHOWN = 12
_SPACE = re.compile(r"\s+")
_THINK = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL | re.IGNORECASE)
_OPEN_THINK = re.compile(r"<think(?:ing)?>", re.IGNORECASE)


def normalised(text: str) -> str:
    """Text for comparing: NFKC, case-folded, one space between words."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def without_reasoning(text: str) -> tuple[str, bool]:
    """Text without closed think blocks, and whether a block was opened and never closed (then nothing after it counts)."""
    if "<" not in text:
        return text, False
    spoken = _THINK.sub("", text)
    opened = _OPEN_THINK.search(spoken)
    if opened is None:
        return spoken, False
    return spoken[: opened.start()].rstrip(), True


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name a person most likely meant, or None."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` - did you mean 'x'?` or the sorted list of what there is."""
    options = sorted(known)
    close = nearest(name, options)
    if close:
        return f"did you mean {close!r}?"
    if not options:
        return "there are none"
    shown = ", ".join(options[:_SHOWN])
    return f"known: {shown}" + (f" and {len(options) - _SHOWN} more" if len(options) > _SHOWN else "")


def printable(text: str) -> str:
    """Text safe for a terminal: control, bidi and escape characters shown as escapes; newlines and tabs kept."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
