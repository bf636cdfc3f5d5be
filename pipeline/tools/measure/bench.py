"""What every measurement shares: the device, the plan, the power meter, and the shape of a case and of its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pipeline.tools.measure.device import CheckFailed, Device, NotMeasured
from pipeline.tools.measure.kinds import Model
from pipeline.tools.measure.plan import Plan
from pipeline.tools.measure.power import Meter
from pipeline.tools.measure.timing import repeat

# The driver's power reading lags by up to a second, so the first second of a loop does not count.
LAG_SECONDS = 1.0


@dataclass(frozen=True)
class Repetitions:
    """The repetitions of one case in the unit of its metric; joules per unit of work where power was readable."""

    values: Sequence[float]
    unit: str
    note: str = ""
    joules: float | None = None
    energy_unit: str = ""
    batch: str = ""  # where it had to be smaller than asked for


@dataclass(frozen=True)
class Case:
    """One thing to measure. Main rates are measured in two rounds at different times, to see whether they agree."""

    workload: str
    model: str
    precision: str
    metric: str
    unit: str
    run: Callable[[], Repetitions] = field(repr=False)
    batch: str = ""
    mode: str = ""  # how the model runs: eager or compiled; empty where it makes no difference
    main: bool = False

    @property
    def title(self) -> str:
        """Name the case on one line."""
        return " ".join(part for part in (self.model, self.precision, self.batch, self.mode, self.metric) if part)


@dataclass
class Bench:
    """The workbench of one run."""

    device: Device
    plan: Plan
    meter: Meter | None = None
    clock: Callable[[], float] = time.perf_counter
    memo: dict[str, Any] = field(default_factory=dict)  # what one case finds out and a later one needs
    kept: dict[tuple[str, ...], Any] = field(default_factory=dict)  # the one network that is too dear to build twice

    def seconds(self, work: Callable[[], object]) -> list[float]:
        """Time a piece of work with the effort of the plan."""
        return repeat(self.device, work, self.plan.effort)

    def joules(self, work: Callable[[], object], seconds: float | None = None) -> float | None:
        """Repeat a piece of work for a while and give the energy of each call; None where power is not readable."""
        length = self.plan.energy_seconds if seconds is None else seconds
        if self.meter is None or length <= LAG_SECONDS:
            return None
        self.device.wait()
        start = now = self.clock()
        calls = 0
        while now < start + length:
            work()
            self.device.wait()
            calls += 1
            now = self.clock()
        watts = self.meter.mean_watts(start + LAG_SECONDS, now)
        return None if watts is None else watts * (now - start) / calls

    def once(self, key: str, check: Callable[[], None]) -> None:
        """Do a check only the first time; a check that failed fails again, with the same words."""
        if key not in self.memo:
            try:
                check()
            except CheckFailed as reason:
                self.memo[key] = str(reason)
            else:
                self.memo[key] = ""
        if self.memo[key]:
            raise CheckFailed(self.memo[key])

    def keep(self, key: tuple[str, ...], build: Callable[[], Model]) -> Model:
        """Build a network, or give it again when the case before had the same; only one is held."""
        if key not in self.kept:
            self.kept.clear()
            self.device.free_memory()
            self.kept[key] = build()
        return self.kept[key]

    @contextmanager
    def compiling(self, compiler: str) -> Iterator[None]:
        """Compile and run a first step in here; where no compiler works the case is left out with the reason."""
        try:
            if compiler:
                self.device.torch.compiler.reset()  # what was compiled before counts against a limit
            yield
        except Exception as error:
            if not compiler or self.device.is_out_of_memory(error):
                raise
            text = " ".join(str(error).split())[:160]
            raise NotMeasured(f"torch.compile does not work here: {type(error).__name__}: {text}") from None
