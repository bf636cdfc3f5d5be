"""Pages in the words of schema.org, by which search engines tell a dataset from a text."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.site.pages import addresses

LICENCE = "https://creativecommons.org/licenses/by-sa/4.0/"
CONTEXT = "https://schema.org"


def dataset(
    name: str, description: str, path: str, newest: str, tables: Sequence[dict[str, str]], **more: object
) -> dict[str, object]:
    """A page whose numbers can be downloaded; its path below the site's root, its tables as `table` makes them."""
    return {
        "@context": CONTEXT,
        "@type": "Dataset",
        "name": name,
        "description": description,
        "url": f"{addresses.SITE}{path}",
        "license": LICENCE,
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": "GPU Almanac contributors", "url": addresses.SITE},
        "dateModified": newest,
        **more,
        "distribution": list(tables),
    }


def trail(*steps: tuple[str, str]) -> dict[str, object]:
    """The way to a page as a search engine shows it above its title: names and paths, the page itself last."""
    return {
        "@context": CONTEXT,
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": at, "name": name, "item": f"{addresses.SITE}{path}"}
            for at, (name, path) in enumerate(steps, 1)
        ],
    }


def table(path: str, **more: str) -> dict[str, str]:
    """A CSV that holds the numbers."""
    return {"@type": "DataDownload", **more, "encodingFormat": "text/csv", "contentUrl": f"{addresses.SITE}{path}"}
