"""The checks that others' tools do: SAM, cfn-lint on the expanded template, parliament, and what `sam build` made."""

import json
import logging
import os
import subprocess
import sys
import zlib
from pathlib import Path

import warnings

from rules import called, statements, telephones
from template import REGION

warnings.filterwarnings("ignore", message="pkg_resources is deprecated")

import parliament  # noqa: E402
from cfnlint.api import ManualArgs, lint  # noqa: E402

logging.getLogger("cfnlint").setLevel(logging.ERROR)

SAM = Path(sys.executable).with_name("sam")
# The largest zipped bootstrap that still starts fast enough, and that of a function that others call.
ZIPPED_LIMIT = 8_000_000
CALLED_LIMIT = 10_000_000
AARCH64 = 183
PROGRAM_INTERPRETER = 3


def sam(*args, cwd):
    """Runs the SAM command line as if no account existed; returns what it said when it failed."""
    env = os.environ | {
        "SAM_CLI_TELEMETRY": "0",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    done = subprocess.run([SAM, *args], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
    return [line for line in lines if line] or [f"sam {args[0]} ended with {done.returncode}"]


def sam_validate(t):
    """SAM can expand it."""
    return sam("validate", "--template", str(t.path), cwd=t.root)


def sam_validate_lint(t):
    """SAM's own call of cfn-lint, on the template as written."""
    return sam("validate", "--lint", "--template", str(t.path), cwd=t.root)


def cfn_lint(t):
    """cfn-lint on what SAM made: on the template as written it knows no misspelt property."""
    yield from findings(t)


def findings(t):
    for match in lint(json.dumps(t.expanded, indent=1), config=ManualArgs(regions=[REGION])):
        where = "/".join(str(part) for part in getattr(match, "path", None) or [])
        yield f"{match.rule.id} {match.message} ({where or match.linenumber})"


def policies(t):
    """parliament on each role's policy, its references replaced by values."""
    publishers = list(telephones(t))
    for where, statement in statements(t, resource_policies=False):
        document = {"Version": "2012-10-17", "Statement": [t.resolve(statement)]}
        for finding in parliament.analyze_policy_string(json.dumps(document)).findings:
            if finding.issue == "RESOURCE_STAR" and where in publishers:
                continue  # what else it allows there, the rule about resources finds
            yield f"{where}: {finding.issue} {finding.detail}"


def sam_build(t):
    """SAM can build every function."""
    return sam("build", "--parallel", "--base-dir", str(t.root), "--template", str(t.path), cwd=t.root)


def artifacts(t):
    """Each function's bootstrap is a static arm64 binary, small enough zipped."""
    callers = called(t)
    for name in t.written("AWS::Serverless::Function"):
        file = t.root / ".aws-sam" / "build" / name / "bootstrap"
        if not file.is_file():
            yield f"{name}: sam build made no bootstrap"
            continue
        data = file.read_bytes()
        if data[:4] != b"\x7fELF" or int.from_bytes(data[18:20], "little") != AARCH64:
            yield f"{name}: its bootstrap is no arm64 binary"
        elif dynamic(data):
            yield f"{name}: its bootstrap is linked dynamically"
        zipped = len(zlib.compress(data, 6))
        limit = CALLED_LIMIT if name in callers else ZIPPED_LIMIT
        if zipped > limit:
            yield f"{name}: its bootstrap has {zipped:,} bytes zipped, over {limit:,}"


def dynamic(elf):
    """Whether a 64-bit binary asks for an interpreter, as everything linked to the C library does."""
    offset = int.from_bytes(elf[32:40], "little")
    size = int.from_bytes(elf[54:56], "little")
    count = int.from_bytes(elf[56:58], "little")
    kinds = [int.from_bytes(elf[offset + i * size :][:4], "little") for i in range(count)]
    return PROGRAM_INTERPRETER in kinds


TOOLS = [sam_validate, sam_validate_lint, cfn_lint, policies, sam_build, artifacts]
