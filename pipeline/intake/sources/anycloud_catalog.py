"""Rental prices from the anycloud catalogues of Lambda, Vast.ai, Azure and Google Cloud (2026-04 to 05).

Prices are per machine. Lines that differ in region only are one offer: an observation stands for one machine type,
kind and price, names the regions, and says in its locator how many lines it merges. A GPU of the guide is a board, so
slices count as fractions of one. Google prices GPU and host machine on two lines of a zone; they are added.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from pipeline.core.schema import Price, Row, Rows
from pipeline.intake.price_list import Offer, lines, mark_implausible, merged, per_gpu, places
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

RAW = "https://raw.githubusercontent.com/anycloud-sh/catalog/main/"
SOURCE = Source(
    id="anycloud-catalog",
    title="Anycloud catalogue",
    publisher="anycloud",
    home="https://github.com/anycloud-sh/catalog",
    licence="not stated",
    kind="community",
    gives="machine types with GPUs of Lambda, Vast.ai, Azure and Google Cloud: price and spot price by region",
    files=(
        SourceFile("lambda_vms.csv", RAW + "lambda/vms.csv", "original", 20),
        SourceFile("vast_vms.csv", RAW + "vast/vms.csv", "original", 30),
        SourceFile("azure_vms_gpu_rows.csv", RAW + "azure/vms.csv", "same-format", 300),
        SourceFile("gcp_vms_gpu_rows.csv", RAW + "gcp/vms.csv", "same-format", 200),
    ),
)

# Lambda names the form in the machine type, and its plain A100 is the 40 GB part of unstated form.
LAMBDA_NAMES = {
    "a10": "A10",
    "a100": "A100 40GB",
    "a100_sxm4": "A100 SXM4 40GB",
    "a100_80gb_sxm4": "A100 SXM4 80GB",
    "a6000": "RTX A6000",
    "b200_sxm6": "B200",
    "gh200": "GH200 96GB",
    "h100_pcie": "H100 PCIe 80GB",
    "h100_sxm5": "H100 SXM5 80GB",
    "rtx6000": "Quadro RTX 6000",
    "v100": "V100 16GB",
    "v100_n": "V100 16GB",
}
# Vast.ai: AcceleratorName cuts names (RTX4070 for an RTX 4070 Ti SUPER), the machine type has them in full.
VAST_NAMES = {
    "A100_PCIE": "A100 PCIe",
    "H100_NVL": "H100 NVL 94GB",
    "H100_SXM": "H100 SXM 80GB",
    "RTX_4070S_Ti": "RTX 4070 Ti SUPER",
    "RTX_5880Ada": "RTX 5880 Ada",
    "RTX_6000Ada": "RTX 6000 Ada",
    "Tesla_V100": "V100",
    "RTX_PRO_6000_WS": "RTX PRO 6000 Blackwell Workstation",
}
# Vast.ai's names of several memory sizes; GpuInfo has the memory of all GPUs together, in MiB.
VAST_SEVERAL_SIZES = frozenset(("A100 SXM4", "A100 PCIe", "V100", "RTX 4060 Ti", "RTX 3060", "RTX 3080"))
VAST_MACHINE = re.compile(r"\d+x-(?P<gpu>\w+)-\d+-\d+")
VAST_REMARK = "one host's asking price at one moment"

# Azure by machine series. Forms: Microsoft's size pages, read 2026-11-21 (NC-A100-v4: "A100 PCIe GPU"; NDv2, ND-A100-v4
# and ND-H100-v5: eight GPUs joined by NVLink, which only SXM boards are). NC-H100-v5 is the H100 NVL and ND-H200-v5 the
# SXM board in the lexsi list and in github.com/datareceipts/data-receipts (109-gpu-pricing). NCv3 (V100) and
# NCC-H100-v5 are documented nowhere that was read: their names stay without form.
# GPUs: the catalogue counts NVv3 by M60 chips ("1 GPU = one-half M60 card") and every NVv4 as one MI25, though
# NV4as, NV8as and NV16as hold 1/8, 1/4 and 1/2 (learn.microsoft.com, nvv3-series and nvv4-series, read 2026-11-21).
AZURE_SERIES = (
    (re.compile(r"Standard_NC\d+r?s_v3"), "V100 16GB", 1.0),
    (re.compile(r"Standard_NC\d+as_T4_v3"), "T4", 1.0),
    (re.compile(r"Standard_NC\d+ads_A10_v4"), "A10", 1.0),
    (re.compile(r"Standard_NC\d+ads_A100_v4"), "A100 PCIe 80GB", 1.0),
    (re.compile(r"Standard_NC\d+adi?s_H100_v5"), "H100 NVL 94GB", 1.0),
    (re.compile(r"Standard_NCC\d+ads_H100_v5"), "H100", 1.0),
    (re.compile(r"Standard_ND40rs_v2"), "V100 SXM2 32GB", 1.0),
    (re.compile(r"Standard_ND96asr_v4"), "A100 SXM4 40GB", 1.0),
    (re.compile(r"Standard_ND96amsr_A100_v4"), "A100 SXM4 80GB", 1.0),
    (re.compile(r"Standard_ND96isr_H100_v5"), "H100 SXM5 80GB", 1.0),
    (re.compile(r"Standard_ND96isr_H200_v5"), "H200 SXM 141GB", 1.0),
    (re.compile(r"Standard_ND96isr_MI300X_v5"), "MI300X", 1.0),
    (re.compile(r"Standard_NV\d+adm?s_A10_v5"), "A10", 1.0),
    (re.compile(r"Standard_NV\d+s_v3"), "M60", 0.5),
    (re.compile(r"Standard_NV4as_v4"), "MI25", 1 / 8),
    (re.compile(r"Standard_NV8as_v4"), "MI25", 1 / 4),
    (re.compile(r"Standard_NV16as_v4"), "MI25", 1 / 2),
    (re.compile(r"Standard_NV32as_v4"), "MI25", 1.0),
)
# Fractions of an A10 are printed with three digits.
AZURE_FRACTIONS = {"0.167": 1 / 6, "0.333": 1 / 3}
# Azure lines end in Generation without quotes: V1,V2 is one cell.
AZURE_GENERATIONS = re.compile(rb",V1,V2(?=\r?\n|$)")

# Google Cloud: accelerator and count → host machine that must be added, and the GPU. Forms: Google's GPU page
# (A3 Ultra: H200 SXM; A100, H100: NVLink full mesh of eight, V100: NVLink ring, which only SXM boards have).
GCP_HOSTS: Mapping[str, Mapping[int, tuple[str, ...]]] = {
    "A100": {n: (f"a2-highgpu-{n}g",) for n in (1, 2, 4, 8)} | {16: ("a2-megagpu-16g",)},
    "A100-80GB": {n: (f"a2-ultragpu-{n}g",) for n in (1, 2, 4, 8)},
    "H100": {n: (f"a3-highgpu-{n}g",) for n in (1, 2, 4)} | {8: ("a3-highgpu-8g", "a3-edgegpu-8g")},
    "H100-MEGA": {8: ("a3-megagpu-8g",)},
    "H200": {8: ("a3-ultragpu-8g",)},
    "B200": {8: ("a4-highgpu-8g",)},
    "L4": {1: ("g2-standard-4",), 2: ("g2-standard-24",), 4: ("g2-standard-48",), 8: ("g2-standard-96",)},
}
GCP_NAMES = {
    "A100": "A100 SXM4 40GB",
    "A100-80GB": "A100 SXM4 80GB",
    "H100": "H100 SXM5 80GB",
    "H100-MEGA": "H100 SXM5 80GB",
    "H200": "H200 SXM 141GB",
    "B200": "B200",
    "L4": "L4",
    "T4": "T4",
    "P4": "P4",
    "P100": "P100 16GB",
    "V100": "V100 SXM2 16GB",
}
# The user picks an N1 host for these; the catalogue has none, so the GPU alone is priced.
GCP_WITHOUT_HOST = frozenset(("T4", "P4", "P100", "V100"))
GCP_NO_HOST_FLAG = "GPU alone: the host machine comes on top"
# Other hosts in the file → why they are not added.
GCP_OTHER_HOSTS = "host of the same GPUs with more processors, or without local disks; the smallest is taken"
# A slice of a TPU counts as 1: v5e and v6e name it by chips, the others by cores, two a chip (Google's TPU pages:
# v5p-8 is the topology 2x2x1 with 8 cores and 4 chips).
TPU = re.compile(r"tpu-(?P<version>v\d+\w*?)(?:litepod)?-(?P<size>\d+)")
TPU_NAMES = {"v2": "TPU v2", "v3": "TPU v3", "v4": "TPU v4", "v5": "TPU v5e", "v5p": "TPU v5p", "v6e": "TPU v6e"}
CORES_PER_CHIP = {"v2": 2, "v3": 2, "v4": 2, "v5": 1, "v5p": 2, "v6e": 1}

COLUMNS = ["InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region"]


@dataclass(frozen=True, slots=True)
class CatalogueLine:
    """One line of a catalogue that names an accelerator."""

    number: int
    row: dict[str, str]


def parse(snapshots: Snapshots) -> Rows:
    """Yield one price an offer, catalogue by catalogue; implausible ones are flagged within their catalogue."""
    for file, snapshot in snapshots.items():
        provider, read = READERS[file]
        found = list(_lines(snapshot))
        # Name the machines without GPU once; Google's hosts are dealt with where they are added
        machines = [one for one in found if not one.row["AcceleratorName"]]
        if machines and snapshot.file != "gcp_vms_gpu_rows.csv":
            where = lines([one.number for one in machines], "", "")
            yield snapshot.skip("machine without GPU", where, "no accelerator on the line")
        offers = list(read(snapshot, found))
        yield from (row for row in offers if not isinstance(row, Offer))
        yield from mark_implausible(
            _price(snapshot, provider, offer, same)
            for offer, same in merged(row for row in offers if isinstance(row, Offer))
        )


def _price(snapshot: Snapshot, provider: str, offer: Offer, same: list[Offer]) -> Price:
    return snapshot.price(
        offer.name,
        lines([one.row for one in same], offer.instance),
        kind=offer.kind,
        provider=provider,
        region=places([one.region for one in same]),
        gpus=round(float(offer.gpus), 6),
        usd_per_gpu_hour=per_gpu(offer.machine_hour, offer.gpus),
        usd_per_machine_hour=None if offer.flag == GCP_NO_HOST_FLAG else offer.machine_hour,
        date=snapshot.published or snapshot.retrieved,
        includes=offer.includes,
        flag=offer.flag,
        offer=f"{provider} / {offer.instance} / {offer.kind} / {offer.machine_hour} / {offer.gpus:.3g}x {offer.name}",
    )


def _lines(snapshot: Snapshot) -> Iterator[CatalogueLine]:
    fixed = replace(snapshot, content=AZURE_GENERATIONS.sub(b',"V1,V2"', snapshot.content))
    for number, row in table.rows(fixed, COLUMNS):
        yield CatalogueLine(number, row)


def _offers(line: CatalogueLine, name: str, gpus: float, includes: str = "") -> Iterator[Offer]:
    """The on-demand and the spot price of a line; a spot price of 0 or none means that there is no spot."""
    row = line.row
    for kind, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
        amount = float(row[column] or 0)
        if amount:
            yield Offer(name, kind, row["InstanceType"], gpus, amount, row["Region"].strip(" ,"), line.number, includes)


def _lambda(snapshot: Snapshot, found: list[CatalogueLine]) -> Iterator[Offer | Row]:
    for line in _with_gpu(found):
        form = re.sub(r"^gpu_\d+x_", "", line.row["InstanceType"])
        yield from _offers(line, _known(snapshot, line, LAMBDA_NAMES, form), float(line.row["AcceleratorCount"]))


def _vast(snapshot: Snapshot, found: list[CatalogueLine]) -> Iterator[Offer | Row]:
    for line in _with_gpu(found):
        if not VAST_MACHINE.fullmatch(line.row["InstanceType"]):
            raise _unknown(snapshot, line, "InstanceType", "VAST_MACHINE")
        gpus = int(line.row["AcceleratorCount"])
        raw = re.sub(r"^\d+x-|-\d+-\d+$", "", line.row["InstanceType"])
        name = VAST_NAMES.get(raw, raw.replace("_", " "))
        memory = re.search(r"'SizeInMiB': (\d+)", line.row["GpuInfo"])
        if name in VAST_SEVERAL_SIZES and memory:
            name = f"{name} {round(int(memory[1]) / gpus / 1024)}GB"
        yield from _offers(line, name, gpus, VAST_REMARK)


def _azure(snapshot: Snapshot, found: list[CatalogueLine]) -> Iterator[Offer | Row]:
    for line in _with_gpu(found):
        series = next((s for s in AZURE_SERIES if s[0].fullmatch(line.row["InstanceType"])), None)
        if series is None:
            raise _unknown(snapshot, line, "InstanceType", "AZURE_SERIES")
        count = line.row["AcceleratorCount"]
        gpus = AZURE_FRACTIONS.get(count, float(count)) * series[2]
        remark = "" if gpus >= 1 else f"a slice: {gpus:.3g} of the board"
        for offer in _offers(line, series[1], gpus, remark):
            same = line.row["Price"] == line.row["SpotPrice"] and offer.kind == "spot"
            yield replace(offer, flag="spot price equal to the list price") if same else offer


def _gcp(snapshot: Snapshot, found: list[CatalogueLine]) -> Iterator[Offer | Row]:
    hosts = {(one.row["InstanceType"], one.row["AvailabilityZone"]): one for one in found if one.row["InstanceType"]}
    added: set[int] = set()
    for line in _with_gpu(found):
        tpu = TPU.fullmatch(line.row["AcceleratorName"])
        if tpu:
            version, cores = tpu["version"], int(tpu["size"])
            chips = cores / CORES_PER_CHIP[version]
            named = CatalogueLine(line.number, line.row | {"InstanceType": line.row["AcceleratorName"]})
            yield from _offers(named, TPU_NAMES[version], chips, f"a slice of {chips:g} chip{'s' if chips > 1 else ''}")
        elif line.row["AcceleratorName"] in GCP_WITHOUT_HOST:
            yield from _bare(snapshot, line)
        else:
            yield from _with_host(snapshot, line, hosts, added)
    unused: dict[str, list[CatalogueLine]] = defaultdict(list)
    for (machine, _), host in hosts.items():
        if host.number not in added:
            unused[machine].append(host)
    for machine, ones in unused.items():
        yield snapshot.skip(machine, lines([one.number for one in ones], machine, "like it"), GCP_OTHER_HOSTS)


def _bare(snapshot: Snapshot, line: CatalogueLine) -> Iterator[Offer]:
    name = _known(snapshot, line, GCP_NAMES, line.row["AcceleratorName"])
    count = line.row["AcceleratorCount"]
    named = CatalogueLine(line.number, line.row | {"InstanceType": f"{count}x {line.row['AcceleratorName']}"})
    for offer in _offers(named, name, float(count), "without a host machine"):
        yield replace(offer, flag=GCP_NO_HOST_FLAG)


def _with_host(
    snapshot: Snapshot, line: CatalogueLine, hosts: dict[tuple[str, str], CatalogueLine], added: set[int]
) -> Iterator[Offer | Row]:
    """Add the host machine of the same zone to the GPUs, price by price."""
    row, count = line.row, int(line.row["AcceleratorCount"])
    machines = GCP_HOSTS[row["AcceleratorName"]].get(count, ())
    host = next((hosts[m, row["AvailabilityZone"]] for m in machines if (m, row["AvailabilityZone"]) in hosts), None)
    if host is None:
        where = f"row {line.number} ({count}x {row['AcceleratorName']}, {row['AvailabilityZone']})"
        yield snapshot.skip(row["AcceleratorName"], where, f"no host machine {' or '.join(machines)} in this zone")
        return
    added.add(host.number)
    name = _known(snapshot, line, GCP_NAMES, row["AcceleratorName"])
    for kind, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
        gpus_hour, host_hour = float(row[column] or 0), float(host.row[column] or 0)
        if gpus_hour:
            includes = f"with host machine {host.row['InstanceType']}" + (
                "" if host_hour else ", listed at 0: in the GPUs' price"
            )
            yield Offer(
                name,
                kind,
                host.row["InstanceType"],
                count,
                round(gpus_hour + host_hour, 5),
                row["Region"],
                line.number,
                includes,
            )


def _with_gpu(found: list[CatalogueLine]) -> Iterator[CatalogueLine]:
    return (one for one in found if one.row["AcceleratorName"])


def _known(snapshot: Snapshot, line: CatalogueLine, names: Mapping[str, str], key: str) -> str:
    if key not in names:
        raise _unknown(snapshot, line, "AcceleratorName", "the table of names")
    return names[key]


def _unknown(snapshot: Snapshot, line: CatalogueLine, column: str, place: str) -> SourceError:
    return SourceError(
        f"{SOURCE.id}/{snapshot.file} row {line.number}: unknown {column} {line.row[column]!r} "
        f"({line.row['InstanceType']}); add it to {place} in its module"
    )


Reader = Callable[[Snapshot, list[CatalogueLine]], Iterator[Offer | Row]]
READERS: dict[str, tuple[str, Reader]] = {
    "lambda_vms.csv": ("Lambda", _lambda),
    "vast_vms.csv": ("Vast.ai", _vast),
    "azure_vms_gpu_rows.csv": ("Azure", _azure),
    "gcp_vms_gpu_rows.csv": ("GCP", _gcp),
}
