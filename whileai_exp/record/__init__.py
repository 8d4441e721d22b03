"""The record edge: files first, MLflow second."""
