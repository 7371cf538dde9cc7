"""Rules about going up and coming down: what a new account can bear, and what outlives the stack. Their faults beside them."""

import json
import re
from pathlib import Path

import cfnlint
from faults import Fault, props, put
from rules import MAPPING
from template import named

FUNCTION = "AWS::Lambda::Function"
KEPT = ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::KMS::Key"]

RESERVES = "ReservesConcurrency"
NOTHING = {"Ref": "AWS::NoValue"}
# What others starve where it isn't reserved: everybody waits for the authorizer, and somebody for each urgent message.
RESERVED = {"AuthorizerFunction", "UrgentFunction"}


def concurrency(t):
    """No concurrency is reserved unless a parameter says so: a new account has ten executions and lets none be reserved."""
    if t.source["Parameters"].get("ReserveConcurrency", {}).get("Default") != "false":
        yield "ReserveConcurrency: is on by default, and a new account could not deploy this"
    if t.source["Conditions"].get(RESERVES) != {"Fn::Equals": [{"Ref": "ReserveConcurrency"}, "true"]}:
        yield f"{RESERVES}: does not follow ReserveConcurrency"
    for name, function in t.resources(FUNCTION).items():
        reserved = function.get("ReservedConcurrentExecutions")
        if reserved is None:
            if name in RESERVED:
                yield f"{name}: has no executions of its own even where they are reserved"
            continue
        choice = reserved.get("Fn::If", []) if isinstance(reserved, dict) else []
        if len(choice) != 3 or choice[0] != RESERVES or choice[2] != NOTHING:
            yield f"{name}: reserves concurrency that a new account doesn't have"
        elif named(choice[1]) not in t.source["Parameters"]:
            yield f"{name}: how much it reserves is no parameter"
    # Those that read queues run side by side, and some call another function. Of each queue Lambda asks for two at least, which is six
    # of ten for ours: so they leave requests a third of what there is.
    most = [m["ScalingConfig"]["MaximumConcurrency"] for m in t.resources(MAPPING).values() if "ScalingConfig" in m]
    taken, all_there = sum(int(t.resolve(n)) for n in most), int(t.source["Parameters"]["ConcurrencyQuota"]["Default"])
    if 3 * taken > 2 * all_there:
        yield f"messages may take {taken} executions by default, of {all_there} that a new account has"


def kept(t):
    """Data and keys outlive the stack, but not the failed deployment that would have made them."""
    for name, resource in t.expanded["Resources"].items():
        if resource["Type"] not in KEPT:
            continue
        for field, want in {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}.items():
            if resource.get(field) != want:
                yield f"{name}: {field} is {resource.get(field)!r} instead of {want!r}"
        # A failed first deployment leaves it for that long, and it is not paid while it waits.
        if resource["Type"] == "AWS::KMS::Key" and resource["Properties"].get("PendingWindowInDays") != 7:
            yield f"{name}: waits for its deletion longer than seven days"


PROTECTS = "ProtectsTable"


def table(t):
    """The table is paid by use, can be restored, forgets what expired, and a parameter protects it from deletion."""
    if t.source["Parameters"].get("DeletionProtection", {}).get("Default") != "false":
        yield "DeletionProtection: is on by default, and a first deployment that fails could not be rolled back"
    if t.source["Conditions"].get(PROTECTS) != {"Fn::Equals": [{"Ref": "DeletionProtection"}, "true"]}:
        yield f"{PROTECTS}: does not follow DeletionProtection"
    for name, got in t.resources("AWS::DynamoDB::Table").items():
        for field, want in {
            "BillingMode": "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": {"Fn::If": [PROTECTS, True, False]},
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
            "StreamSpecification": {"StreamViewType": "KEYS_ONLY"},
        }.items():
            if got.get(field) != want:
                yield f"{name}: {field} is {got.get(field)!r} instead of {want!r}"


# In these infra/templatediff knows what can't be changed; of keys the registry doesn't say it.
REPLACED = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue"}


def replaced(t):
    """What infra/templatediff knows to be replaced is what CloudFormation's registry says of tables, buckets and queues."""
    source = (t.root / "infra/templatediff/kept.go").read_text(encoding="utf-8").replace("tables:", '"AWS::DynamoDB::Table":')
    known = {kind: set(re.findall(r'"(\w+)"', names)) for kind, names in re.findall(r'"(AWS::\w+::\w+)": +\{([^}]*)\}', source)}
    for file in (Path(cfnlint.__file__).parent / "data/schemas/resources").glob("*.json"):
        schema = json.loads(file.read_text(encoding="utf-8"))
        kind = schema.get("typeName")
        if kind in REPLACED:
            names = {p.rsplit("/", 1)[1] for key in ("createOnlyProperties", "conditionalCreateOnlyProperties") for p in schema.get(key, [])}
            if known.get(kind) != names:
                yield f"infra/templatediff: of {kind} {sorted(known.get(kind, []))} are known, and the registry has {sorted(names)}"


RULES = [concurrency, kept, table, replaced]

HERE = Path(__file__).resolve().parents[2]


def forgets(root, _):
    """A copy of what infra/templatediff knows, without a property."""
    (root / "infra/templatediff").mkdir(parents=True)
    text = (HERE / "infra/templatediff/kept.go").read_text(encoding="utf-8")
    (root / "infra/templatediff/kept.go").write_text(text.replace('"QueueName", ', ""), encoding="utf-8")


FAULTS = [
    Fault("replaced", lambda t: None, "of AWS::SQS::Queue ['FifoQueue'] are known", forgets),
    Fault(
        "concurrency",
        lambda t: put(t["Parameters"]["ReserveConcurrency"], "Default", "true"),
        "a new account could not deploy this",
    ),
    Fault("concurrency", lambda t: t["Conditions"].pop(RESERVES), "does not follow ReserveConcurrency"),
    Fault("concurrency", lambda t: put(props(t, "TenantsFunction"), "ReservedConcurrentExecutions", 1), "TenantsFunction: reserves"),
    Fault(
        "concurrency",
        lambda t: put(props(t, "UrgentFunction"), "ReservedConcurrentExecutions", {"Ref": "UrgentConcurrency"}),
        "UrgentFunction: reserves concurrency that a new account doesn't have",
    ),
    Fault(
        "concurrency",
        lambda t: put(props(t, "UrgentFunction"), "ReservedConcurrentExecutions", {"Fn::If": [RESERVES, 5, NOTHING]}),
        "UrgentFunction: how much it reserves is no parameter",
    ),
    Fault(
        "concurrency",
        lambda t: props(t, "AuthorizerFunction").pop("ReservedConcurrentExecutions"),
        "AuthorizerFunction: has no executions of its own",
    ),
    Fault(
        "concurrency",
        lambda t: props(t, "UrgentFunction").pop("ReservedConcurrentExecutions"),
        "UrgentFunction: has no executions of its own",
    ),
    Fault(
        "concurrency",
        lambda t: put(t["Parameters"]["WorkerConcurrency"], "Default", 5),
        "messages may take 12 executions by default, of 10",
    ),
    Fault(
        "concurrency",
        lambda t: put(t["Parameters"]["DeliverConcurrency"], "Default", 40),
        "messages may take 44 executions by default, of 10",
    ),
    Fault("kept", lambda t: t["Resources"]["Table"].pop("DeletionPolicy"), "Table: DeletionPolicy"),
    Fault("kept", lambda t: put(t["Resources"]["Table"], "DeletionPolicy", "Retain"), "Table: DeletionPolicy is 'Retain'"),
    Fault("kept", lambda t: put(t["Resources"]["BucketPolicy"], "DeletionPolicy", "Delete"), "BucketPolicy: DeletionPolicy"),
    Fault("kept", lambda t: t["Resources"]["CodeKey"].pop("UpdateReplacePolicy"), "CodeKey: UpdateReplacePolicy"),
    Fault("kept", lambda t: props(t, "SealKey").pop("PendingWindowInDays"), "SealKey: waits for its deletion"),
    Fault("table", lambda t: props(t, "Table").pop("PointInTimeRecoverySpecification"), "PointInTimeRecoverySpecification"),
    Fault("table", lambda t: put(props(t, "Table"), "DeletionProtectionEnabled", False), "DeletionProtectionEnabled is False"),
    Fault("table", lambda t: put(props(t, "Table"), "DeletionProtectionEnabled", True), "DeletionProtectionEnabled is True"),
    Fault("table", lambda t: put(t["Parameters"]["DeletionProtection"], "Default", "true"), "could not be rolled back"),
    Fault("table", lambda t: put(t["Conditions"], PROTECTS, {"Fn::Equals": ["a", "a"]}), "does not follow DeletionProtection"),
    Fault("table", lambda t: props(t, "Table").pop("TimeToLiveSpecification"), "TimeToLiveSpecification"),
    Fault(
        "table",
        lambda t: put(props(t, "Table")["StreamSpecification"], "StreamViewType", "NEW_AND_OLD_IMAGES"),
        "StreamSpecification",
    ),
    Fault("table", lambda t: put(props(t, "Table"), "BillingMode", "PROVISIONED"), "BillingMode"),
]
