"""What the checks and the site need and pip does not bring: a browser and the charts' JavaScript."""
