"""Expressions worked out by Node with the site's scripts at hand (holds no test): for what needs no page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts import FOLDER

from pipeline.tools.setup.scripts import node_folder

# What little of a page the functions without one ask for: the market, on the root element.
PAGE = "globalThis.document = { documentElement: { dataset: {} } };"
# Each answer stands alone: what throws is told by the name of its error.
ASK = """
const plain = (value) => {
  if (value instanceof Set) return [...value];
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : (value ?? null);
};
const answers = expressions.map((text) => {
  try { return plain(eval(text)); } catch (error) { return `${error.name}: ${error.message}`; }
});
process.stdout.write(JSON.stringify(answers));
"""


def worked_out(expressions: Sequence[str], modules: Sequence[str], folder: Path = FOLDER) -> list[Any]:
    """The value of each expression, in which a module stands under its name ("csv.safe('=1')")."""
    lines = [PAGE]
    for name in modules:
        address = json.dumps((folder / f"{name}.js").as_uri())
        lines.append(f"const {name.replace('-', '_')} = await import({address});")
    lines += [f"const expressions = {json.dumps(list(expressions))};", ASK]
    command = [str(node_folder() / "bin" / "node"), "--input-type=module", "-"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60)
    found: list[Any] = json.loads(done.stdout)
    return found
