"""The words of vendors' sheets as visible tables: labels, units, formats, footnotes, and rules with their evidence."""

from __future__ import annotations

import re

# ---------------------------------------------------------------- units
# As printed (compared without regard to case unless both spellings mean different things) → (spelling that
# pipeline.core.units reads, what it measures). A unit that is missing here is reported, never guessed.
UNITS = {
    "GB/s": ("GB/s", "rate"),
    "GB/sec": ("GB/s", "rate"),
    "GBps": ("GB/s", "rate"),
    "GB / s": ("GB/s", "rate"),
    "TB/s": ("TB/s", "rate"),
    "TB/sec": ("TB/s", "rate"),
    "TBps": ("TB/s", "rate"),
    "MB/s": ("MB/s", "rate"),
    "GiB/s": ("GiB/s", "rate"),
    "TiB/s": ("TiB/s", "rate"),
    "Gbps": ("Gbps", "bits a second"),
    "Gb/s": ("Gb/s", "bits a second"),
    "Gbit/s": ("Gbit/s", "bits a second"),
    "GT/s": ("GT/s", "bits a second"),
    "GB": ("GB", "memory"),
    "GiB": ("GiB", "memory"),
    "TB": ("TB", "memory"),
    "MB": ("MB", "memory"),
    "MiB": ("MiB", "memory"),
    "KB": ("KB", "memory"),
    "KiB": ("KiB", "memory"),
    "gigabytes": ("GB", "memory"),
    "kW": ("kW", "power"),
    "W": ("W", "power"),
    "watts": ("W", "power"),
    "watt": ("W", "power"),
    "MHz": ("MHz", "clock"),
    "GHz": ("GHz", "clock"),
    "nm": ("nm", "process"),
    "mm2": ("mm2", "area"),
    "mm^2": ("mm2", "area"),
    "mm": ("mm", "length"),
    "cm": ("cm", "length"),
    "inches": ("inch", "length"),
    "inch": ("inch", "length"),
    "in": ("inch", "length"),
    '"': ("inch", "length"),
    "-bit": ("bit", "width"),
    "bits": ("bit", "width"),
    "bit": ("bit", "width"),
    "TFLOPS": ("TFLOPS", "flops"),
    "TFLOP/s": ("TFLOPS", "flops"),
    "teraFLOPS": ("TFLOPS", "flops"),
    "TF": ("TFLOPS", "flops"),
    "TFLOP": ("TFLOPS", "flops"),
    "PF": ("PFLOPS", "flops"),
    "PFLOPS": ("PFLOPS", "flops"),
    "PFLOP/s": ("PFLOPS", "flops"),
    "petaFLOPS": ("PFLOPS", "flops"),
    "PFLOP": ("PFLOPS", "flops"),
    "GFLOPS": ("GFLOPS", "flops"),
    "gigaFLOPS": ("GFLOPS", "flops"),
    "TOPS": ("TOPS", "ops"),
    "TOP/s": ("TOPS", "ops"),
    "teraOPS": ("TOPS", "ops"),
    "TOP": ("TOPS", "ops"),
    "POPS": ("POPS", "ops"),
    "petaOPS": ("POPS", "ops"),
    "GOPS": ("GOPS", "ops"),
    "million": ("million", "many"),
    "billion": ("billion", "many"),
    "Billion": ("billion", "many"),
    "USD": ("USD", "money"),
}
# Two units that differ in case only: here the case counts.
CASE_COUNTS = {"gb/s", "gbps", "gb", "mb", "kb", "tb", "mb/s", "tb/s", "tbps"}
# A "B" behind a count of transistors is a billion; behind anything else it is a byte.
SHORT_COUNTS = {"B": "billion", "bn": "billion", "M": "million"}

# ---------------------------------------------------------------- labels
# How a cell is read.
(
    QUANTITY,
    COUNT,
    MEMORY,
    LINKS,
    FORM,
    TEXT,
    PCIE,
    PROCESS,
    DATE,
    FLAG,
    COOLING,
    SLOTS,
    TRANSISTORS,
    ARCHITECTURE,
    NAME,
) = (
    "quantity",
    "count",
    "memory",
    "links",
    "form",
    "text",
    "pcie",
    "process",
    "date",
    "flag",
    "cooling",
    "slots",
    "transistors",
    "architecture",
    "name",
)

# (how the cell is read, field, what its unit must measure) ← labels as `label_key` writes them.
_LABELS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        MEMORY,
        "memory_gb",
        "memory",
        (
            "memory",
            "memory size",
            "memory capacity",
            "graphics memory",
            "graphics memory size",
            "video memory",
            "vram",
            "hbm capacity",
            "hbm memory",
            "hbm",
            "hbm memory capacity",
            "dedicated high bandwidth memory",
            "frame buffer",
            "dedicated memory",
            "dedicated memory size",
            "dedicated memory capacity",
            "framebuffer",
            "max memory size",
            "standard memory config",
            "memory configuration",
            "memory specification",
            "memory specifications",
            "gpu memory",
            "gpu memory size",
            "gpu memory capacity",
            "gpu memory | bandwidth",
            "gpu memory / bandwidth",
            "memory / bandwidth",
            "memory | bandwidth",
            "memory and bandwidth",
            "memory & bandwidth",
            "gpu memory and bandwidth",
            "gpu memory & bandwidth",
            "memory size and type",
            "memory size / type",
            "memory type and size",
            "on board memory",
            "onboard memory",
            "memory capacity and bandwidth",
            "memory capacity / bandwidth",
            "hbm capacity and bandwidth",
            "hbm2 capacity and bandwidth",
            "high bandwidth memory",
            "high bandwidth memory hbm size",
            "high bandwidth memory hbm",
            "hbm size",
            "memory amount",
            "total memory size",
            "vram size",
            "vram capacity",
            "device memory",
            "local memory",
        ),
    ),
    (
        MEMORY,
        "memory_type",
        "",
        ("memory type", "graphics memory type", "dedicated memory type", "gpu memory type", "hbm type", "vram type"),
    ),
    (
        MEMORY,
        "memory_bus_bit",
        "width",
        (
            "memory interface",
            "memory bus",
            "memory bus width",
            "memory interface width",
            "graphics memory interface",
            "bus width",
            "gpu memory interface",
            "memory bus interface",
            "memory width",
        ),
    ),
    (
        MEMORY,
        "memory_bandwidth_gb_s",
        "rate",
        (
            "memory bandwidth",
            "gpu memory bandwidth",
            "graphics memory bandwidth",
            "hbm bandwidth",
            "hbm memory bandwidth",
            "vram bandwidth",
            "dedicated memory bandwidth",
            "total memory bandwidth",
            "memory throughput",
            "memory bw",
            "hbm bw",
            "gpu memory bw",
            "memory band width",
        ),
    ),
    (
        MEMORY,
        "memory_data_rate_gbps",
        "bits a second",
        (
            "memory speed",
            "graphics memory speed",
            "memory data rate",
            "effective memory speed",
            "memory clock",
            "memory pin speed",
            "memory speed effective",
            "memory data rate per pin",
        ),
    ),
    (
        COUNT,
        "shader_cores",
        "",
        (
            "cuda cores",
            "stream processors",
            "shading units",
            "shaders",
            "cuda parallel processing cores",
            "shader cores",
            "nvidia cuda cores",
            "gpu cuda cores",
            "stream processor count",
            "number of cuda cores",
            "fp32 cores",
            "fp32 cuda cores",
            "shader processors",
            "cuda processing cores",
        ),
    ),
    (
        COUNT,
        "tensor_cores",
        "",
        (
            "tensor cores",
            "ai accelerators",
            "matrix cores",
            "xmx engines",
            "xe matrix extensions xmx engines",
            "xe matrix extensions (xmx) engines",
            "xmx ai engines",
            "nvidia tensor cores",
            "matrix engines",
            "gpu tensor cores",
            "number of tensor cores",
            "ai tensor cores",
            "xmx units",
        ),
    ),
    (
        COUNT,
        "compute_units",
        "",
        (
            "compute units",
            "compute units cus",
            "cus",
            "xe cores",
            "streaming multiprocessors",
            "sms",
            "sm count",
            "multiprocessors",
            "streaming multiprocessors sms",
            "gpu compute units",
            "compute units cu",
            "number of sms",
            "number of compute units",
            "sm",
        ),
    ),
    (
        QUANTITY,
        "boost_clock_mhz",
        "clock",
        (
            "boost clock",
            "boost frequency",
            "gpu boost clock",
            "boost engine clock",
            "engine clock",
            "boost gpu clock",
            "boost clock speed",
            "gpu boost frequency",
            "graphics dynamic frequency",
            "boost clock frequency",
            "gpu boost clock frequency",
            "boost engine frequency",
            "clock rate boost",
            "clock boost",
            "boost clock rate",
        ),
    ),
    (
        QUANTITY,
        "base_clock_mhz",
        "clock",
        (
            "base clock",
            "base frequency",
            "gpu base clock",
            "base clock speed",
            "graphics base clock",
            "graphics base frequency",
            "base clock frequency",
            "gpu base frequency",
            "clock rate base",
            "clock base",
            "base clock rate",
        ),
    ),
    (
        QUANTITY,
        "board_power_w",
        "power",
        (
            "thermal design power",
            "tdp",
            "tbp",
            "tgp",
            "tdp thermal design power",
            "thermal design power tdp",
            "total board power",
            "total board power tbp",
            "tbp total board power",
            "total graphics power",
            "total graphics power tgp",
            "typical board power",
            "typical board power tbp",
            "total board power typical",
            "typical board power desktop",
            "power consumption",
            "board power",
            "graphics card power",
            "module power",
            "gpu power",
            "card power",
            "power",
            "oam tdp",
            "thermal design power or tdp",
            "total board power (tbp)",
            "max power",
            "power limit",
            "power envelope",
            "board power tdp",
            "gpu tdp",
            "oam power",
            "total power",
            "power draw",
            "graphics power",
            "total card power",
            "thermal power",
            "power rating",
            "gpu power consumption",
            "tdp power",
            "tdp/tbp",
            "tdp / tbp",
            "tbp/tdp",
            "tbp / tdp",
        ),
    ),
    (
        QUANTITY,
        "recommended_psu_w",
        "power",
        (
            "minimum psu recommendation",
            "recommended psu",
            "required system power",
            "minimum system power",
            "recommended power supply",
            "psu recommendation",
            "recommended system power",
            "minimum psu",
            "recommended psu wattage",
        ),
    ),
    (
        TEXT,
        "power_connectors",
        "",
        (
            "power connector",
            "power connectors",
            "external power connectors",
            "external power connector",
            "supplementary power connectors",
            "supplementary power connector",
            "auxiliary power connectors",
            "additional power connector",
            "additional power connectors",
            "auxiliary power connector",
            "power plug",
            "power plugs",
            "pcie power connectors",
            "pcie power connector",
            "external power",
        ),
    ),
    (QUANTITY, "length_mm", "length", ("length", "card length", "board length")),
    (SLOTS, "slot_width", "", ("slot size", "slot width", "slots", "slot", "width")),
    (COOLING, "cooling", "", ("thermal", "thermal solution", "cooling", "cooler", "cooler type", "cooling solution")),
    (
        FORM,
        "form_factor",
        "",
        ("form factor", "gpu form factor", "dimensions", "board dimensions", "card dimensions", "board form factor"),
    ),
    (
        LINKS,
        "link_gb_s",
        "rate",
        (
            "interconnect",
            "interconnect interface",
            "nvlink",
            "nvlink interconnect",
            "nvlink bandwidth",
            "interconnect bandwidth",
            "gpu interconnect",
            "interconnects",
            "nvlink connector",
            "nvidia nvlink",
            "nvlink interface",
            "nvlink bridge",
            "nvlink gpu to gpu bandwidth",
            "gpu to gpu bandwidth",
            "gpu to gpu interconnect",
            "gpu to gpu interconnect bandwidth",
            "ici bandwidth",
            "ici bandwidth bidirectional",
            "interchip interconnect bw",
            "interchip interconnect bandwidth",
            "bidirectional ici bandwidth",
            "bidirectional inter chip interconnect ici bandwidth",
            "bidirectional inter chip interconnect bandwidth",
            "infinity fabric bandwidth",
            "aggregate infinity fabric bandwidth",
            "xe link bandwidth",
            "scale up bandwidth",
        ),
    ),
    (LINKS, "link_gb_s", "flag", ("nvlink support", "nvlink sli ready", "nvlink (sli ready)")),
    (
        PCIE,
        "pcie_gen",
        "",
        (
            "pci express configurations",
            "pcie",
            "system interface",
            "bus interface",
            "bus type",
            "pci express",
            "host interface",
            "pcie interface",
            "interface",
            "bus",
            "graphics bus",
            "pci express interface",
            "pcie generation",
            "pci express version",
            "pci interface",
            "pcie version",
            "pci express gen 3",
            "pci express gen 4",
            "pci express gen 5",
            "pci express generation",
            "host bus",
            "system bus",
            "bus support",
            "i/o to host cpu",
        ),
    ),
    (
        PROCESS,
        "process_nm",
        "process",
        (
            "process node",
            "process",
            "process technology",
            "lithography",
            "manufacturing process",
            "process size",
            "gpu process",
            "fabrication process",
            "lithography type",
            "process technology node",
            "foundry process",
        ),
    ),
    (
        QUANTITY,
        "die_size_mm2",
        "area",
        ("die size", "gpu die size", "chip area", "die area", "total die area", "chip size"),
    ),
    (
        TRANSISTORS,
        "transistors_millions",
        "many",
        ("transistor count", "transistors", "number of transistors", "gpu transistors", "gpu transistor count"),
    ),
    (
        QUANTITY,
        "l2_cache_mb",
        "memory",
        ("l2 cache", "l2 cache size", "level 2 cache", "l2 cache capacity", "total l2 cache", "gpu l2 cache"),
    ),
    (
        FLAG,
        "ecc",
        "",
        (
            "ecc memory",
            "ecc",
            "ecc support",
            "memory ecc support",
            "ecc memory support",
            "error correcting code ecc",
            "memory ecc",
        ),
    ),
    (
        TEXT,
        "compute_capability",
        "",
        (
            "cuda compute capability",
            "compute capability",
            "cuda capability",
            "nvidia cuda compute capability",
            "nvidia cuda capability",
            "gpu compute capability",
        ),
    ),
    (TEXT, "llvm_target", "", ("llvm target name", "llvm target")),
    (
        DATE,
        "launch_date",
        "",
        (
            "launch date",
            "release date",
            "launch",
            "launched",
            "released",
            "date of launch",
            "introduced",
            "date of release",
        ),
    ),
    (QUANTITY, "launch_price_usd", "money", ("launch price", "launch msrp", "price at launch", "launch price usd")),
    (
        ARCHITECTURE,
        "architecture",
        "",
        ("gpu architecture", "architecture", "microarchitecture", "nvidia architecture", "graphics architecture"),
    ),
    (
        NAME,
        "name",
        "",
        (
            "model",
            "product",
            "product name",
            "gpu",
            "gpu name",
            "graphics card",
            "gpu model",
            "card",
            "accelerator",
            "graphics name",
            "name",
            "gpus",
            "sku",
            "accelerator model",
            "variant",
        ),
    ),
)
LABELS = {label: (how, field, measures) for how, field, measures, labels in _LABELS for label in labels}

# Rows that name no format; a footnote may: "Effective FP4 TOPS with sparsity".
FORMAT_IN_FOOTNOTE = r"(peak )?(ai|tensor( cores?)?)( (performance|compute|tops))?"
# Labels that we know and leave out on purpose, by pattern over `label_key`: reason.
IGNORED = (
    (r"game (frequency|clock)", "the clock expected in games: neither the base nor the boost clock of the dataset"),
    (r"graphics clock", "Intel's average clock in a typical load: neither the base nor the boost clock of the dataset"),
    (r"(rt|ray|ray tracing).*(cores?|accelerators?|units?)( performance)?", "ray tracing is no field of the dataset"),
    (r"multi instance gpu.*|mig.*|.*partitions?.*", "partitions are no field of the dataset"),
    (r".*(infinity cache|l3 cache|l1.*cache|l0.*cache|last level cache).*", "only the L2 cache is a field"),
    (r".*(register file|vgpr|sgpr|lds|wavefront|gfxip|shared memory).*", "no field of the dataset"),
    (
        r".*(nvenc|nvdec|nvjpeg|decoders?|encoders?|encode|decode|codecs?|media engines?|jpeg).*",
        "media engines are no field of the dataset",
    ),
    (r".*(display|hdmi|monitors?|resolution).*", "displays are no field of the dataset"),
    (r".*(vgpu|virtual|confidential|secure boot|root of trust|security).*", "no field of the dataset"),
    (r"(product )?collection|code ?name|product family|series|vertical segment|brand", "naming, not a figure"),
    (r".*(texture|pixel|fill ?rate|rops?|tmus|geometry|rasteri[sz]ation).*", "graphics rates are no field"),
    (r".*(operating system|os support|apis?|directx|opengl|vulkan|opencl).*", "no field of the dataset"),
    (FORMAT_IN_FOOTNOTE, "neither the row nor a footnote at it names one number format"),
    (
        r".*(recommended customer price|msrp|price|sep)",
        "a price of the day the sheet was printed; it is the launch price only if the sheet says so",
    ),
)

# Words at the head of a column that hold no product: what the column is for.
COLUMN_ROLES = {
    "section": "section",
    "category": "section",
    "group": "section",
    "topic": "section",
    "property": "label",
    "feature": "label",
    "features": "label",
    "specification": "label",
    "specifications": "label",
    "technical specifications": "label",
    "parameter": "label",
    "attribute": "label",
    "item": "label",
    "spec": "label",
    "field": "label",
    "key": "label",
    "name of property": "label",
    "description": "label",
    "characteristic": "label",
    "value": "value",
    "values": "value",
    "data": "value",
    "details": "value",
    "detail": "value",
    "unit": "unit",
    "units": "unit",
    "note": "note",
    "notes": "note",
    "remark": "note",
    "remarks": "note",
    "footnote": "note",
    "comment": "note",
    "comments": "note",
    "condition": "note",
    "conditions": "note",
}

# Words at the head of a column that belong to each label below: "FP16" under "Matrix with sparsity".
QUALIFIERS = (
    r"((vector|matrix|tensor( cores?)?)\s*)?"
    r"(\(?(dense|sparse|sparsity|with(out)?( structured)? sparsity|no sparsity)\)?)?"
)
QUALIFIER_NOISE = r"\b(peak|theoretical|performance|rate)\b"
# One unit for numbers with a point and one for integers, in the head of a column: "TFLOPS/TOPS".
UNIT_PAIR = r"[(\[]?\b([TPG])FLOPS?\s*(?:/|\||,|\bor\b)\s*\1OPS?\b[)\]]?"

# ---------------------------------------------------------------- peak rates
# Input formats, longest wording first. "-" stands for a format that the dataset has no word for.
FORMATS = (
    (r"tensor ?float[ -]?32", "tf32"),
    (r"tf32", "tf32"),
    (r"xfloat32|xf32", "tf32"),
    (r"b ?float ?16|brain float ?16|bf16", "bf16"),
    (r"double[ -]precision|fp64|float64|64[ -]bit float(ing point)?", "fp64"),
    (r"single[ -]precision|fp32|float32|32[ -]bit float(ing point)?", "fp32"),
    (r"half[ -]precision|fp16|float16|16[ -]bit float(ing point)?", "fp16"),
    (r"eight[ -]bit precision|fp8|float8|8[ -]bit float(ing point)?", "fp8"),
    (r"(mx)?fp6|six[ -]bit precision", "fp6"),
    (r"(nv|mx)?fp4|four[ -]bit precision", "fp4"),
    (r"int(eger)? ?8|8[ -]bit integer|eight[ -]bit integer", "int8"),
    (r"int(eger)? ?(1|4|16|32|64)\b|4[ -]bit integer|binary", "-"),
)
ENGINES = (
    (r"non[ -]tensor( cores?)?", "vector"),
    (r"vector", "vector"),
    (r"shader", "vector"),
    (r"cuda cores?", "vector"),
    (r"tensor cores?|tensor", "tensor"),
    (r"matrix( cores?| engines?)?", "tensor"),
    (r"xmx( engines?)?", "tensor"),
    # Gaudi's two engines: matrix multiplication engine and tensor processor core, which is a vector unit
    # (servethehome.com/intel-gaudi-3-for-ai-training-and-inference, read 2026-11-21).
    (r"mme", "tensor"),
    (r"tpc", "vector"),
)
# Formats that only a matrix unit takes, and those whose bare name means the vector unit.
ONLY_TENSOR = {"tf32", "fp8", "fp6", "fp4"}
PLAIN_VECTOR = {"fp64", "fp32"}
# Makers whose bare BF16 rate is that of the matrix unit: their sheets name no rate of a vector unit (the same page).
MATRIX_RATES_ONLY = {"Google TPU"}
# Formats in which no maker doubles a rate for structured sparsity.
NEVER_SPARSE = {"fp64", "fp32"}
LABEL_NOISE = (
    r"peak|theoretical|performance|rate|throughput|compute|computing|max(imum)?|ai|gpu|precision|floating[ -]point|"
    r"operations|hpc|\(?e5m2,? ?(and|/)? ?e4m3\)?|\(?e4m3,? ?(and|/)? ?e5m2\)?|ocp[- ]fp8|ocp|format|"
    r"data type|type|in|per second|processing( power)?|power|"
    r"mixed[ -]precision|training|inference|with|w/|using|the|of|and|for"
)

# What a footnote, heading or label says of sparsity (see `sparsity.stance`).
DENSE, SPARSE, DENSE_FIRST, SPARSE_FIRST, UNCLEAR = "dense", "sparse", "dense first", "sparse first", "unclear"
_WITHOUT = r"without( structured)? sparsity"
_WITH = r"with( structured)? sparsity"
PAIR_ORDER = (
    (rf"\bdense\s*(\||/|and|,)\s*(with )?spars|{_WITHOUT}\s*(\||/|and|,)\s*{_WITH}", DENSE_FIRST),
    (rf"\bspars\w+\s*(\||/|and|,)\s*dense|{_WITH}\s*(\||/|and|,)\s*{_WITHOUT}", SPARSE_FIRST),
)
# A clause that only says how the other figure would compare.
COMPARES = r"\b(half|halved?|halving|one-half|1/2|2x|2 ?×|twice|doubles?|doubled|lower|higher)\b|½"
HALF_WITHOUT = (
    r"(half|halved?|halving|1/2|½|lower)\b.*\b(without|dense)|\b(without|dense)\b.*(half|halved?|halving|1/2|½|lower)"
)
NEGATES_SPARSITY = r"\b(without|no|excluding|w/o|non)\b[\s-]*(\w+[\s-]+){0,2}spars"
TWISTS = r"\b(except|not|never|off|disabled|unless|only)\b"
# What is noted otherwise is noted at its figure, where it is read.
OTHERWISE = (
    r",? *\(?\b(unless|except (where|when|as)) (otherwise |explicitly )?(noted|stated|specified|indicated|marked)"
    r"( otherwise)?\b\)?"
)
# A sentence that holds for every matrix rate of a sheet without a mark at each.
EVERY_RATE_SPARSE = (
    r"\b(all|every|each)\b[^.;]*\b(tensor|matrix|peta\w+|tera\w+|[tp]flops|[tp]?ops)\b[^.;]*"
    r"\bwith( structured)? sparsity"
)
# A footnote like this makes a figure one of several boards or of a whole machine.
NOT_ONE_GPU = (
    r"\b(aggregate|combined|in total for|(per|whole|entire|full|for the|of the) (server|system|node|rack|platform|"
    r"baseboard|tray|cluster|pair)|per (die|gcd|tile|chiplet)|"
    r"(?<![:.\d])(two|four|eight|sixteen|[2-9]|[1-9]\d+) ?[x×]? "
    r"(?:(?:nvidia|amd|intel|instinct|[a-z]+\d{2,}\w*|pcie|sxm\d?|nvl|oam|tensor|core|blackwell|hopper|ampere) ){0,5}"
    r"(gpus|cards|boards|modules|accelerators|superchips))\b"
)
# A column or sheet with such a name shows a machine of several GPUs: none of its totals is a figure of one GPU.
# DGX Spark has one.
MACHINE_NAMES = (
    r"\b(dgx(?! spark)|hgx|nvl ?([2-9]\d|\d{3})(?! ?gb)|superpods?|pods?|racks?|clusters?|baseboards?|nodes?|"
    r"platforms?|systems?|servers?(?! edition))\b|\bgb\d00\b.*\bsuperchips?\b|"
    r"\b([2-9]|[1-9]\d) ?[x×] [a-z]|\b([2-9]|[1-9]\d)[ -]gpus?\b"
)
# Rows that count the GPUs of a machine, by `label_key`, and how a cell says more than one.
COUNTS_GPUS = (
    r"(number of |total )?((blackwell|hopper|ampere|tensor core) )*(ultra )?(gpus?|accelerators)( count)?|gpu count|"
    r"(gpu )?configuration|gpu form factor|form factor|gpus|(gpus|accelerators) per (server|system|node|platform)"
)
SEVERAL_GPUS = (
    r"^([2-9]|[1-9]\d+)x?$|\b([2-9]|[1-9]\d+)( ?[x×] ?| )(?:[\w®™-]+ ){0,5}?"
    r"(gpus?|accelerators?|oams?|sxm\d?|modules|cards)\b"
)
# ... unless the table says that it takes the machine apart.
OF_ONE_GPU = r"\b(individual|single|per|each|one) (blackwell |hopper )?(gpu|accelerator|card|module)\b"
# Rows of a CPU in the same package, by `label_key`; then these fields may be the CPU's, and with memory of its own
# also these, unless label or cell names the GPU or its kind of memory.
CPU_ROW = r"\b(?<!host )(?<!to )cpus?( cores?| core count| clock| frequency)?$|^cpu\b(?! to)|\bcpu cores?\b"
CPU_MEMORY_ROW = r"^lpddr\w* |^cpu memory"
CPU_SECTION = r"\b(cpu|host)s?\b(?!.*\bgpu)"
OF_GPU = r"\b(gpu|graphics|engine|hbm\w*|gddr\w*)\b"
SHARED_WITH_CPU = frozenset(("base_clock_mhz", "boost_clock_mhz", "l2_cache_mb"))
SHARED_WITH_CPU_MEMORY = frozenset(
    ("memory_gb", "memory_type", "memory_bandwidth_gb_s", "memory_bus_bit", "memory_data_rate_gbps", "board_power_w")
)
# "304 (38 per XCD)": the number in front is the whole board's, the bracket only takes it apart.
TAKEN_APART = r"\s*\(\d+(\.\d+)? ?[\w/]* per (XCD|GCD|die|tile|stack|chiplet|shader engine|slice)\)$"
# On links it only says how many boards a bridge joins.
LINK_FIELDS = {"link_gb_s", "pcie_gen"}

# Makers and architectures whose matrix units have no structured sparsity: there a bare figure is dense.
# - NVIDIA before Ampere: "With the A100 GPU, NVIDIA introduces fine-grained structured sparsity"
#   (NVIDIA Ampere Architecture In-Depth, quoted at forum.beyond3d.com/threads/61745/page-4, read 2026-11-21).
# - AMD before CDNA 3: the instructions exist "on gfx942" and later (MLIR amdgpu.sparse_mfma,
#   mlir-rs.github.io/melior/melior/dialect/ods/amdgpu/struct.SparseMFMAOperation.html, read 2026-11-21).
# - Gaudi 3 is listed with matrix rates and no sparse one (hmc-tech.com/gpu/intel-gaudi-3-vs-nvidia-l40,
#   read 2026-11-21).
# - TPU: each MXU is a systolic array that does 16K multiply-accumulates a cycle, and no sparse rate is listed
#   (cloud.google.com/tpu/docs/system-architecture-tpu-vm, read 2026-11-21). Its SparseCores serve embeddings.
# Not listed means not known, and a bare figure stays unplaced.
WITHOUT_SPARSITY = (
    (
        "NVIDIA",
        r"\b(pascal|volta|turing)\b|\bv100s?\b|\bt4\b|\btitan v\b|\btitan rtx\b|\bquadro (rtx|gv)|\brtx 20[5-8]0\b",
    ),
    ("Intel Gaudi", r""),
    ("Google TPU", r""),
    ("AMD Instinct", r"\bcdna ?[12]?\b(?! ?[3-9])|\bmi(100|210|250x?)\b"),
)

# Accumulators that follow from the format alone, by maker ("" = any).
# - PTX mma: tf32 and bf16 multiply into f32 only, integers into s32, f64 into f64; f16, fp8 and fp6 take f16 or f32
#   (PTX ISA, mma and wmma, as reprinted at docs.rs/ptx-90-parser/0.4.4, mma.rs and wmma_mma.rs, read 2026-11-21).
#   FP4 at its own rate is the block-scaled mma of kind mxf4 and mxf4nvf4, which adds in f32 only (the same mma.rs,
#   "with block scaling", and mma.sync ... kind::mxf4nvf4 ... .f32.e2m1.e2m1.f32 in public kernels, read 2026-11-21).
# - AMD MFMA writes f64, f32 or i32 whatever goes in (MLIR amdgpu dialect, MFMAOutTypes,
#   github.com/llvm/llvm-project/pull/171968, read 2026-11-21). WMMA of Radeon cards also has f16, so Instinct only.
# - Gaudi 3's matrix engine has FP32 accumulators (the same page, rows FP8 and FP16).
# - TPU: "All multiplies take bfloat16 inputs, but all accumulations are performed in FP32 number format"
#   (cloud.google.com/tpu/docs/system-architecture-tpu-vm, read 2026-11-21).
ACCUMULATE = {
    ("", "fp64"): "fp64",
    ("", "fp32"): "fp32",
    ("", "int8"): "int32",
    ("NVIDIA", "tf32"): "fp32",
    ("NVIDIA", "bf16"): "fp32",
    ("NVIDIA", "fp4"): "fp32",
    ("Intel Gaudi", "bf16"): "fp32",
    ("Intel Gaudi", "fp16"): "fp32",
    ("Intel Gaudi", "fp8"): "fp32",
    ("Intel Gaudi", "tf32"): "fp32",
    ("AMD Instinct", "tf32"): "fp32",
    ("AMD Instinct", "bf16"): "fp32",
    ("Google TPU", "bf16"): "fp32",
    ("AMD Instinct", "fp16"): "fp32",
    ("AMD Instinct", "fp8"): "fp32",
    ("AMD Instinct", "fp6"): "fp32",
    ("AMD Instinct", "fp4"): "fp32",
}
# Accumulators that follow from another row of the same sheet: input → (row it is measured against, ratio). BF16 has
# one accumulator, FP32, so a rate that keeps this ratio to the BF16 rate is the one with FP32 accumulate.
# - FP16 = BF16: A100 312 and 312, H100 1000 and 1000, both "with FP32 accumulate" (NVIDIA Hopper Architecture
#   In-Depth, table 3, quoted at forums.developer.nvidia.com/t/218102, read 2026-11-21); where FP16 accumulate is
#   faster it is twice BF16 (RTX 4090: 330.3 against 165.2).
# - FP8 = 2 × BF16: L40S 732.86 against 366.43 (hmc-tech.com/gpu/nvidia-l40s-vs-nvidia-a16, row "FP32 Accumulate"),
#   RTX 4090 330.30 against 165.15 (waredb.com/processor/nvidia-geforce-rtx-4090), both read 2026-11-21; with FP16
#   accumulate the RTX 4090 has 660.6, four times BF16. FP6 goes through the same instruction as FP8.
# - TF32 also adds in FP32 only, at half the BF16 rate: A100 156 against 312, H100 500 against 1000 (the same table 3);
#   RTX 4090 82.6 against 165.2, where FP16 accumulate has 330.3 (epoch.ai/data/ml_hardware.csv, read 2026-11-21).
FP32_BY_RATIO = {
    ("fp16", "bf16"): 1.0,
    ("fp8", "bf16"): 2.0,
    ("fp6", "bf16"): 2.0,
    ("fp16", "tf32"): 2.0,
    ("fp8", "tf32"): 4.0,
    ("fp6", "tf32"): 4.0,
}
RATIO_TOLERANCE = 0.03
# Chips that multiply at one rate whichever format they add in, so that a sheet need not say it: "with FP16 Accumulate"
# and "with FP32 Accumulate" the A100 has 312 and 312 in FP16, the H100 1000 and 1000, and 2000 and 2000 in FP8 (NVIDIA
# Hopper Architecture In-Depth, table 3, developer.nvidia.com/blog/nvidia-hopper-architecture-in-depth; GH200 holds the
# H100 by the same page, H200 by jared-hpc.com/course/part-2-dense-at-hopper/lecture-02; all read 2026-11-21).
ONE_RATE = {"fp16": r"\b(a100|h100|h200|gh200)\b", "fp8": r"\b(h100|h200|gh200)\b"}
# Where a sheet marks its sparse rates, an unmarked one that grows over the dense FP16 or BF16 rate only by the bits it
# saves is dense.
DENSE_OVER_16_BIT = {"fp16": 1.0, "bf16": 1.0, "fp8": 2.0, "int8": 2.0, "fp4": 4.0}

# NVLink rates on NVIDIA's sheets are the total of both directions: A100 "600 GB/s" is 300 + 300
# (glennklockwood.com/garden/processors/A100, read 2026-11-21). Of other links a sheet must say so itself.
TOTAL_LINKS = r"nvlink"
BOTH_DIRECTIONS = r"\b(bi-?directional|both directions|total|aggregate)\b"
# "for 2 GPUs" names the bridge; a rate of four or more is that of a machine.
MANY_GPUS = r"\b(four|eight|sixteen|[4-9]|[1-9]\d+) ?[x×]? ?gpus\b|\b(total|aggregate)\b.*\bgpus\b"
ONE_DIRECTION = r"\b(uni-?directional|per direction|each direction|one direction|per link|each link|each)\b"

MEMORY_TYPES = r"\b(HBM ?[2345]?[eE]?|GDDR ?[3-7]X?|LPDDR ?[3-6]X?|DDR ?[3-6])(?![\w])"
# Names of processes that hold their nanometres: "5 nm", and TSMC's N followed by the number ("N4 (4 nm)": TSMC to
# risk-produce its 4 nm node, gamersinfotech.com, read 2026-11-21). TSMC 4N or Intel 7 do not, and stay unplaced.
TSMC_NAME = r"^(?:TSMC )?N(\d{1,2})[EPX]?$"
PROCESS_NAMES = (
    r"^(?:TSMC |Samsung |Intel |GlobalFoundries )?(\d{1,3}) ?nm(?: (?:FinFET|EUV|process|process technology))*$"
)


def label_key(text: str) -> str:
    """Bring a label into the form of the table: no makers, ordinals, marks or brackets, plain spaces, lower case."""
    text = re.sub(r"\^\{[^}]*\}|[®™©]", " ", text)
    text = re.sub(r"\b(nvidia|amd|intel)\b(?! (nvlink|cuda))", " ", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b((first|second|third|fourth|fifth|sixth)|\d(st|nd|rd|th))[ -]gen(eration)?\b",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    # A rate or size "per chip" is what the dataset holds; of a machine or pod it would say so.
    text = re.sub(r"\bper (chip|accelerator)\b", " ", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b(ampere|ada lovelace|ada|hopper|blackwell|turing|volta|rdna|cdna)"
        r"( architecture([ -]based)?\b(?=.)|(?= (tensor|cuda) cores))",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\b(peak|max\.?|maximum|theoretical|typ\.)\b", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"[()\[\],:]", " ", text)
    text = re.sub(r"(?<=\w)-(?=\w)", " ", re.sub(r"\bbi-directional\b", "bidirectional", text, flags=re.IGNORECASE))
    return re.sub(r"\s+", " ", text).strip(" .-/|").casefold()
