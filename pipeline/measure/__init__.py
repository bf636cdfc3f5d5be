"""A GPU in, benchmark files out: the kit needs only Python and PyTorch, and runs from a copied folder."""
