"""What the dataset recommends: estimates, answers to "which GPU?", and how both hold."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from pipeline.advise import choose, estimate
from pipeline.advise.choose import cnn
from pipeline.advise.choose import questions as choose_questions
from pipeline.advise.estimate import coefficients, fit, inputs, models, validation
from pipeline.commands.console import OK, PROBLEMS, out
from pipeline.core import files, paths
from pipeline.core.networks import ModelError
from pipeline.dataset import Dataset, DatasetError
from pipeline.derive.prices.rules import MARKETS


@click.command("estimate")
@click.option("--gpu", required=True, help="A GPU's id or any of its names.")
@click.option("--model", required=True, help="A model's id (data/models/) or its repository name.")
@click.option("--quant", default="q4_k_m", show_default=True, help="How the weights are stored.")
@click.option(
    "--engine", default="llama.cpp", show_default=True, help="llama.cpp, ollama, vllm, sglang …, also as name@build."
)
@click.option("--context", default=2048, show_default=True, help="Tokens of prompt and answer together.")
@click.option("--prompt", "prompt_tokens", type=int, help="Tokens of the prompt; half of the context by itself.")
@click.option("--batch", default=1, show_default=True, help="Requests at a time.")
@click.option("--gpus", default=1, show_default=True, help="How many of that GPU.")
@click.option("--host-gb-s", type=float, help="Bandwidth of the main memory: experts that do not fit stay there.")
@click.option("--task", type=click.Choice(["serve", "train", "lora", "qlora"]), default="serve", show_default=True)
def estimate_command(gpu: str, model: str, **asked: Any) -> None:  # noqa: ANN401 - the options above, by name
    """Print memory and speed of a model on a GPU as one JSON object, with the basis of each number."""
    try:
        dataset, registry = Dataset.load(), models.load()
        record, memory_gb = inputs.find_gpu(dataset, gpu)
        request = estimate.Request(memory_gb=memory_gb, **asked)
        measured = inputs.points(dataset, registry).measured
        answer = estimate.estimate(inputs.card(record), registry.find(model), request, coefficients.load(), measured)
    except (DatasetError, estimate.EstimateError, ModelError) as error:
        raise click.UsageError(str(error)) from None
    click.echo(json.dumps(estimate.as_json(answer), indent=1, ensure_ascii=False))


@click.command("choose")
@click.argument("wishes", nargs=-1, metavar="NAME=VALUE ...")
@click.option("--market", type=click.Choice(tuple(MARKETS)), help="Whose prices and currency; the same as market=…")
@click.option("--json", "as_object", is_flag=True, help="Print one JSON object instead of text.")
def choose_command(wishes: tuple[str, ...], market: str | None, as_object: bool) -> None:
    """Answer "which GPU?": task=chat model=llama-3.1-8b-instruct budget_usd=800 …"""
    try:
        unpaired = [wish for wish in wishes if "=" not in wish]
        if unpaired:
            raise click.UsageError(f"{unpaired[0]!r} is no wish; write it as name=value, as task=chat")
        words = dict(wish.split("=", 1) for wish in wishes)
        need = choose.parse(words | ({"market": market} if market else {}))
        answer = choose.choose(Dataset.load(), need)
    except (choose.NeedError, DatasetError) as error:
        raise click.UsageError(str(error)) from None
    click.echo(
        json.dumps(choose.as_json(answer), indent=1, ensure_ascii=False) if as_object else choose.as_text(answer)
    )


@click.command("questions")
def questions_command() -> None:
    """Print the answer to every written question of data/questions.yml, for an expert to read."""
    dataset = Dataset.load()
    for question in choose_questions.questions():
        click.echo(f"\n## {question.id}: {question.words}\n({question.reading})")
        answer = None
        try:
            answer = choose.choose(dataset, choose.parse(question.asked))
            click.echo(choose.as_text(answer).partition("Why others lost:")[0].rstrip())
        except choose.NeedError as error:
            click.echo(f"Refused: {error}")
        told, read = choose_questions.as_read(answer), question.read
        if read is None:
            click.echo(f"Not read yet: {told}")
        elif read.answer != told:
            click.echo(f"Read on {read.day} as {read.answer}; it is now {told}: read it again")
        else:
            click.echo(f"Read on {read.day}: signed {read.signed}. {read.why}")


@click.command("estimator-fit")
def estimator_fit() -> None:
    """Fit the estimator's coefficients anew to the measured points of data/clean."""
    points = inputs.points(Dataset.load(), models.load())
    fitted = coefficients.text_of(fit.fit(points))
    told = files.csv_text(validation.PREDICTION_COLUMNS, validation.predict(points))
    files.replace_all(
        paths.DATA.data, {"estimator/coefficients.json": fitted, f"estimator/{validation.PREDICTIONS.name}": told}
    )
    out.print(
        f"fitted to {len(points.decode)} decode, {len(points.prefill)} prompt and {len(points.serving)} serving "
        f"points; data/estimator/coefficients.json"
    )


@click.command("validate")
def validate_command() -> None:
    """Hold the estimator against every measured point; exit code 1 when a target is missed."""
    dataset = Dataset.load()
    result = validation.validate(dataset)
    for finding in result.findings:
        verdict = "reached" if finding.reached else "MISSED"
        target = f"{finding.low:g} to {finding.high:g}"
        out.print(
            f"{verdict:8} {finding.value:8.4g}  (target {target}; {finding.count} points)  {finding.name}", markup=False
        )
    for name, error in result.rules.items():
        out.print(f"  {name:48} mean error {error:.1%}", markup=False)
    out.print("on sources that no fit ever saw:", markup=False)
    for row in result.regimes:
        if not row.points:
            out.print(f"  {row.regime:20} no point; fitted to {row.fitted_points} points", markup=False)
            continue
        out.print(
            f"  {row.regime:20} {row.points:4} points, {row.sources} sources  median {row.median:.0%} (goal "
            f"{row.goal:.0%}: {'reached' if row.reached else 'missed'})  mean {row.mean:.0%}  inside the interval "
            f"{row.covered:.0%} ({'as promised' if row.covers else 'not 75 to 88 %'}; chance moves so few by "
            f"{row.chance[0]:.0%} to {row.chance[1]:.0%}); fitted to {row.fitted_points} points of "
            f"{row.fitted_sources} sources, of which "
            f"{row.held:.0%} lie in the interval without their GPU{'; rough: few points or sources' * row.rough}",
            markup=False,
        )
        for source, count, middle in row.by_source:
            out.print(f"    {source:30} {count:4} points, median {middle:.0%}", markup=False)
    out.print("rough, one source each, every GPU predicted from the others:", markup=False)
    for task in cnn.validated(dataset):
        out.print(
            f"  {task.task:24} {task.points:3} GPUs, {task.sources} source  median {task.median:.0%}  "
            f"mean {task.mean:.0%}  inside the interval {task.covered:.0%}",
            markup=False,
        )
    sys.exit(OK if result.passed else PROBLEMS)
