"""The bill of materials of a release: CycloneDX JSON from requirements.lock.

Every package that the pipeline ran with, in its exact version and with the hashes that its files may have, so that who
uses a release can see years later whether it was made with something that turned out to be unsafe. The same lock file
gives the same bytes. Run it as `python -m pipeline.tools.bill FILE`.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.paths import ROOT

LOCK = ROOT / "requirements.lock"
# CycloneDX 1.6 (ECMA-424); https://cyclonedx.org/docs/1.6/json/
FORM = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
PACKAGE = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^\s\\]+)", re.MULTILINE)
HASH = re.compile(r"--hash=sha256:(?P<digest>[0-9a-f]{64})")
SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # of addresses, RFC 9562


class BillError(ValueError):
    """A lock file of which no bill can be written; the message names the package."""


def text_of(lock: str, name: str, version: str) -> str:
    """The bill of a release of a name and version that was made with the packages of a lock file."""
    components = list(_components(lock))
    serial = uuid.uuid5(SPACE, f"{name} {version}\n{lock}")
    bill = FORM | {
        "serialNumber": f"urn:uuid:{serial}",
        "metadata": {"component": {"type": "data", "bom-ref": name, "name": name, "version": version}},
        "components": components,
        "dependencies": [{"ref": name, "dependsOn": [component["bom-ref"] for component in components]}],
    }
    return json.dumps(bill, indent=1) + "\n"


def _components(lock: str) -> Iterator[dict[str, object]]:
    found = list(PACKAGE.finditer(lock))
    for number, package in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(lock)
        digests = [match["digest"] for match in HASH.finditer(lock, package.end(), end)]
        if not digests:
            raise BillError(f"requirements.lock: {package['name']} has no hash; run: make lock")
        reference = f"pkg:pypi/{package['name']}@{package['version']}"
        yield {
            "type": "library",
            "bom-ref": reference,
            "name": package["name"],
            "version": package["version"],
            "purl": reference,
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
        }


def main(path: str, version: str) -> int:
    """Write the bill of a release into a file."""
    text = text_of(LOCK.read_text(encoding="utf-8"), "gpu-almanac-data", version)
    Path(path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
