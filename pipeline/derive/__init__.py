"""What follows from the records: figures, theory, quality, cloud families, prices."""
