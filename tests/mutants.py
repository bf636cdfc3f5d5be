"""Damaged inputs for the tests (holds no test): bytes in, the same with a few faults of a fixed seed out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

# What tables, pages and pull requests really hold where a number or a name was meant, and what breaks parsers.
NASTY: tuple[bytes, ...] = (
    b"", b" ", b"0", b"-0", b"-1", b"1e309", b"-1e400", b"nan", b"inf", b"NULL", b"None", b"9" * 400, b"0.0000000001",
    b"1,5", b"1.234.567", b"1_000", b"0x1F", b"12e", b"--3", b"3 - 4", b"1/0", b"24 GiB", b"24 GB (12 GB)", b"$1,2,3",
    b"2026-02-30", b"2026-13-01", b"0000-00-00", b"99999-01-01", b"31.04.2026", b"true", b"[]", b"{}", b"[[1]]",
    b"\x00", b"\xff\xfe", b"\xc3\x28", "½".encode(), "٣٤".encode(), "²".encode(), "Ⅻ".encode(), "𝟙".encode(),
    "\u202e4090".encode(), "İ".encode(), b"'", b'"', b'""', b"\n", b"\r", b"\t", b",", b";", b"|", b"\\", b"&#0;",
    b"&nbsp;", b"<td>", b"</table>", b"<!--", b"]]>", b"{{", b"}}", b"{{#expr: 1/0}}", b"[[", b"<ref>", b"=1+1",
    b"../../etc/passwd", b"a" * 300, b"(" * 2000, b"[" * 2000, b"RTX " * 500, b"*x", b"&x",
    b"!!python/object:os.system",
)  # fmt: skip
NUMBER = re.compile(rb"\d+(?:[.,]\d+)*")
WORD = re.compile(rb"[A-Za-z][\w-]*")
BIGGEST = 8  # faults in one mutant


def mutants(content: bytes, name: str, count: int) -> Iterator[bytes]:
    """So many damaged copies of a file; the same for the same name."""
    for number in range(count):
        chance = Random(f"{name} {number}")
        damaged = content
        for _ in range(chance.choice((1, 1, 1, 2, 3, BIGGEST))):
            damaged = chance.choice(DAMAGES)(damaged, chance)
        yield damaged


def _span(content: bytes, chance: Random) -> tuple[int, int]:
    start = chance.randrange(len(content) + 1)
    return start, min(len(content), start + chance.choice((1, 1, 2, 8, 40, 400)))


def _flipped(content: bytes, chance: Random) -> bytes:
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def _cut_out(content: bytes, chance: Random) -> bytes:
    start, end = _span(content, chance)
    return content[:start] + content[end:]


def _cut_off(content: bytes, chance: Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _doubled(content: bytes, chance: Random) -> bytes:
    start, end = _span(content, chance)
    return content[:end] + content[start:end] * chance.choice((1, 2, 50)) + content[end:]


def _inserted(content: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(NASTY) + content[at:]


def _replaced(pattern: re.Pattern[bytes]) -> Callable[[bytes, Random], bytes]:
    def damage(content: bytes, chance: Random) -> bytes:
        found = list(pattern.finditer(content))
        if not found:
            return content
        hit = chance.choice(found)
        return content[: hit.start()] + chance.choice(NASTY) + content[hit.end() :]

    return damage


def _exchanged(content: bytes, chance: Random) -> bytes:
    """Two numbers, or two words, change places: a neighbour's value."""
    found = list(chance.choice((NUMBER, WORD)).finditer(content))
    if len(found) < 2:
        return content
    one, other = sorted(chance.sample(found, 2), key=lambda match: match.start())
    return content[: one.start()] + other[0] + content[one.end() : other.start()] + one[0] + content[other.end() :]


def _lines(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Random], bytes]:
    def damage(content: bytes, chance: Random) -> bytes:
        lines = content.splitlines(keepends=True)
        if len(lines) > 1:
            change(lines, chance)
        return b"".join(lines)

    return damage


def _line_gone(lines: list[bytes], chance: Random) -> None:
    del lines[chance.randrange(len(lines))]


def _line_twice(lines: list[bytes], chance: Random) -> None:
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped,
    _cut_out,
    _cut_off,
    _doubled,
    _inserted,
    _replaced(NUMBER),
    _replaced(NUMBER),
    _replaced(WORD),
    _exchanged,
    _lines(_line_gone),
    _lines(_line_twice),
)
