"""Workflows, containers, templates and the citation: each is what its reader expects it to be."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "dependabot": ".github/dependabot.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "compose-spec": "deploy/compose.yaml",
    "citation-file-format": "CITATION.cff",
}


def passes(program: str, *arguments: object) -> None:
    command = [BIN / program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_have_the_form_that_their_readers_ask_for(schema: str) -> None:
    files = list(ROOT.glob(SCHEMAS[schema]))
    assert files
    passes("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)


def test_workflows_leave_no_door_open() -> None:
    passes("zizmor", "--offline", "--no-progress", "--quiet", ".github")


def test_the_container_is_well_made() -> None:
    passes("hadolint", "deploy/Dockerfile")


def test_what_the_container_copies_is_there() -> None:
    """All that the packages are built of, and nothing that was moved away."""
    let_in = re.findall(r"^!(\S+)", (ROOT / "deploy/Dockerfile.dockerignore").read_text(), re.M)
    assert [name for name in let_in if not (ROOT / name).exists()] == []
    (shared,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]["shared-data"]
    assert {shared, "src", "packages", PROJECT["readme"], *PROJECT["license-files"]} <= set(let_in)


def test_the_proxy_is_the_one_that_the_campaign_believes() -> None:
    services = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))["services"]
    address = services["proxy"]["networks"]["inside"]["ipv4_address"]
    assert f"--trusted-proxy={address}" in services["campaign"]["command"]
    assert "ports" not in services["campaign"], "people reach it through the proxy alone"


@pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy here")
def test_the_proxys_configuration_is_valid() -> None:
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", "deploy/Caddyfile"]
    environment = {
        "CAMPAIGN_HOST": "campaign.example.org",
        "HOME": "/nonexistent",
        "PATH": "/usr/bin",
    }
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr


def test_declared_pythons_are_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    declared = re.findall(r"Python :: (3\.\d+)", json.dumps(PROJECT["classifiers"]))
    assert tested == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert len(cited["references"]) == 4


def test_commands_of_the_workflows_are_targets_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert all("entry" in hook for repository in hooks["repos"] for hook in repository["hooks"])
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for targets in re.findall(r"run: make (.+)", workflow.read_text("utf-8")):
            for target in targets.split():
                assert re.search(rf"^{target}:", makefile, re.M), (workflow.name, target)
