"""The pages of the site: one module for each kind; `listed.py` names them all."""
