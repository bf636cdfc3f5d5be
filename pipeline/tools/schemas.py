"""JSON Schemas of the files that people write, made from the models that read them, so that an editor can help.

They stand in `data/schemas/`; a first line `# yaml-language-server: $schema=../schemas/gpu.json` makes editors with a
YAML language server complete names, explain them and underline what is wrong.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from pipeline.core.clauses import Clauses
from pipeline.core.gpus import Gpu
from pipeline.core.identity import NameFile
from pipeline.core.networks import ModelFile
from pipeline.core.schema import ACCUMULATES, ENGINES, FIELDS, INPUTS, SPARSITIES
from pipeline.core.theory import Architectures
from pipeline.derive.cloud import Families
from pipeline.intake.price_sets import PriceSet
from pipeline.intake.result_sets import ResultSet
from pipeline.record.corrections import Corrections

MODELS: dict[str, type[BaseModel]] = {
    "gpu": Gpu,
    "model": ModelFile,
    "names": NameFile,
    "corrections": Corrections,
    "benchmark-set": ResultSet,
    "price-set": PriceSet,
    "cloud": Families,
    "architectures": Architectures,
    "clauses": Clauses,
}
# Names of fields that take a value of the dataset, by the schema in which they stand.
OF_THE_DATASET = ("gpu", "clauses")


def contents() -> dict[str, str]:
    """The schemas as files: path below data/ -> text."""
    return {f"schemas/{name}.json": _text(name, model) for name, model in MODELS.items()}


def _text(name: str, model: type[BaseModel]) -> str:
    schema: dict[str, Any] = model.model_json_schema()
    # The id is the file's name and stands in no file.
    schema.get("properties", {}).pop("id", None)
    schema["required"] = [field for field in schema.get("required", []) if field != "id"]
    if name in OF_THE_DATASET:
        for kind in ("Value", "Clause"):
            if kind in schema["$defs"]:
                schema["$defs"][kind]["properties"]["field"] = _fields()
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=1) + "\n"


def _fields() -> dict[str, Any]:
    words = (INPUTS, ACCUMULATES, SPARSITIES, ENGINES)
    pattern = ":".join(("^peak", *(f"({'|'.join(listed)})" for listed in words)))
    known = [{"const": field.name, "description": field.meaning} for field in FIELDS.values()]
    return {"anyOf": [*known, {"type": "string", "pattern": f"{pattern}$"}]}
