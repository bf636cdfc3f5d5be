"""Cloud families: what is inside each machine, what it costs or cost, and what came after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.wording import between, count, day, dollars, number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import cloud
from pipeline.derive.cloud import CloudPrice, Families, MachineFamily, MachineType
from pipeline.site.pages import addresses
from pipeline.site.render import Page

PROVIDERS: Mapping[str, str] = {"AWS": "Amazon EC2", "Azure": "Microsoft Azure", "GCP": "Google Cloud"}
EDIT = "data/cloud.yml"
BOOST = 12.0  # who types the name of a family of machines wants its page, not the cards in it
STATE_WORDS: Mapping[str, str] = {
    "fresh": "",
    "ageing": "",
    "stale": "old",
    "withdrawn": "history",
    "history": "history",
}


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine of a table."""

    machine: MachineType
    gpu: GpuRecord
    gpu_memory_gb: float | None
    on_demand: CloudPrice | None
    spot: CloudPrice | None

    @property
    def short(self) -> str:
        """The GPU's name without its maker, which the dot shows."""
        return self.gpu.name.removeprefix(f"{self.gpu.vendor} ")


def pages(dataset: Dataset) -> Iterator[Page]:
    """The list of families and a page for each."""
    known = cloud.load()
    lines = {family.id: _lines(known, family, dataset) for family in known.families}
    groups = [(name, [f for f in known.families if f.provider == key]) for key, name in PROVIDERS.items()]
    context = {
        "groups": groups,
        "glance": {family.id: _glance(family, lines[family.id]) for family in known.families},
    }
    yield Page(
        "clouds/index",
        "clouds.html.j2",
        context,
        "Machines in the clouds, family by family",
        "Which GPU is inside AWS P2 to P5 and G3 to G5, Azure NC, ND and NV, Google Cloud N1, A2, A3, A4, G2 "
        "and TPU, and what it costs.",
        EDIT,
    )
    for family in known.families:
        yield _page(known, family, lines[family.id])


def summary(family: MachineFamily, lines: Mapping[str, MachineRow]) -> str:
    """One sentence: what is inside, and what an hour of one GPU costs or cost."""
    gpus = list(dict.fromkeys(line.gpu.name for line in lines.values()))
    inside = f"{family.name}: {', '.join(gpus)}." if gpus else f"{family.name}."
    return f"{inside} {_price_words(lines)}".strip()


def _page(known: Families, family: MachineFamily, lines: Mapping[str, MachineRow]) -> Page:
    context = {
        "family": family,
        "documents": known.documents,
        "lines": lines,
        "provider": PROVIDERS[family.provider],
        "price_words": _price_words(lines),
        "state_words": STATE_WORDS,
        "addresses": addresses,
        "edit": addresses.edit(EDIT),
        "halves": any(line.machine.gpus < 1 for line in lines.values()),
    }
    return Page(f"clouds/{family.id}", "cloud.html.j2", context, family.name, summary(family, lines), EDIT, boost=BOOST)


def _lines(known: Families, family: MachineFamily, dataset: Dataset) -> dict[str, MachineRow]:
    """The machines whose GPU the dataset holds: all of them, but for a dataset that was trimmed."""
    prices = cloud.prices(known, family, dataset)
    found = {}
    for machine in (one for one in family.machines if one.gpu in dataset.gpus):
        gpu, kinds = dataset.gpus[machine.gpu], prices[machine.name]
        each = gpu.memory_gb
        whole = each * machine.gpus if each else None
        found[machine.name] = MachineRow(machine, gpu, whole, kinds.get("on_demand"), kinds.get("spot"))
    return found


def _price_words(lines: Mapping[str, MachineRow]) -> str:
    found = _seen(lines)
    if not found:
        return "No price of it was read yet."
    verb = "costs" if not _old(found) else "cost"
    return (
        f"An hour of one GPU {verb} {_amount(found)} on demand ({count(len(found), 'machine')}, seen {_when(found)})."
    )


def _glance(family: MachineFamily, lines: Mapping[str, MachineRow]) -> dict[str, str]:
    """What the list shows of a family."""
    found = _seen(lines)
    most = max((line.machine.gpus for line in lines.values()), default=0)
    return {
        "gpus": ", ".join(dict.fromkeys(line.short for line in lines.values())),
        "most": number(most) if most else "",
        "price": _amount(found) if found else "",
        "seen": _when(found) if found else "",
        "old": _old(found),
        "states": "; ".join(f"{series.name}: {series.state.text.lower()}" for series in family.series if series.state),
    }


def _seen(lines: Mapping[str, MachineRow]) -> list[CloudPrice]:
    return [line.on_demand for line in lines.values() if line.on_demand]


def _amount(found: Sequence[CloudPrice]) -> str:
    low, high = min(one.low_usd_per_gpu for one in found), max(one.high_usd_per_gpu for one in found)
    return between(dollars(low), dollars(high))


def _when(found: Sequence[CloudPrice]) -> str:
    first, last = min(one.day for one in found), max(one.day for one in found)
    return between(day(first), day(last))


def _old(found: Sequence[CloudPrice]) -> str:
    """The word for the oldest of the prices; "" where all count today."""
    words = {STATE_WORDS[one.state] for one in found}
    return next((word for word in ("history", "old") if word in words), "")
