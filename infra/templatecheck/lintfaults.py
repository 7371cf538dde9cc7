"""Faults planted for the linter: a small module in which every marked line has to be reported, and no other.

Run with the linter's path. It keeps .golangci.yml honest: a rule that is misspelt there says nothing at all.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "github.com/tenantry/tenantry"
AWS = "github.com/aws/aws-sdk-go-v2/service"

# What the planted files import of the project: packages without content.
EMPTY = [
    "infra/local",
    "shared/table/crosstenant",
    "shared/record",
    "shared/record/column",
]


def imports(package, *lines):
    return f"package {package}\n\nimport (\n" + "\n".join(lines) + "\n)\n"


def imported(path, want=""):
    return f'\t_ "{path}"' + (f" // want {want}" if want else "")


def own(path, want=""):
    return imported(f"{MODULE}/{path}", want)


PLANTED = {
    "functions/worker/imports.go": imports("worker", own("shared/table/crosstenant")),
    "functions/dispatch/imports.go": imports("dispatch", own("shared/table/crosstenant")),
    "functions/urgent/imports.go": imports("urgent", own("shared/table/crosstenant", "depguard")),
    "shared/outbox/worker/imports.go": imports("worker", own("shared/table/crosstenant")),
    "functions/documents/lambda/imports.go": imports("main", own("infra/local", "depguard")),
    # What serves requests, and what it may know.
    "shared/money/imports.go": imports(
        "money",
        own("infra/local", "depguard"),
        imported("github.com/danielgtaylor/huma/v2", "depguard"),
        imported("log", "depguard"),
        imported("math/rand", "depguard"),
        imported("math/rand/v2"),
        imported("log/slog"),
    ),
    "shared/money/money_test.go": imports("money", own("infra/local"), imported(f"{AWS}/dynamodb")),
    # Cross-tenant access.
    "functions/documents/cross.go": imports("documents", own("shared/table/crosstenant", "depguard")),
    "functions/identity/cross.go": imports("identity", own("shared/table/crosstenant")),
    "shared/app/cross.go": imports("function", own("shared/table/crosstenant")),
    "shared/table/throttle/cross.go": imports("throttle", own("shared/table/crosstenant")),
    "shared/files/cross.go": imports("files", own("shared/table/crosstenant", "depguard")),
    # Rules are plain functions of values.
    "functions/finance/ledger/rules.go": imports(
        "ledger", imported("context", "depguard"), own("shared/record", "depguard"), own("shared/record/column")
    ),
    "functions/penalties/penalty/whorules.go": imports("penalty", own("shared/record", "depguard")),
    "functions/inventory/calendar/calendar.go": imports("calendar", imported("context", "depguard")),
    "functions/orders/pricing/step.go": imports("pricing", own("shared/record", "depguard")),
    "functions/finance/ledger/posting.go": imports("ledger", imported("context"), own("shared/record")),
    # SDK types.
    "functions/documents/sdk.go": imports(
        "documents",
        imported(f"{AWS}/dynamodb", "depguard"),
        imported(f"{AWS}/dynamodb/types", "depguard"),
        imported(f"{AWS}/s3", "depguard"),
        imported(f"{AWS}/kms", "depguard"),
        imported(f"{AWS}/sesv2", "depguard"),
        imported("github.com/awslabs/aws-lambda-go-api-proxy/core", "depguard"),
    ),
    "shared/table/sdk.go": imports("table", imported(f"{AWS}/dynamodb"), imported(f"{AWS}/s3", "depguard")),
    "shared/files/sdk.go": imports("files", imported(f"{AWS}/s3"), imported(f"{AWS}/kms", "depguard")),
    "shared/keys/sdk.go": imports("keys", imported(f"{AWS}/kms"), imported(f"{AWS}/dynamodb", "depguard")),
    "shared/outbox/notify/ses/sdk.go": imports("ses", imported(f"{AWS}/sesv2")),
    "shared/outbox/queue/sqs/sdk.go": imports("sqs", imported(f"{AWS}/sqs")),
    "functions/dispatch/sdk.go": imports("dispatch", imported(f"{AWS}/sqs", "depguard")),
    "infra/bench/sdk.go": imports("bench", imported(f"{AWS}/dynamodb"), own("shared/table/crosstenant")),
    # Calls.
    "shared/patience/patience.go": "package patience\n\nfunc AtLeast() {}\n",
    "shared/web/calls.go": """package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb" // want depguard
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/patience"
)

func calls(ctx context.Context, r *http.Request, table dynamo.Table, client *dynamodb.Client) {
	_, _ = (&core.RequestAccessorV2{}).GetAPIGatewayContextV2(r) // want forbidigo
	_, _ = (&core.RequestAccessor{}).GetAPIGatewayContext(r) // want forbidigo
	_, _ = core.GetAPIGatewayV2ContextFromContext(ctx)
	_ = table.Scan() // want forbidigo
	_ = table.Get("pk", 1)
	_, _ = client.Scan(ctx, nil) // want forbidigo
	_ = dynamodb.NewScanPaginator(client, nil) // want forbidigo
	_, _ = client.Query(ctx, nil)
	_ = time.Now() // want forbidigo
	_ = time.Since(time.Time{}) // want forbidigo
	_ = time.Unix(0, 0)
	fmt.Println() // want forbidigo
	_ = fmt.Sprint()
	_ = os.Getenv("STAGE") // want forbidigo
	patience.AtLeast() // want forbidigo
}
""",
    "shared/web/calls_test.go": """package web

import "time"

var now = time.Now()
""",
    # What a new value of a type has to be told to.
    "functions/documents/document/values.go": """package document

type Status int64

const (
	small Status = 0
	large Status = 1
)

var names = map[Status]string{small: "small"} // want exhaustive

var all = map[Status]string{small: "small", large: "large"}

func (s Status) name() string {
	switch s { // want exhaustive
	case small:
		return names[s]
	}
	switch s {
	case small, large:
		return all[s]
	}
	switch s { // want exhaustive
	case small:
		return all[s]
	default:
		return ""
	}
}
""",
    "functions/documents/lambda/main.go": """package main

import "time"

func main() { _ = time.Now }
""",
}


def plant(root, project):
    for name in ("go.mod", "go.sum", ".golangci.yml"):
        shutil.copy(project / name, root / name)
    files = dict(PLANTED)
    for path in EMPTY:
        files[f"{path}/empty.go"] = f"package {path.rsplit('/', 1)[-1]}\n"
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return {
        (path, number, match[1])
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := re.search(r"// want (\w+)$", line))
    }


def reported(linter, root):
    done = subprocess.run(
        [linter, "run", "--enable-only=depguard,exhaustive,forbidigo", "--output.json.path=stdout", "--show-stats=false", "./..."],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"lint self test: golangci-lint ended with {done.returncode}\n{done.stderr}")
    issues = json.JSONDecoder().raw_decode(done.stdout)[0]["Issues"] or []
    return {(i["Pos"]["Filename"], i["Pos"]["Line"], i["FromLinter"]) for i in issues}


def main(linter):
    project = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        wanted = plant(root, project)
        got = reported(Path(linter).resolve(), root)
    for path, line, name in sorted(wanted - got):
        print(f"  BAD {name} did not report {path}:{line}")
    for path, line, name in sorted(got - wanted):
        print(f"  BAD {name} reported {path}:{line}, which is allowed")
    good = wanted == got
    print(f"  {'ok ' if good else 'BAD'} {len(wanted)} planted faults of imports, calls and values")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
