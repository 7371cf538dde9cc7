"""The checks of template.yaml: run with the Python of infra/tools/.venv on this folder, with
FUNCTION_ENV of the Makefile.

The template itself has to pass every check. With --faults it is changed instead: every check has to report the faults that are
planted for it in copies of the template. What belongs here: what must be true of the template. What never does: how the code behaves.

Names of checks as arguments run these alone, such as `kept table`. --faults takes the files and folders, with commas between, that
decide whether faults are found: `make template` leaves the faults out while none of them has changed. Whatever else is read is reported.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

import access
import background
import backups
import commands
import deploying
import lifecycle
import rehearsal
import releases
import searching
import watching
from faults import FAULTS
from rules import RULES
from template import Template
from tools import TOOLS

PARTS = [access, background, backups, lifecycle, rehearsal, releases, searching, watching, deploying, commands]
CHECKS = {check.__name__: check for check in sum((part.RULES for part in PARTS), TOOLS + RULES)}
PLANTED = sum((part.FAULTS for part in PARTS), FAULTS)


def verify(template, checks):
    """Runs the checks on the real template; returns how many findings there are."""
    found = 0
    for name, check in checks.items():
        findings = list(check(template))
        print(f"  {'ok ' if not findings else 'BAD'} {name}: {check.__doc__.splitlines()[0]}", flush=True)
        for finding in findings:
            print(f"        {finding}")
        found += len(findings)
    return found


def plant(folder, template, check, fault, number):
    """Plants a fault in a copy of the template; returns what is to be said if it was not reported."""
    root = None
    if fault.files:
        root = Path(folder) / str(number)
        root.mkdir()
        fault.files(root, template.written("AWS::Serverless::Function"))
    copy = template.changed(Path(folder) / f"{number}.json", fault.change, root)
    findings = list(check(copy))
    if any(fault.expect in finding for finding in findings):
        return None
    return f"  BAD {fault.check} did not report {fault.expect!r}; it said {findings or 'nothing'}"


# What is installed or built here; the requirements and the code decide what it is.
MADE = (".aws-sam", ".local", "infra/tools/.venv", "infra/tools/.python", "infra/local/node_modules")


def uncovered(template, inputs):
    """Follows what this process reads, and returns the set that the files of the project go into that no input covers."""
    read = set()

    def follow(event, args):
        if event == "open" and isinstance(args[0], str):
            try:
                name = Path(args[0]).resolve().relative_to(template.root)
            except ValueError:
                return
            if name.suffix != ".pyc" and not any(name.is_relative_to(top) for top in (*MADE, *inputs)):
                read.add(str(name))

    sys.addaudithook(follow)
    return read


def share(folder, template, checks, faults, first, every, inputs, out):
    """Plants each of the faults from the first in these steps; is what one process does."""
    read = uncovered(template, inputs)
    out.put(([plant(folder, template, checks[f.check], f, n) for n, f in enumerate(faults) if n % every == first], read))


def self_test(template, checks, faults, inputs):
    """Plants every fault, on all cores; returns how many were not reported, with how many files were read that no input covers."""
    missed = 0
    # A process that is forked has the faults, whose functions can't be sent to one.
    fork, cores = multiprocessing.get_context("fork"), os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        out = fork.Queue()
        for first in range(cores):
            fork.Process(target=share, args=(folder, template, checks, faults, first, cores, inputs, out), daemon=True).start()
        shares = [out.get(timeout=1200) for _ in range(cores)]
    read = set().union(*(share[1] for share in shares))
    for said in [*sum((share[0] for share in shares), []), *(f"  BAD {file} is read and is not among the inputs" for file in sorted(read))]:
        if said:
            missed += 1
            print(said)
    for name in checks.keys() - {fault.check for fault in faults}:
        missed += 1
        print(f"  BAD {name} has no planted fault (faults.py)")
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", metavar="INPUTS")
    parser.add_argument("checks", nargs="*", default=list(CHECKS))
    asked = parser.parse_args()
    start = time.monotonic()
    template = Template(Path(__file__).resolve().parents[2] / "template.yaml")
    checks = {name: CHECKS[name] for name in asked.checks}
    if asked.faults:
        faults = [fault for fault in PLANTED if fault.check in checks]
        bad = self_test(template, checks, faults, asked.faults.split(","))
        print(f"  {'ok ' if not bad else 'BAD'} {len(faults)} planted faults, {bad} findings", flush=True)
    else:
        bad = verify(template, checks)
    print(f"template: {'passed' if not bad else 'FAILED'} in {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
