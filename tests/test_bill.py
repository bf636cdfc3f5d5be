"""The bill of materials names every package of the lock file, in the form that tools read."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest

from pipeline.tools import bill

LOCK = bill.LOCK.read_text(encoding="utf-8")


def test_every_locked_package_stands_in_the_bill_with_its_version_and_hashes() -> None:
    components = json.loads(bill.text_of(LOCK, "gpu-almanac-data", "2026-11-23"))["components"]
    locked = {tuple(line.split(" ")[0].split("==")) for line in LOCK.splitlines() if re.match(r"[a-z0-9]\S*==", line)}
    assert {(part["name"], part["version"]) for part in components} == locked
    assert sum(len(part["hashes"]) for part in components) == LOCK.count("--hash=sha256:")
    assert all(part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}" for part in components)


def test_the_bill_is_one_of_cyclonedx_and_the_same_for_the_same_lock_file() -> None:
    text = bill.text_of(LOCK, "gpu-almanac-data", "2026-11-23")
    told = json.loads(text)
    assert (told["bomFormat"], told["specVersion"], told["version"]) == ("CycloneDX", "1.6", 1)
    assert UUID(told["serialNumber"].removeprefix("urn:uuid:")).version == 5
    references = [part["bom-ref"] for part in told["components"]]
    assert len(references) == len(set(references))
    assert told["dependencies"] == [{"ref": "gpu-almanac-data", "dependsOn": references}]
    assert bill.text_of(LOCK, "gpu-almanac-data", "2026-11-23") == text
    assert bill.text_of(LOCK, "gpu-almanac-data", "2026-11-24") != text


def test_a_package_without_a_hash_is_refused() -> None:
    with pytest.raises(bill.BillError, match=r"requirements.lock: loose has no hash"):
        bill.text_of("loose==1.0\n    # via nobody\n", "gpu-almanac-data", "1")
