"""Throughput of GPU configurations from Lambda's PyTorch training benchmark (eight CSV files).

v1, v2 and the run of July 2022 used different software and batch sizes: they are three sets and never mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.schema import Result, Rows
from pipeline.intake.results import FAILED, mark_super_linear
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile, refuse_unknown_columns

RAW = "https://raw.githubusercontent.com/lambdal/deeplearning-benchmark/"
OLD = RAW + "67a9bb5128d51299376bc72e02ec7459f82efe38/pytorch/pytorch-train"
NEW = RAW + "master/pytorch/pytorch-train"
SOURCE = Source(
    id="lambda-deeplearning-benchmark",
    title="Lambda deep learning benchmark (PyTorch training)",
    publisher="Lambda",
    home="https://github.com/lambdal/deeplearning-benchmark",
    licence="not stated",
    kind="community",
    gives="training throughput of 1 to 16 GPUs for ten networks, FP16 and FP32",
    files=(
        SourceFile("pytorch-train-throughput-fp16.csv", NEW + "-throughput-fp16.csv", "original", 400),
        SourceFile("pytorch-train-throughput-fp32.csv", NEW + "-throughput-fp32.csv", "original", 400),
        SourceFile("pytorch-train-throughput-v2-fp16.csv", NEW + "-throughput-v2-fp16.csv", "original", 500),
        SourceFile("pytorch-train-throughput-v2-fp32.csv", NEW + "-throughput-v2-fp32.csv", "original", 500),
        SourceFile("pytorch-train-throughput-fp16.2022-07.csv", OLD + "-throughput-fp16.csv", "original", 800),
        SourceFile("pytorch-train-throughput-fp32.2022-07.csv", OLD + "-throughput-fp32.csv", "original", 800),
        # They give no rows of their own: the batch sizes stand in the rows of the v1 files.
        SourceFile("pytorch-train-bs-fp16.csv", NEW + "-bs-fp16.csv", "original", 0),
        SourceFile("pytorch-train-bs-fp32.csv", NEW + "-bs-fp32.csv", "original", 0),
    ),
)

# Their file → our set, precision, file of batch sizes.
SETS = {
    "pytorch-train-throughput-fp16.csv": ("lambda-pytorch-v1", "fp16", "pytorch-train-bs-fp16.csv"),
    "pytorch-train-throughput-fp32.csv": ("lambda-pytorch-v1", "fp32", "pytorch-train-bs-fp32.csv"),
    "pytorch-train-throughput-v2-fp16.csv": ("lambda-pytorch-v2", "fp16", ""),
    "pytorch-train-throughput-v2-fp32.csv": ("lambda-pytorch-v2", "fp32", ""),
    "pytorch-train-throughput-fp16.2022-07.csv": ("lambda-pytorch-2022-07", "fp16", ""),
    "pytorch-train-throughput-fp32.2022-07.csv": ("lambda-pytorch-2022-07", "fp32", ""),
}
# Their column → unit. The column is the network's name.
UNIT_OF = {
    "ssd": "images/s",
    "resnet50": "images/s",
    "maskrcnn": "images/s",
    "bert_base_squad": "sequences/s",
    "bert_large_squad": "sequences/s",
    "gnmt": "tokens/s",
    "tacotron2": "tokens/s",
    "transformerxlbase": "tokens/s",
    "transformerxllarge": "tokens/s",
    "waveglow": "samples/s",
    "ncf": "samples/s",
}
IGNORED = {
    "watt": "number of GPUs times their board power, not measured (used below to tell V100 boards apart)",
    "price": "Lambda's own estimate of that year for a whole machine",
}
SOFTWARE = {"fp16": "PyTorch with automatic mixed precision", "fp32": "PyTorch; TF32 from Ampere on"}

# Clouds, machine makers, sites and disks before the name of the GPU.
HOSTS = re.compile(r"^(LambdaCloud|Lambda Cloud —|Linode Cloud —|DellTexas|Dell|SMC|1CC|RAIDZ1)\s+")
# Cloud machines by their own name: fsdl-cloud-gpus lists p3 with 16 GB V100 and p4d with 40 GB A100.
MACHINES = {
    "p3.8xlarge": "V100 16GB",
    "p3.16xlarge": "V100 16GB",
    "p4d.24xlarge": "A100 40GB SXM4",
}
# What follows the GPU's name and is not part of it → what it says of the run.
SUFFIXES = {" NVLink": "NVLink bridge", " Gen5": "PCIe 5.0", " V1": "marked V1 in the source"}
NAMES = {
    "RTX A40": "A40",
    "RTX Quadro 8000": "Quadro RTX 8000",
    "H200 140GB SXM": "H200 141GB SXM",  # the part holds 141 GB; the driver shows 140
    "B200 192GB": "B200",
    "GH200 80GB": "GH200",  # no GH200 has 80 GB: the row does not tell 96 from 144 GB
}
# The V100 boards differ in power (Epoch's table: SXM2 300 W, PCIe 250 W), and `watt` counts it.
V100_FORMS = {300: "SXM2", 250: "PCIe"}
# v2 names a run: <host>_<count>x<GPU>_<memory>[_<form>]_<address or label>_v2[_bk].
V2_NAME = re.compile(r"_(?P<count>\d+)x(?P<gpu>[A-Z]+\d+_\d+GB(?:_(?:SXM\d?|PCIe))?)_(?:.*_)?v2(?P<copy>_bk)?$")


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a configuration, network and precision; impossible scaling is flagged file by file."""
    for file, snapshot in snapshots.items():
        if file in SETS:
            yield from mark_super_linear(_results(snapshot, _batches(snapshots.get(SETS[file][2]))))


def _results(snapshot: Snapshot, batches: dict[tuple[str, str], str]) -> Iterator[Result]:
    name_set, precision, _ = SETS[snapshot.file]
    for number, row in table.rows(snapshot, ["ssd"]):
        label = row.get("name_gpu") or row.get("", "")
        gpu, count, remark, flag = _configuration(snapshot, number, label, row)
        for network in (column for column in row if column in UNIT_OF):
            value = table.number(snapshot, number, row, network)
            yield snapshot.result(
                gpu,
                f"row {number} ({label}), column {network}",
                gpu_count=count,
                set=name_set,
                workload="training",
                model=network,
                precision=precision,
                batch=batches.get((label, network), ""),
                metric="throughput",
                value=value or None,
                unit=UNIT_OF[network],
                higher_is_better=True,
                software="; ".join(filter(None, (SOFTWARE[precision], remark))),
                date=snapshot.published or snapshot.retrieved,
                flag=flag if value else FAILED,
            )
        refuse_unknown_columns(snapshot, row, {*UNIT_OF, *IGNORED, "", "name_gpu", "num_gpu"})


def _configuration(snapshot: Snapshot, number: int, label: str, row: dict[str, str]) -> tuple[str, int, str, str]:
    """Take a label apart: GPU, how many, remark on the run, flag."""
    if "num_gpu" in row:
        count = int(table.number(snapshot, number, row, "num_gpu"))
        gpu, remark = _v1_name(label, table.number(snapshot, number, row, "watt") / count)
        return gpu, count, remark, ""
    match = V2_NAME.search(label)
    if not match:
        where = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{where}: name {label!r} has no <count>x<GPU>_<memory>; correct V2_NAME in its module")
    gpu = match["gpu"].replace("_", " ")
    flag = "second copy of a run (_bk)" if match["copy"] else ""
    return NAMES.get(gpu, gpu), int(match["count"]), "", flag


def _v1_name(label: str, watt: float) -> tuple[str, str]:
    name = re.sub(r"^\d+x\s*", "", HOSTS.sub("", label))
    name = MACHINES.get(name, name)
    remark = ""
    for suffix, meaning in SUFFIXES.items():
        if name.endswith(suffix):
            name, remark = name.removesuffix(suffix), meaning
    if name.startswith("V100 ") and round(watt) in V100_FORMS:
        name = name.replace("V100 ", f"V100 {V100_FORMS[round(watt)]} ")
    return NAMES.get(name, name), remark


def _batches(snapshot: Snapshot | None) -> dict[tuple[str, str], str]:
    """Batch size of the whole configuration by label and network."""
    if snapshot is None:
        return {}
    return {
        (row["name_gpu"], network): row[network]
        for _, row in table.rows(snapshot, ["name_gpu"])
        for network in UNIT_OF
        if row.get(network)
    }
