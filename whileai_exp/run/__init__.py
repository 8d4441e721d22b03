"""The line: from a plan to a record."""
