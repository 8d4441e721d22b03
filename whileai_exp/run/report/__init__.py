"""Renderers of a record: for a terminal, in Markdown."""
