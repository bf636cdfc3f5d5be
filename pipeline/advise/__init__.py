"""What to buy, rent or run: the estimator, the chooser, the picks."""
