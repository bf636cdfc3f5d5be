"""All sources, one line each: the refresh and the pages read this list and nothing else."""

from __future__ import annotations

from types import ModuleType

# A source is a module with SOURCE (metadata) and parse(snapshots) -> rows. Within one kind, the order here is the
# order in which claims win.
MODULES: tuple[ModuleType, ...] = ()
