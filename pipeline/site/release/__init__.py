"""The dataset as others take it away: one data package with CSV, JSON, Parquet and SQLite of the same tables."""
