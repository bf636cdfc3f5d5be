"""How fast: the dataset, the pages, the site."""
