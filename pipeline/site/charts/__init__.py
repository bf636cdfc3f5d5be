"""Pictures of the dataset: `listed.py` names the charts that have a page, `base.py` draws points, `svg.py` measures."""
