"""Makes what the client needs of docs/openapi.json: src/tenantry_client, by openapi-python-client, and src/tenantry/idempotent.py."""

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).parent
DESCRIPTION = HERE / "../../docs/openapi.json"


def main() -> None:
    """Makes both, and fails where the generator leaves anything out."""
    # In a process of its own, as its command: it has no interface for programs. It calls ruff, which lies beside Python.
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    made = subprocess.run(
        [
            sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DESCRIPTION), "--meta", "none",
            "--output-path", str(HERE / "src/tenantry_client"), "--overwrite", "--fail-on-warning",
        ],
        env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )
    if made.returncode != 0:
        sys.exit(f"openapi-python-client: {made.stdout}{made.stderr}")
    (HERE / "src/tenantry_client/py.typed").touch()
    description = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    takes = [pattern(path, item["post"]) for path, item in description["paths"].items() if takes_key(item.get("post", {}))]
    if not takes:
        sys.exit("no operation takes an Idempotency-Key")
    (HERE / "src/tenantry/idempotent.py").write_text(
        '"""Generated from docs/openapi.json."""\n\nimport re\n\n# The paths whose POST takes an Idempotency-Key.\n'
        f"IDEMPOTENT = re.compile(\n    {'|'.join(takes)!r}\n)\n",
        encoding="utf-8",
    )


def takes_key(operation: dict[str, Any]) -> bool:
    """Tells whether an operation takes an Idempotency-Key."""
    return {"$ref": "#/components/parameters/idempotencyKey"} in operation.get("parameters", [])


def pattern(path: str, operation: dict[str, Any]) -> str:
    """The addresses of a path. An id is a number, so that a word beside it is none."""
    integers = {one["name"] for one in operation["parameters"] if one.get("schema", {}).get("type") == "integer"}
    return re.sub(r"\\{(\w+)\\}", lambda found: r"\d+" if found[1] in integers else "[^/]+", re.escape(path))


main()
