"""From claims to records: corrections, judgement between sources, validation, the build of `data/clean`."""
