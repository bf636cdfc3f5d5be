"""What the tool files promise: pinned packages without addresses, pinned actions, few rights, one door to MkDocs."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.core.paths import ROOT
from pipeline.tools.setup import scripts

LOCK = ROOT / "requirements.lock"
COMMENT = ROOT / ".github/workflows/comment.yml"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED_ACTION = re.compile(r"^(actions|pypa)/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
# What a job may be allowed, by file and job; a further right must be added here, where a reviewer sees it.
RIGHTS = {
    "check.yml": {"check": {"contents": "read"}, "audit": {"contents": "read"}, "checked": {"statuses": "write"}},
    "comment.yml": {"comment": {"actions": "read", "pull-requests": "write"}},
    "engines.yml": {"build": {"contents": "read"}},
    "refresh.yml": {
        "refresh": {"contents": "read"},
        "propose": {"actions": "write", "contents": "write", "pull-requests": "write"},
        "report": {},
    },
    "deploy.yml": {
        "build": {"contents": "read"},
        "commit-rebuild": {"actions": "write", "contents": "write", "pull-requests": "write"},
        "publish": {"pages": "write", "id-token": "write"},
    },
    "release.yml": {
        "build": {"contents": "read"},
        "publish": {"attestations": "write", "contents": "write", "id-token": "write"},
    },
}

WRITTEN_BY_A_COMMAND = {"data/sheet-facts.csv"}  # the first "refresh --sheets --accept" makes it


def workflow(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def test_the_lock_file_names_no_address() -> None:
    assert not re.search(r"://|index-url|find-links|trusted-host| @ ", LOCK.read_text(encoding="utf-8"))


def test_every_package_of_the_lock_file_has_a_version_and_a_hash() -> None:
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^\s*#.*\n", "", LOCK.read_text(encoding="utf-8")))

    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==\S+ \\\n\s+--hash=sha256:[0-9a-f]{64}", entry.lstrip()), entry[:80]


def test_every_package_we_name_is_locked_and_pytorch_is_not() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [*extras["pipeline"], *extras["dev"], *extras["sheets"]]
    wanted = {re.split(r"[<>=!\[]", name)[0].lower() for name in named}
    locked = set(re.findall(r"(?m)^([a-z0-9.-]+)==", LOCK.read_text(encoding="utf-8")))

    assert wanted - locked == set()
    assert "torch" not in locked


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_full_commit(path: Path) -> None:
    used = re.findall(r"(?m)^\s*(?:- )?uses:\s*(.+?)\s*$", path.read_text(encoding="utf-8"))

    assert used
    assert [action for action in used if not PINNED_ACTION.match(action)] == []


def test_every_job_has_the_rights_listed_and_no_others() -> None:
    found = {
        path.name: {name: job["permissions"] for name, job in workflow(path)["jobs"].items()} for path in WORKFLOWS
    }

    assert found == RIGHTS
    assert [path.name for path in WORKFLOWS if workflow(path)["permissions"] != {}] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_checkout_leaves_its_token_behind(path: Path) -> None:
    steps = [step for job in workflow(path)["jobs"].values() for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]

    assert checkouts or path.name == "comment.yml", "what needs no checkout stands here by name"
    assert [step for step in checkouts if step["with"].get("persist-credentials") is not False] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_script_of_a_workflow_stops_where_a_command_within_a_pipe_fails(path: Path) -> None:
    """The service runs `bash -e` where no shell is named, and `bash -eo pipefail` where bash is."""
    steps = [step for job in workflow(path)["jobs"].values() for step in job["steps"]]
    assert workflow(path)["defaults"]["run"] == {"shell": "bash"}
    assert [step["shell"] for step in steps if "shell" in step] == []
    # What closes a pipe early would then fail the command that still writes into it.
    assert [step["run"] for step in steps if re.search(r"\| (?:head|grep -q)", step.get("run", ""))] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_script_of_a_workflow_is_pasted_together_from_outside_text(path: Path) -> None:
    scripts = [step.get("run", "") for job in workflow(path)["jobs"].values() for step in job["steps"]]

    assert [script for script in scripts if "${{" in script] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_file_of_ours_that_a_page_for_contributors_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:data|docs|pipeline|tests)/[\w./-]+)`", text))
    assert named
    assert [path for path in sorted(named - WRITTEN_BY_A_COMMAND) if not (ROOT / path).exists()] == []


def test_only_the_page_generator_knows_mkdocs_gen_files() -> None:
    sources = [path for folder in ("docs", "pipeline", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    pattern = re.compile(r"(?m)^\s*(?:import|from) mkdocs_gen_files")
    users = [str(path.relative_to(ROOT)) for path in sources if pattern.search(path.read_text(encoding="utf-8"))]

    assert set(users) <= {"docs/gen_pages.py"}


# Steps that may write into the repository; what runs the project's code (make, python) stands in other jobs.
WRITING = {"write"}


def test_no_job_that_may_write_runs_code_of_the_project() -> None:
    for path in WORKFLOWS:
        for name, job in workflow(path)["jobs"].items():
            rights = set(job["permissions"].values())
            scripts = " ".join(step.get("run", "") for step in job["steps"])
            if rights & WRITING:
                assert not re.search(r"\bmake\b [a-z]|\bpython|\bpip\b|\./", scripts), f"{path.name}: {name}"


def test_what_a_pull_request_wrote_cannot_act_in_the_comment() -> None:
    script = next(
        step["run"]
        for step in workflow(ROOT / ".github/workflows/comment.yml")["jobs"]["comment"]["steps"]
        if "run" in step
    )
    command = re.search(r"\| (sed -e .*)", script)
    assert command
    hostile = "<img src=x> @everyone [a](https://evil.example)\n"
    shown = subprocess.run(["bash", "-c", command[1]], input=hostile, capture_output=True, text=True, check=True).stdout
    assert "<img" not in shown
    assert "@everyone" not in shown
    assert "](" not in shown
    assert "https://" not in shown


# What the hosting service's command answers: two open pull requests have this branch, and perhaps an older comment.
SERVICE = """#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
  *repos/almanac/almanac/pulls\\ *) printf 'of-yesterday\\t7\\nabc123\\t12\\n' ;;
  *--paginate*) printf '%s' "$OLDER" ;;
  *) for word in "$@"; do case "$word" in body=@*) cp "${word#body=@}" "$POSTED" ;; esac; done ;;
esac
"""


def commented(folder: Path, commit: str = "abc123", older: str = "") -> tuple[list[str], str]:
    """What the second workflow asks of the service, and what it posts, for a pick that a stranger's fork changes."""
    (step,) = [s for s in workflow(COMMENT)["jobs"]["comment"]["steps"] if "run" in s]
    calls, posted, service = (folder / name for name in ("calls", "posted", "gh"))
    (folder / "difference").mkdir(parents=True)
    shutil.copy(ROOT / "tests/recorded/changes/pick.md", folder / "difference" / "comment.md")
    service.write_text(SERVICE, encoding="utf-8")
    service.chmod(0o755)
    told = {"COMMIT": commit, "OWNER": "stranger", "BRANCH": "a; touch owned", "REPOSITORY": "almanac/almanac"}
    own = {"CALLS": calls, "POSTED": posted, "OLDER": older, "RUNNER_TEMP": folder}
    mark = {"MARK": workflow(COMMENT)["jobs"]["comment"]["env"]["MARK"], "PATH": f"{folder}:{os.environ['PATH']}"}
    script = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(script, cwd=folder, env={**told, **mark, **{name: str(at) for name, at in own.items()}}, check=True)
    assert not (folder / "owned").exists()
    return calls.read_text("utf-8").splitlines(), posted.read_text("utf-8") if posted.exists() else ""


def test_the_pick_that_a_fork_changes_is_told_on_its_own_pull_request_and_renewed(tmp_path: Path) -> None:
    calls, body = commented(tmp_path / "first")
    assert "head=stranger:a; touch owned" in calls[0]
    assert re.search(r"POST repos/almanac/almanac/issues/12/comments", calls[-1])
    assert body.startswith("<!-- what this changes for a reader -->\n")
    assert "| Which card for chat under 1,000 dollars? | pick | RTX 3090, to buy | RX 7900 XTX, to buy |" in body
    assert body.rstrip().endswith("from the code that it brings._")
    calls, _ = commented(tmp_path / "again", older="99")
    assert re.search(r"PATCH repos/almanac/almanac/issues/comments/99", calls[-1])


def test_of_a_commit_that_no_open_pull_request_has_nothing_is_posted(tmp_path: Path) -> None:
    calls, body = commented(tmp_path / "late", commit="of-last-week")
    assert (len(calls), body) == (1, "")


@pytest.mark.full  # brings the tools of package-lock.json
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("needs: check\n", "needs: nobody\n", "depends on unknown job 'nobody'"),
        ("matrix.python == ", "matrix.snake == ", "Context access might be invalid: snake"),
        ("ubuntu-24.04", "ubuntu-24.40", "the runner is ubuntu-24.40; it must be ubuntu-24.04"),
        ("", "", ""),
    ],
)
def test_a_workflow_with_a_slip_is_refused(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    scripts.ensure_tools()
    path = tmp_path / "check.yml"
    path.write_text((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8").replace(right, wrong), "utf-8")
    command = [str(scripts.node_folder() / "bin" / "node"), str(scripts.WORKFLOW_CHECK), str(path)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == int(bool(said)), answer.stdout + answer.stderr
    assert said in answer.stdout


# The package that others import and the measuring kit stand alone: they import nothing of the pipeline.
ALONE = ("package", "tools/measure")


def test_one_name_of_a_class_means_one_thing() -> None:
    named: dict[str, list[str]] = {}
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        file = path.relative_to(ROOT / "pipeline").as_posix()
        if not file.startswith(ALONE):
            for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
                named.setdefault(name, []).append(file)
    assert {name: files for name, files in named.items() if len(files) > 1} == {}


def test_the_front_door_of_a_room_holds_no_logic() -> None:
    """What a package's `__init__` does is done by whoever imports any part of it, and nobody looks for it there."""
    doors = [path for path in sorted((ROOT / "pipeline").rglob("__init__.py")) if "package" not in path.parts]
    assert len(doors) > 20
    for path in doors:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                assert {ast.unparse(target) for target in node.targets} <= {"__all__", "MODULES"}, path
            elif isinstance(node, ast.Expr):
                assert isinstance(node.value, ast.Constant), path
            else:
                assert isinstance(node, ast.ImportFrom), path
