"""Building the dataset, and showing what it says of one GPU."""

from __future__ import annotations

import click

from pipeline.commands.console import fail, fail_to_write, out
from pipeline.core import files, paths
from pipeline.core.schema import TABLES
from pipeline.dataset import Dataset, DatasetError
from pipeline.record import build as stages
from pipeline.site import package_data


@click.command()
def build() -> None:
    """Make data/clean from what is committed; on a problem nothing changes."""
    try:
        with files.alone(paths.DATA.data):
            tables = stages.compile_dataset(paths.DATA).contents
            files.replace_all(paths.DATA.data, package_data.completed(tables, paths.DATA.names))
    except (stages.BuildError, files.Busy) as error:
        fail(error)
    except OSError as error:
        fail_to_write(error)
    dataset = Dataset.load()
    out.print(
        f"data/clean: {len(dataset.gpus)} GPUs, "
        + ", ".join(f"{dataset.size(name)} {name}" for name in TABLES if name != "gpus")
    )


@click.command()
@click.argument("gpu")
def show(gpu: str) -> None:
    """Print one GPU (id, name or alias) with the source of each figure."""
    try:
        record = Dataset.load().find(gpu)
    except DatasetError as error:
        fail(error)
    if record is None:
        raise click.UsageError(f"no GPU is called {gpu!r}; names stand in data/gpus/*.yml")
    out.print(f"{record.name}  ({record.id})", markup=False)
    for field in record.claims:
        claim = record.chosen(field)
        if claim:
            marker = "  (disputed)" if record.differing(field) else ""
            out.print(
                f"  {field:34} {claim.value:>12} {claim.unit:8} {claim.source}, "
                f"{claim.locator}, read {claim.retrieved}{marker}",
                markup=False,
            )
