"""The program in a reply: fenced or bare, as models write it."""

from __future__ import annotations

import ast
import re
import warnings

_FENCE = re.compile(r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)$", re.MULTILINE)
_OTHER_LANGUAGES = frozenset(
    {
        "bash",
        "sh",
        "shell",
        "console",
        "json",
        "yaml",
        "text",
        "txt",
        "output",
        "diff",
        "sql",
        "html",
        "javascript",
        "js",
        "c",
        "cpp",
        "java",
    }
)


def code_of(reply: str, wanted: tuple[str, ...] = ()) -> str | None:
    """The candidate's source, or None when the reply holds none.

    Among blocks fenced at the start of a line, those that parse and define something come first, of those the ones that
    define a wanted name, of those the longest. Blocks that only together define what is wanted are joined in order. A
    reply without a fence is a program when it parses.
    """
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    if _defines(text):
        return text
    blocks = [body for info, body in fenced(text) if info not in _OTHER_LANGUAGES]
    parsed = [(body, names) for body in blocks if (names := _defines(body)) is not None]
    defining = [(body, names) for body, names in parsed if names]
    if not defining:
        loose = parsed[-1][0] if parsed else blocks[-1] if blocks else None
        return loose if loose is not None else text if text.strip() and _defines(text) is not None else None
    best = [body for body, names in defining if not wanted or names.issuperset(wanted)]
    if not best and wanted:
        joined = "\n\n".join(body for body, _ in defining)
        if (_defines(joined) or set()) & set(wanted):
            return joined
    return max(best or [body for body, _ in defining], key=len)


def fenced(text: str) -> list[tuple[str, str]]:
    """Fenced blocks as (language, body). A fence closes with as many of the same marks at the start of a line."""
    out: list[tuple[str, str]] = []
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        if opened is None:
            opened = found
        elif (
            found["fence"][0] == opened["fence"][0] and len(found["fence"]) >= len(opened["fence"]) and not found["info"].strip()
        ):
            body = text[opened.end() + 1 : found.start()]
            if _inside_a_string(body):
                continue
            out.append((_language(opened), body))
            opened = None
    if opened is not None:
        out.append((_language(opened), text[opened.end() + 1 :]))
    return out


def _language(found: re.Match[str]) -> str:
    words = found["info"].strip().lower().split()
    return words[0] if words else ""


def _inside_a_string(body: str) -> bool:
    """Whether a block breaks off inside a triple-quoted string: then the fence seen is part of a docstring."""
    return _defines(body) is None and (body.count('"""') % 2 == 1 or body.count("'''") % 2 == 1)


def _defines(source: str) -> set[str] | None:
    """Top-level names of a program; None when it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    names |= {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    names |= {
        (a.asname or a.name).split(".")[0] for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names
    }
    return names
