"""The measuring kit: what a GPU really does. It needs only Python and PyTorch (see pack.py)."""
