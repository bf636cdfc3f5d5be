"""From a public address to claims, results and prices: snapshots, the refresh, the sources, contributed sets."""
