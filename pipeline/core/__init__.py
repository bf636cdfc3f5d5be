"""The words of the dataset: its schema, units, names, files and hand-written entries."""
