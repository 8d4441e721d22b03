"""`whileai-exp knobs`: every tunable number, its bounds, what it means, and where its default comes from."""

from __future__ import annotations

from typing import Annotated

import typer


def knobs(
    markdown: Annotated[bool, typer.Option("--markdown", help="the table of docs/knobs.md")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="the JSON Schema of an experiment file, for editors")] = False,
) -> int:
    """Every tunable number: its default, bounds, meaning, and where the default comes from."""
    from ..knobs.editor import editor_schema
    from ..knobs.tables import markdown_lines, text_lines

    if schema:
        import json

        print(json.dumps(editor_schema(), indent=1))
        return 0
    print("\n".join(markdown_lines() if markdown else text_lines()))
    return 0
