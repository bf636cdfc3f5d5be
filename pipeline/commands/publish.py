"""What leaves the house: the difference for a reader, the release, the schemas for editors."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.commands.console import at_commit, fail, out
from pipeline.core import files, paths
from pipeline.core.schema import TABLES
from pipeline.dataset import Dataset, DatasetError
from pipeline.intake import licences
from pipeline.record import difference
from pipeline.site.release import package
from pipeline.site.release.tables import ReleaseError
from pipeline.tools import changes, schemas


@click.command()
@click.option("--since", default="HEAD", show_default=True, help="The commit to compare with.")
def diff(since: str) -> None:
    """Say, as Markdown, what changed for a reader since a commit: figures, prices, results, sentences, picks."""
    old = {name: at_commit(since, name) for name in TABLES}
    try:
        before = Dataset.of_texts({f"{name}.csv": text for name, text in old.items()})
        click.echo(changes.markdown(before, Dataset.load()))
    except (ValueError, DatasetError):  # tables of another form than today's: row by row, as text
        click.echo(difference.markdown(old, difference.texts(paths.DATA.clean)))


@click.command("schemas")
def schemas_command() -> None:
    """Write data/schemas anew, by which editors help with the files of data/."""
    files.replace_all(paths.DATA.data, schemas.contents())
    out.print(f"data/schemas: {len(schemas.contents())} schemas")


@click.command("release")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--since", default="", help="The release before this one: a tag or commit, or a folder with its CSV files."
)
def release_command(out: Path, since: str) -> None:
    """Write the dataset as a data package: CSV, JSON, Parquet and SQLite, described, with checksums and changes."""
    if out.exists() and any(out.iterdir()) and not (out / "datapackage.json").exists():
        raise click.UsageError(f"{out} holds something else than a release; name a new or an empty folder")
    try:
        version = package.write(out, Dataset.load(), _tables_of(since) if since else None)
    except (DatasetError, ReleaseError, licences.LicenceError) as error:
        fail(error)
    out_files = sum(path.is_file() for path in out.rglob("*"))
    click.echo(f"{out}: {out_files} files, version {version}")


def _tables_of(state: str) -> dict[str, str]:
    """The tables of an earlier state: a folder's, or those of a commit."""
    if Path(state).is_dir():
        return difference.texts(Path(state))
    return {name: at_commit(state, name) for name in TABLES}
