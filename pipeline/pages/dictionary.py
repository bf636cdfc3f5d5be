"""The data dictionary: the table of fields and the columns of each file, as the schema has them."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline import schema
from pipeline.dataset import IDENTITY_COLUMNS, TABLES, Dataset
from pipeline.render import Page

# What the columns mean that are no fields of the schema.
COLUMN_MEANING = {
    "id": "Our id, which never changes; also the last part of the card's address",
    "name": "The name shown",
    "aliases": "Other names that mean this card, ;-separated",
    "vendor": "Who makes it",
    "segment": "consumer, workstation, datacenter, edge or integrated",
    "line": "The maker's product line",
    "architecture": "The maker's name of the chip generation",
    "form_factor": "What you hold in your hand: a card, a module, a chip",
    "dies": "Dies on the board; all figures are the board's",
    "note": "What a reader should know about this entry",
    "gpu": "The id of the GPU",
    "input": "Number format that is multiplied",
    "accumulate": "Number format in which products are added",
    "sparsity": "dense, or sparse (two of four weights zero)",
    "engine": "tensor (matrix units) or vector (shader cores)",
    "tflops": "Peak rate in 10^12 operations a second (TOPS for integers)",
    "field": "The field that the claim is about; peaks as peak:input:accumulate:sparsity:engine",
    "value": "The value in the field's unit",
    "unit": "Its unit",
    "source": "Who says so; the sources page names it",
    "kind": "Of a claim: what kind of paper was read. Of a price: launch, retail, used, on_demand, spot, reserved",
    "url": "Public address",
    "locator": "Where in the document: file, row, cell, page",
    "retrieved": "The day on which it was read",
    "licence": "The licence of the source",
    "chosen": "yes for the value that the almanac shows",
    "reason": "Why it was chosen, agrees, or lost",
    "source_title": "What the source is called, as a person would look it up",
    "independent_sources": "Of a chosen claim: sources that agree, those with a common ancestor counted once",
    "gpu_count": "How many GPUs ran together",
    "set": "The set of results",
    "workload": "Training or inference",
    "model": "The neural network",
    "precision": "Number format or quantisation",
    "batch": "Batch size, as the source writes it",
    "metric": "What was measured",
    "higher_is_better": "yes or no",
    "software": "What ran it",
    "date": "The day or month of the measurement or price",
    "flag": "Why a row should not be used as it is; empty for a sound one",
    "provider": "Shop or cloud",
    "region": "Where the price holds",
    "gpus": "GPUs in the machine or offer",
    "usd_per_gpu_hour": "Rent of one GPU for an hour",
    "usd_per_machine_hour": "Rent of the whole machine for an hour",
    "usd_per_unit": "Price of one card",
    "currency": "Currency of the offer before it was converted",
    "offer": "The offer's name at the source",
    "includes": "What else the price contains",
    "snapshot": "The first digits of the SHA-256 of the bytes read",
}


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page; every column of every table is on it."""
    known = dict.fromkeys(IDENTITY_COLUMNS) | dict.fromkeys(schema.FIELDS)
    columns = {name: list(rows[0]) if rows else [] for name, rows in dataset.tables.items()}
    columns["gpus"] = list(known)
    context = {
        "tables": {name: [(c, column_meaning(c)) for c in columns[name]] for name in TABLES},
        "fields": [*schema.FIELDS.values(), schema.PEAK],
        "filled": {name: sum(bool(row[name]) for row in dataset.tables["gpus"]) for name in schema.FIELDS},
        "gpus": len(dataset.gpus),
        "kinds": schema.KIND_MEANING,
    }
    yield Page("data/dictionary", "dictionary.html.j2", context, "Data dictionary",
               "Every field and column of the dataset: type, unit, meaning, range and tolerance.",
               "pipeline/schema.py", hide=("toc",))  # fmt: skip


def column_meaning(column: str) -> str:
    """What a column holds."""
    return schema.FIELDS[column].meaning if column in schema.FIELDS else COLUMN_MEANING[column]
