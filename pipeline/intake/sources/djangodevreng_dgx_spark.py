"""Django de Vreng's vLLM runs on one DGX Spark (August 2026): generation and prompt speed by users and context."""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceFile

SOURCE = Source(
    id="djangodevreng-dgx-spark",
    title="DGX Spark benchmarks",
    publisher="Django de Vreng",
    home="https://github.com/djangodevreng/dgx-spark-benchmarks",
    licence="CC BY 4.0 (Django de Vreng, djangodevreng.nl)",
    kind="community",
    gives="vLLM on one GB10: tokens a second by number of users and context, 38 runs",
    files=(
        SourceFile(
            "closed_loop.csv", "https://github.com/djangodevreng/dgx-spark-benchmarks/tree/main/results", "extract", 300
        ),
    ),
)
# A run that guesses ahead, and a second set-up of a model that is there already.
LEFT_OUT = {"bf16-spec": "guesses ahead (speculative decoding)", "bf16-v23": "a second set-up of the same model"}
LEFT_OUT["nvfp4-v23"] = LEFT_OUT["bf16-v23"]
# One short and one long test by users; the others repeat them at lengths between.
TESTS = ("01-chat", "02-rag-8k")


def parse(snapshots: Snapshots) -> Rows:
    """Yield the speeds of all users together; generation carries the length of the prompt before it."""
    for snapshot in snapshots.values():
        prompts: dict[tuple[str, str, str], str] = {}
        for number, row in table.rows(snapshot, ["model", "precision", "test", "phase", "tokens", "tok_s_total"]):
            run = (row["run"], row["test"], row["concurrency"])
            if row["phase"] == "pp":
                prompts[run] = row["tokens"]
            where = f"row {number} ({row['run']}, {row['test']}, {row['phase']}, {row['concurrency']} users)"
            if row["precision"] in LEFT_OUT:
                yield snapshot.skip("GB10", where, LEFT_OUT[row["precision"]])
            elif row["test"] in TESTS:
                asked, generates = prompts.get(run, "0"), row["phase"] == "tg"
                lengths = f"{asked} in, {row['tokens'] if generates else 0} out"
                yield snapshot.result(
                    "GB10",
                    f"{where}, column tok_s_total",
                    gpu_count=1,
                    set="djangodevreng-dgx-spark",
                    workload="inference",
                    model=row["model"].split("/")[-1],
                    precision=row["precision"],
                    batch=f"{row['concurrency']} streams, {lengths}, 8-bit cache",
                    metric="output_throughput" if generates else "prompt_speed",
                    value=float(row["tok_s_total"].split("±")[0]),
                    unit="tokens/s",
                    higher_is_better=True,
                    software=f"vLLM {row['vllm']}",
                    date=row["date"],
                )
