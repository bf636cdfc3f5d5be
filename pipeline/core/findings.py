"""One thing that is wrong in a file of the repository: its place, and how it is printed for people and for the host.

It rests on nothing else of the pipeline, so that even a list without which nothing can be read is told in this form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WHERE = re.compile(
    r"(?P<file>(?:data|docs)/(?:[^:\n]+?\.(?:ya?ml|csv|md)\b|[^\s:]+))(?:(?::| row )(?P<line>\d+))?:? ?(?P<message>.*)"
)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong: in which file and line of the repository, and what to do; line 0 is the whole file."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}" if where else self.message

    @property
    def annotation(self) -> str:
        """The finding as the hosting service reads it, so that it stands beside the line of a pull request."""
        place = f" file={_property(self.file)},line={max(self.line, 1)}" if self.file else ""
        return f"::error{place}::{_data(self.message)}"


def stated(problem: str) -> Finding:
    """A problem as a check tells it, by the file and the line that it names."""
    match = WHERE.match(problem)
    return Finding(match["file"], int(match["line"] or 0), match["message"]) if match else Finding("", 0, problem)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
