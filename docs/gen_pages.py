"""The dataset in, every generated page and file of the site out: into MkDocs, or into a folder when run by hand.

Run by hand (`python docs/gen_pages.py OUT`) it writes complete pages that any engine reading Markdown can build.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pipeline.dataset import Dataset
from pipeline.record.build import build
from pipeline.site.pages import preview
from pipeline.site.pages.listed import File, every_file, write_folder


def write_mkdocs(files: Iterator[tuple[File, bool]]) -> None:
    """Hand the files to the MkDocs build that runs this script; one that is as before gets the age of 1970."""
    import mkdocs_gen_files
    from mkdocs.structure.files import File as Listed

    class Written(Listed):
        def copy_file(self, dirty: bool = False) -> None:
            """Nothing to do."""

    editor = mkdocs_gen_files.editor.FilesEditor.current()
    for file, new in files:
        if not file.file.endswith(".md"):  # into the site, which MkDocs has emptied: to copy it takes longer
            there = Written(file.file, None, editor.config.site_dir, editor.config.use_directory_urls)
            editor._files[file.file] = there  # its own way in is a file to be copied
            if new:
                write_folder((file,), Path(there.dest_dir))
            continue
        with mkdocs_gen_files.open(file.file, "w", encoding="utf-8", newline="") as target:
            target.write(file.text())
        if not new:  # "mkdocs serve --dirty" leaves it as it is
            os.utime(target.name, (0, 0))
        elif file.edit_path:
            mkdocs_gen_files.set_edit_path(file.file, f"../{file.edit_path}")


def build_day(dataset: Dataset) -> str:
    """The dataset's own today in seconds since 1970, so that the site map does not show the clock."""
    return str(int(datetime.fromisoformat(dataset.newest_reading).replace(tzinfo=UTC).timestamp()))


if __name__ == "__main__":
    write_folder(every_file(Dataset.load()), Path(sys.argv[1]))
else:
    shown = preview.running()
    if shown:
        shown.compile(build)
    loaded = Dataset.load()
    os.environ.setdefault("SOURCE_DATE_EPOCH", build_day(loaded))
    write_mkdocs(shown.files(loaded) if shown else ((file, True) for file in every_file(loaded)))
