"""Prose with bound figures: chapters, statements, coverage."""
