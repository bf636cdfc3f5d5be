"""The monthly summary says the same on every engine, the same as the months of the site, and opens no other month."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import pandas as pd
import pytest
from samples import price

from pipeline.derive.prices import history, summary
from pipeline.tools.bench import prices as bench

ASKED = ("2026-09", "2026-10")
ROWS = 24 * 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("observations")
    bench.generate(made, ROWS)
    return made


def told(folder: Path, engine: str, asked: tuple[str, ...] = ASKED) -> list[tuple[object, ...]]:
    """The rows of the summary, whatever the engine's table."""
    table = nw.from_native(summary.summary(folder, asked, engine), eager_only=True)
    names = (*summary.CARD, "median_usd", "low_usd", "high_usd", "providers")
    return [tuple(row) for row in table.select(*names).rows()]


def observed_in(month: str, folder: Path) -> pd.DataFrame:
    """The observations of a month with their dates; day 0 is a month without a day."""
    (path,) = summary.files(folder, (month,))
    frame = pd.read_parquet(path)
    return frame.assign(date=[f"{month}-{day:02}" if day else month for day in frame["day"]])


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # in Dask 2026.8, of pandas 3.1
@pytest.mark.sample(2)
@pytest.mark.parametrize("engine", summary.ENGINES)
def test_every_engine_says_what_the_months_of_the_site_say(folder: Path, engine: str) -> None:
    pytest.importorskip(engine)
    frame = pd.concat([observed_in(month, folder) for month in ASKED])
    found = {(row[0], row[2]): row[3:] for row in told(folder, engine)}
    for gpu, rows in frame.groupby("gpu", observed=True):
        observed = [
            price(gpu=gpu, provider=r.provider, date=r.date, usd_per_gpu_hour=r.usd, gpus=1.0, flag=r.flag)
            for r in rows.itertuples()
        ]
        for month in history.on_demand(observed, "us"):
            median, low, high, count = found.pop((gpu, month.month))
            assert (median, low, high) == pytest.approx((month.value, month.low, month.high))
            assert count == month.count
    assert not found


@pytest.mark.parametrize("engine", summary.ENGINES)
def test_a_month_in_several_files_is_one_month(folder: Path, tmp_path: Path, engine: str) -> None:
    pytest.importorskip(engine)
    place = tmp_path / f"month={ASKED[0]}"
    place.mkdir()
    (whole,) = summary.files(folder, ASKED[:1])
    rows = pd.read_parquet(whole)
    for part, some in enumerate((rows.iloc[::2], rows.iloc[1::2])):
        some.to_parquet(place / f"{part}.parquet", index=False)
    assert told(tmp_path, engine, ASKED[:1]) == told(folder, engine, ASKED[:1])


def test_months_that_nobody_asks_for_are_not_opened(folder: Path, tmp_path: Path) -> None:
    for month in (ASKED[0], "2025-01"):
        place = tmp_path / f"month={month}"
        place.mkdir()
        (place / "a.parquet").write_bytes((folder / f"month={month}" / "observations.parquet").read_bytes())
    (tmp_path / "month=2025-01" / "a.parquet").write_bytes(b"broken")
    assert told(tmp_path, "pandas", (ASKED[0], "2030-01"))


def test_more_cards_and_providers_than_a_small_number_can_stand_for(tmp_path: Path) -> None:
    place = tmp_path / f"month={ASKED[0]}"
    place.mkdir()
    many = range(50_000)  # squared, more than 2**31
    rows = pd.DataFrame({"gpu": [f"card-{n}" for n in many], "provider": [f"provider-{n}" for n in many]})
    rows = rows.assign(kind="on_demand", flag="", day=1, usd=1 + rows.index / 10_000)
    rows.astype(dict.fromkeys(summary.TEXT, "category")).to_parquet(place / "a.parquet", index=False)
    found = {row[0]: row[3] for row in told(tmp_path, "pandas", ASKED[:1])}
    assert found == pytest.approx(dict(zip(rows["gpu"], rows["usd"], strict=True)))


def test_an_unknown_engine_is_an_error(folder: Path) -> None:
    with pytest.raises(KeyError, match="abacus"):
        summary.summary(folder, ASKED, "abacus")
