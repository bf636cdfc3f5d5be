"""Arguments in, benchmark files out: `python -m measure` or `python measure/`, also from a copied folder."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAME = "gpu_almanac_measure"


def _package() -> str:
    """Name the package; started as a bare folder it has none yet, and its files must not hide others from PyTorch."""
    if __package__:
        return __package__
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != FOLDER]
    spec = spec_from_file_location(NAME, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{FOLDER} is not complete; copy the whole folder again")
    package = module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    return NAME


if __name__ == "__main__":
    sys.exit(import_module(f"{_package()}.cli").main(sys.argv[1:]))
