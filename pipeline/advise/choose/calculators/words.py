"""The words in which every calculator says its numbers."""

from __future__ import annotations

from pipeline.core.wording import between

HOURS_A_DAY, DAYS_A_YEAR = 24, 365
SIGNIFICANT = 3
CENTS_BELOW = 100  # dollars; from here on whole ones


def figure(value: float) -> str:
    """Three significant digits, every digit before the point, thousands apart, no trailing zeros."""
    if value == 0:
        return "0"
    # The exponent after rounding: 999.9 is 1,000.
    exponent = int(f"{value:.{SIGNIFICANT - 1}e}".partition("e")[2])
    written = f"{value:,.{max(0, SIGNIFICANT - 1 - exponent)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def money(usd: float) -> str:
    """An amount without its unit: cents below 100 dollars; three digits where cents would show nothing."""
    if abs(usd) < 0.1:
        return figure(usd)
    return f"{usd:,.2f}" if abs(usd) < CENTS_BELOW else f"{usd:,.0f}"


def dollars(usd: float) -> str:
    """An amount with its unit."""
    return f"{money(usd)} dollars"


def span(low: float, high: float) -> str:
    """An interval; where both ends read the same, that figure."""
    return between(figure(low), figure(high))


def money_span(low: float, high: float) -> str:
    """An interval of money."""
    return between(money(low), money(high))


def hours(value: float) -> str:
    """A time in the unit that a reader would take."""
    if value < 1:
        return f"{figure(value * 60)} minutes"
    days = value / HOURS_A_DAY
    if days < 3:
        return f"{figure(value)} hours"
    return f"{figure(days)} days" if days < 2 * DAYS_A_YEAR else f"{figure(days / DAYS_A_YEAR)} years"


def gib(value: float) -> str:
    """An amount of memory."""
    return f"{value:.1f} GB"


def times(name: str, count: int) -> str:
    """A configuration: the card's name, with the number of cards where there are several."""
    return name if count == 1 else f"{count} × {name}"
