"""The text of one argument: its format, the choices its description offers or its kind, fitted to pattern and length."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ._bounded import TooLong, Unbounded, searcher
from ._kinds import examples_in, kind_of, offers_choices
from ._makers import Draft, by_kind, dated, like, uuid_of

_NETWORK: Mapping[str, Callable[[Draft], str]] = {
    "ipv4": lambda draft: f"192.0.2.{draft.stream.integer(1, 254)}",
    "ipv6": lambda draft: f"2001:db8::{draft.stream.integer(1, 9999)}",
    "hostname": lambda draft: f"host-{draft.stream.integer(10, 99)}.example.com",
}
"""Addresses set aside for documentation."""
_FORMATS: Mapping[str, str] = {
    "email": "email", "idn-email": "email", "uri": "url", "url": "url", "uri-reference": "url", "iri": "url", "date": "date", "time": "time", "date-time": "datetime",
}  # fmt: skip


def text_maker(name: str, schema: Mapping[str, Any], text: str, owner: str, lang: str) -> Callable[[Draft], str]:
    """The maker of a string argument: choices quoted in the description, else its kind, fitted to pattern and length."""
    kind = _FORMATS.get(str(schema.get("format", ""))) or ("id" if schema.get("format") == "uuid" else kind_of(name, text, owner))
    if schema.get("format") == "uuid":
        make: Callable[[Draft], str] = lambda draft: uuid_of(draft.stream)  # noqa: E731
    elif schema.get("format") in _NETWORK:
        make = _NETWORK[schema["format"]]
    elif schema.get("format") == "date-time":
        make = dated(name, "", "%Y-%m-%dT%H:%M:%SZ")
    elif offers_choices(text) and kind not in (
        "id",
        "date",
        "datetime",
        "time",
        "date_range",
        "email",
        "address2",
        "birth",
        "city",
        "timezone",
    ):
        options = tuple(item for item in examples_in(text) if len(item) < 40)
        make = lambda draft: like(draft.stream.choice(options), draft)  # noqa: E731
    else:
        make = by_kind(kind, name, text, owner, lang)
    return _fitted(make, schema)


def _fitted(make: Callable[[Draft], str], schema: Mapping[str, Any]) -> Callable[[Draft], str]:
    pattern, low, high = schema.get("pattern"), schema.get("minLength"), schema.get("maxLength")
    examples = [item for item in (*(schema.get("examples") or ()), schema.get("default")) if isinstance(item, str)]
    if pattern is None and low is None and high is None:
        return make
    rule = None
    if isinstance(pattern, str):
        try:
            rule = searcher(pattern)
        except (re.error, OverflowError, RecursionError, Unbounded):
            rule = None

    def fits(value: str) -> bool:
        if len(value) < (low or 0) or (high is not None and len(value) > high):
            return False
        try:
            return rule is None or rule(value)
        except TooLong:
            return False

    def draw(draft: Draft) -> str:
        value = make(draft)
        if fits(value):
            return value
        if rule is not None:
            from ._patterns import matching

            for _ in range(8):
                made = matching(str(pattern), draft.stream, int(low or 0), high)
                if made is None:
                    break
                if fits(made):
                    return made
            return next((item for item in examples if fits(item)), value)
        if high is not None and len(value) > high:
            value = value[: int(high)].rstrip() or value[: int(high)]
        while low is not None and len(value) < low and (high is None or low <= high):
            value += ("" if not value else " ") + make(draft)
            value = value[: int(high)] if high is not None else value
        return value

    return draw
