"""What was measured: rows in, measures with their n and interval out."""
