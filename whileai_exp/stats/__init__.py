"""Estimators: arrays in, numbers out. Nothing here knows what a row is."""
