"""The data dictionary: the table of fields and the columns of each file, as the schema has them."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core import schema
from pipeline.dataset import Dataset
from pipeline.site.render import Page

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
    "sparsity": "dense, or sparse (two of four weights zero); of a result empty where nobody says",
    "engine": "Of a peak: tensor (matrix units) or vector (shader cores). Of a result: the program that ran it",
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
    "chosen": "true for the value that the almanac shows",
    "verdict": "chosen, agrees (with the chosen value), differs (from it) or withdrawn (by a correction)",
    "reason": "Why it was chosen, agrees, or lost",
    "source_title": "What the source is called, as a person would look it up",
    "independent_sources": "Of a chosen claim: sources that agree, those with a common ancestor counted once",
    "gpu_count": "How many GPUs ran together",
    "set": "The set of results",
    "workload": "Training or inference",
    "model": "The neural network",
    "precision": "Number format of the weights, one spelling each; mixed where a network has several",
    "quantisation": "How the weights are packed, where the format does not say it all: q4_k_m, mxfp4, awq",
    "division": "closed or open: the rules of MLPerf under which the result was handed in",
    "entered_as": "The model that the benchmark asks for, where another one ran in its place",
    "computed": "true for a peak that no source states and theory gives: units, operations and clock",
    "launch_date_precision": "How much of launch_date is known: day, month or year; the rest is its first day",
    "batch": "Batch size, as the source writes it",
    "metric": "What was measured",
    "higher_is_better": "true or false",
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
    "amount": "The price in its own currency, of a unit or an hour of a GPU; empty in US dollars",
    "country": "Where it was asked, in two letters; empty for what has no country",
    "tax": "Sales tax in the price, in per cent; 0 is without, empty is unknown",
    "basis": "Whether a seller asked it (asked), a buyer paid it (sold), or only the lowest asked is known (floor)",
    "condition": "What state the card was in, where the kind does not say it",
    "product": "The product as listed; one that several shops list counts once",
}


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page; every column of every table is on it."""
    context = {
        "tables": {name: [(c, column_meaning(c)) for c in columns] for name, columns in schema.TABLES.items()},
        "fields": [*schema.FIELDS.values(), schema.PEAK],
        "filled": {
            name: sum(gpu.value(field) is not None for gpu in dataset.gpus.values())
            for name, field in schema.FIELDS.items()
        },
        "gpus": len(dataset.gpus),
        "kinds": schema.KIND_MEANING,
    }
    yield Page(
        "data/dictionary",
        "dictionary.html.j2",
        context,
        "Data dictionary",
        "Every field and column of the dataset: type, unit, meaning, range and tolerance.",
        "pipeline/core/schema.py",
        hide=("toc",),
    )


def column_meaning(column: str) -> str:
    """What a column holds."""
    return schema.FIELDS[column].meaning if column in schema.FIELDS else COLUMN_MEANING[column]
