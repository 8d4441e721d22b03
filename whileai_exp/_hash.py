"""Canonical JSON and the hashes made of it: what identity means here.

Canonical: keys sorted, no spaces, UTF-8, no NaN or infinity (they become null), lone surrogates replaced. Two values
that are equal as JSON have one hash: 33 and 33.0 are the same number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import orjson

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
_INT64 = 1 << 63


def plain(value: Any) -> Any:
    """`value` made of JSON types only. Unknown objects raise TypeError: nothing is stringified by accident."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode("utf-8") if not value.isascii() else str(value)
    if isinstance(value, int):
        return int(value) if -_INT64 <= value < 2 * _INT64 else str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else float(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=lambda item: orjson.dumps(item, option=_OPTIONS))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "item") and hasattr(value, "dtype"):
        return plain(value.item()) if getattr(value, "ndim", 0) == 0 else plain(value.tolist())
    raise TypeError(f"{type(value).__name__} is not JSON")


def canonical(value: Any) -> bytes:
    """The one byte form of a JSON value."""
    return orjson.dumps(plain(value), option=_OPTIONS)


def sha(value: Any, length: int = 64) -> str:
    """Hex SHA-256 of the canonical form (of the text itself when `value` is a str or bytes), cut to `length`."""
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, bytes):
        data = value
    else:
        data = canonical(value)
    return sha256(data).hexdigest()[:length]


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every leaf; lists count as leaves, empty mappings too."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node
