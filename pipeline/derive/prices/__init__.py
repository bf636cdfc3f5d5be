"""What a card costs: how old an observation may be, and what moved."""
