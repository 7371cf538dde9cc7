"""Rules about who may do what: policies against the registry of keys, the guard, the linter, and keys that say it themselves."""

import copy
import json
import re

import yaml

from faults import Fault, allow, policy, props, put, used_by
from rules import ACCOUNT_ROOT, ROLES, user_of
from template import listed, named

PATTERNS = "dynamodb:LeadingKeys"
# A role's inline policies may have so many characters, without white space.
LARGEST = 10_240

# What no role does: an item that never exists is only asked for; the counters that number people and companies are only raised, a CMS
# that has signed is only reserved, and allowances and requests are only counted.
COUNTS = {("Reads", "users"), ("Reads", "companies"), ("Reads", "allowance"), ("Reads", "rate"), ("Reads", "userrate")}
NOBODYS = COUNTS | {("Writes", "ping"), ("Reads", "cms")}
# Partitions of no company that shared packages reach for every group: hosts (shared/app), counts (shared/table/throttle), and what
# shared/table asks for to see whether the table answers.
SHARED = {"D#*", "R#*#*", "ping"}
# Those that a domain of another group reaches, which the linter lets do so.
THROUGH = {"SigningRole": {"S#*", "H#*"}, "SettingsRole": {"F#*", "K#*", "U#*"}, "ShowRole": {"K#*"}, "WebhooksRole": {"U#*"}}
# The index that holds no more than keys of messages that wait, of all companies, and whose it is.
PENDING, DISPATCH = "pending", "DispatchRole"


def registry(t):
    """What docs/keys.md lists, as it was generated: (name, sample) of partitions, and kind by kind the samples of indexes."""
    text = (t.root / "docs" / "keys.md").read_text(encoding="utf-8")
    kinds = dict(re.findall(r"^\| `([a-z]{2,4})` \| [^|]+ \|(.*)\|$", text.split("## The kinds")[1], re.M))

    def samples(key, name=""):
        for kind, unique in kinds.items():
            values = re.findall(r"`([^`]+)`", unique) if "<unique>" in key else [""]
            for value in values:
                of = key.replace("<kind>", kind, 1).replace("<unique>", value)
                yield name.replace("<kind>", kind), re.sub(r"<\w+>", "x", of)

    partitions, indexes = set(), {}
    for line in text.split("## The bucket")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            key, name = cells[0].strip("`"), cells[4].strip("`")
            partitions |= set(samples(key, name)) if "<kind>" in name else {(name, re.sub(r"<\w+>", "x", key))}
        elif len(cells) == 6 and cells[1].startswith("`"):
            indexes[cells[0]] = {sample for key in re.findall(r"`([^`]+)`", cells[3]) for _, sample in samples(key)}
    return partitions, indexes


def matches(pattern, key):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), key, re.DOTALL)


def grants(t):
    """Each role's statements about the table and its indexes: where, role, statement, index or None."""
    for role, resource in t.resources("AWS::IAM::Role").items():
        for document in resource.get("Policies", []):
            for statement in listed(document["PolicyDocument"]["Statement"]):
                for target in listed(statement.get("Resource")):
                    if named(target) == "Table" and "StreamArn" not in json.dumps(target):
                        yield f"{role}/{statement.get('Sid')}", role, statement, None
                    elif "${Table.Arn}/index/" in json.dumps(target):
                        yield f"{role}/{statement.get('Sid')}", role, statement, target["Fn::Sub"].rsplit("/", 1)[1]


def patterns(statement):
    return listed(statement.get("Condition", {}).get("ForAllValues:StringLike", {}).get(PATTERNS))


def partitions(t):
    """A role reaches those partitions alone that it names, each of which is registered, and somebody reaches each."""
    registered, indexes = registry(t)
    reached = {"Reads": set(), "Writes": set()}
    for where, role, statement, index in grants(t):
        names = patterns(statement)
        if index == PENDING:
            if role != DISPATCH or listed(statement["Action"]) != ["dynamodb:Query"]:
                yield f"{where}: the index {PENDING} is dispatch's, to be queried"
            if "Condition" in statement:
                yield f"{where}: the index {PENDING} holds partitions of no company and no kind"
            continue
        want = {"ForAllValues:StringLike": {PATTERNS: statement.get("Condition", {}).get("ForAllValues:StringLike", {}).get(PATTERNS)}}
        # Without it the condition would be true of a request that names no partition.
        want["Null"] = {PATTERNS: "false"}
        if not names or statement.get("Condition") != want:
            yield f"{where}: reaches partitions that it does not name"
        keys = indexes[index] if index else {key for _, key in registered}
        for pattern in names:
            found = {key for key in keys if matches(pattern, key)}
            if not found:
                yield f"{where}: {pattern} matches no partition that is registered"
            if not index:
                reached.setdefault(statement.get("Sid"), set()).update(found)
    for sid, got in reached.items():
        parts, kinds = {}, {}
        for name, key in registered:
            kind, _, part = name.partition("#")
            parts.setdefault(part or kind, set()).add(key)
            if part:
                kinds.setdefault(kind, set()).add(key)
        for name, keys in (parts | kinds).items():
            if not keys & got and (sid, name) not in NOBODYS:
                yield f"{sid}: nobody reaches the partitions of {name}"


def guard(t):
    """Roles may do with the table what its guard lets through, and that is granted to somebody."""
    source = (t.root / "shared" / "table" / "internal" / "conn" / "guard.go").read_text(encoding="utf-8")
    passes = set(re.findall(r"^func \(g \*guard\) ([A-Z]\w+)\(", source, re.M))
    if "TransactWriteItems" in passes:
        passes.add("ConditionCheckItem")  # a transaction needs the rights of what is in it
    passes = {f"dynamodb:{name}" for name in passes if not name.startswith("Transact")}
    granted = set()
    for where, _, statement, _ in grants(t):
        for action in listed(statement["Action"]):
            granted.add(action)
            if action not in passes:
                yield f"{where}: {action} is refused by the guard of shared/table"
    for action in sorted(passes - granted):
        yield f"nobody is granted {action}, which the guard of shared/table lets through"


def companyless(t):
    """Whom the linter keeps from what is no company's, no policy lets there."""
    rules = yaml.safe_load((t.root / ".golangci.yml").read_text(encoding="utf-8"))["linters"]["settings"]["depguard"]["rules"]
    files = rules["crosstenant"]["files"]
    free = {f"{group.capitalize()}Role" for group in re.findall(r"!\*\*/functions/(\w+)/", " ".join(files))}
    for where, role, statement, index in grants(t):
        for pattern in patterns(statement) if not index else []:
            if pattern.startswith("T#") or role in free or pattern in SHARED | THROUGH.get(role, set()):
                continue
            yield f"{where}: reaches {pattern}, which is no company's; see the linter's rule crosstenant"


def size(t):
    """What a role's policies say fits: AWS counts their characters without white space."""
    total = {}
    for role, resource in t.resources("AWS::IAM::Role").items():
        total[role] = [p["PolicyDocument"] for p in resource.get("Policies", [])]
    for added in t.resources("AWS::IAM::RolePolicy").values():
        total[named(added["RoleName"])].append(added["PolicyDocument"])
    for role, documents in total.items():
        # A stack's own names are longer than those that stand for them here.
        length = sum(len(re.sub(r"\s", "", json.dumps(t.resolve(d), separators=(",", ":")))) for d in documents)
        if length > LARGEST * 0.9:
            yield f"{role}: its policies have {length} characters of {LARGEST}"


USES = {"ECC_NIST_P256": {"kms:Sign", "kms:GetPublicKey"}, "HMAC_256": {"kms:GenerateMac"}}
LISTS = {"SIGNING_KEYS": "Signing", "CODE_KEYS": "Code", "REFRESH_KEYS": "Refresh", "CHAIN_KEYS": "Chain", "HOOK_KEYS": "Hook"}
# Who makes codes when they are sent, and checks chains before a document is sealed; nothing else of any key.
WORKERS = {"CodeKey", "ChainKey"}
# The operator's role marks what was signed on another stage. It is of a template of its own, whose stack is named after the stage's.
OPERATOR = {"ArnLike": {"aws:PrincipalArn": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/operator/${AWS::StackName}/*-OperatorRole-*"}}}


def uses(t):
    """Each key says itself who may use it, for what it is for, and so does that role; the account looks after it, and IAM can't say more."""
    written = {}  # by key and role, what the key lets it do
    for name, key in t.resources("AWS::KMS::Key").items():
        statements = listed(key.get("KeyPolicy", {}).get("Statement"))
        if not statements:
            yield f"{name}: without a policy of its own IAM decides who uses it"
        use = USES[key["KeySpec"]]
        users = set()
        for statement in statements:
            actions = set(listed(statement["Action"]))
            if statement.get("Principal") == ACCOUNT_ROOT and "Condition" not in statement:
                # Public halves are no secret: IAM says who reads them.
                if any("*" in a or "?" in a for a in actions) or actions & ({"kms:Sign", "kms:GenerateMac", "kms:VerifyMac"}):
                    yield f"{name}: the account's administration may use it"
                continue
            if name == "ChainKey" and statement.get("Principal") == ACCOUNT_ROOT and statement.get("Condition") == OPERATOR:
                if actions != use:
                    yield f"{name}: lets the operator do {sorted(actions)}"
                continue
            role = user_of(statement)
            if role not in t.written("AWS::IAM::Role"):
                yield f"{name}: may be used by what is no role of this template, or by one that KMS may not know yet"
                continue
            if role in users:
                yield f"{name}: speaks twice of {role}"
            users.add(role)
            written[name, role] = actions
            if not actions <= use:
                yield f"{name}: lets {role} do {sorted(actions - use)}"
        if "WorkerRole" in users and name not in WORKERS:
            yield f"{name}: may be used by the worker"
        if not users:
            yield f"{name}: nobody may use it"
    given = {}
    for role, resource in t.resources("AWS::IAM::Role").items():
        for document in resource.get("Policies", []):
            for statement in listed(document["PolicyDocument"]["Statement"]):
                actions = {a for a in listed(statement.get("Action")) if a.startswith("kms:")}
                if not actions:
                    continue
                name = next((f"{what}Key" for what in LISTS.values() if statement.get("Resource") == keys_of(what)), None)
                if statement.get("Resource") == {"Fn::GetAtt": ["SealKey", "Arn"]}:
                    name = "SealKey"
                given[name, role] = given.get((name, role), set()) | actions
    for (name, role), actions in given.items():
        public = name == "SigningKey" and actions == {"kms:GetPublicKey"}
        if actions != written.get((name, role)) and not public:
            yield f"{role}: {', '.join(sorted(actions))} is given by a key's own policy too, of keys of a list or SealKey"
    for name, role in sorted(written.keys() - given.keys()):
        yield f"{name}: lets {role} use it, whose own policy doesn't"


def keys_of(what):
    own = {"Fn::GetAtt": [f"{what}Key", "Arn"]}
    return {"Fn::If": [f"Has{what}Keys", {"Fn::Split": [",", {"Ref": f"{what}Keys"}]}, own]}


def lists(t):
    """Functions get the list of a parameter, or where it is empty the stack's own key."""
    variables = t.source["Globals"]["Function"]["Environment"]["Variables"]
    for variable, what in LISTS.items():
        if variables.get(variable) != {"Fn::If": [f"Has{what}Keys", {"Ref": f"{what}Keys"}, {"Ref": f"{what}Key"}]}:
            yield f"{variable}: is not the list of {what}Keys, or {what}Key"
        if t.source["Conditions"].get(f"Has{what}Keys") != {"Fn::Not": [{"Fn::Equals": [{"Ref": f"{what}Keys"}, ""]}]}:
            yield f"Has{what}Keys: does not follow {what}Keys"
        if t.source["Parameters"].get(f"{what}Keys", {}).get("Default") != "":
            yield f"{what}Keys: a stack would be deployed with keys of another"


# What the function that calls strangers reaches, by the service: one resource each, and of the table these partitions. What it reads of
# records is shown to it by another function.
DELIVER = "DeliverRole"
REACHES = {"logs": "DeliverLog", "kms": "HookKey", "sqs": "HooksQueue", "lambda": "ShowFunction", "dynamodb": "Table"}
DELIVERED = {"Reads": {"events", "whk", "whk#bulk", "hooks", "outbox"}, "Writes": {"hooks", "outbox"}}


def strangers(t):
    """Who calls addresses that companies have named has the log of events, webhooks and their messages, and nothing besides."""
    for document in t.resources("AWS::IAM::Role")[DELIVER]["Policies"]:
        for s in listed(document["PolicyDocument"]["Statement"]):
            for action in listed(s["Action"]):
                for resource in listed(s["Resource"]):
                    what, _ = t.function(resource) if action.startswith("lambda:") else (named(resource), False)
                    if resource == keys_of("Hook"):
                        what = "HookKey"
                    if what != REACHES.get(action.split(":")[0]):
                        yield f"{DELIVER}: may {action} with {what}, though it calls strangers"
    for where, role, s, _ in grants(t):
        for pattern in patterns(s) if role == DELIVER else []:
            if pattern.removeprefix("T#*#") not in DELIVERED.get(s.get("Sid"), set()):
                yield f"{where}: reaches {pattern}, though it calls strangers"
    for name, added in t.resources("AWS::IAM::RolePolicy").items():
        if named(added["RoleName"]) == DELIVER:
            yield f"{name}: gives {DELIVER} more, though it calls strangers"


RULES = [partitions, guard, companyless, size, uses, lists, strangers]


def statement(t, sid, role="DocumentsRole"):
    return next(s for s in policy(t, role) if s.get("Sid") == sid)


def names(t, sid="Reads", role="DocumentsRole"):
    return statement(t, sid, role)["Condition"]["ForAllValues:StringLike"][PATTERNS]


def nobody(t, pattern):
    for role, resource in t["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            for s in policy(t, role):
                found = s.get("Condition", {}).get("ForAllValues:StringLike", {})
                if isinstance(found.get(PATTERNS), list):
                    found[PATTERNS] = [p for p in found[PATTERNS] if not matches(pattern, p)]


def user(t, key, role, action):
    props(t, key)["KeyPolicy"]["Statement"].append(used_by(role, action))


def operators(t, key):
    statement = used_by("OperatorRole", "kms:GenerateMac") | {"Condition": copy.deepcopy(OPERATOR)}
    props(t, key)["KeyPolicy"]["Statement"].append(statement)
    return statement


def by_arn(t, key, role, action):
    props(t, key)["KeyPolicy"]["Statement"].append(
        {"Effect": "Allow", "Action": action, "Principal": {"AWS": {"Fn::GetAtt": [role, "Arn"]}}, "Resource": "*"}
    )


def condition(t, key="RefreshKey"):
    return props(t, key)["KeyPolicy"]["Statement"][-1]["Condition"]


TABLE = {"Fn::GetAtt": ["Table", "Arn"]}
INDEX = {"Fn::Sub": "${Table.Arn}/index/pending"}

FAULTS = [
    Fault("partitions", lambda t: allow(t, "dynamodb:GetItem", TABLE), "reaches partitions that it does not name"),
    Fault("partitions", lambda t: statement(t, "Writes").pop("Condition"), "DocumentsRole/Writes: reaches partitions"),
    Fault("partitions", lambda t: statement(t, "Reads")["Condition"].pop("Null"), "DocumentsRole/Reads: reaches partitions"),
    Fault("partitions", lambda t: put(statement(t, "Reads")["Condition"]["Null"], PATTERNS, "true"), "DocumentsRole/Reads: reaches"),
    Fault("partitions", lambda t: statement(t, "ChangesIndex").pop("Condition"), "DocumentsRole/ChangesIndex: reaches partitions"),
    Fault("partitions", lambda t: names(t).append("T#*#bike"), "T#*#bike matches no partition"),
    Fault("partitions", lambda t: names(t).append("t#*#doc"), "t#*#doc matches no partition"),
    Fault("partitions", lambda t: nobody(t, "X#*"), "Reads: nobody reaches the partitions of cross"),
    Fault("partitions", lambda t: nobody(t, "T#*#smsreport"), "Writes: nobody reaches the partitions of smsreport"),
    Fault("partitions", lambda t: nobody(t, "T#*#led*"), "Writes: nobody reaches the partitions of led"),
    Fault("partitions", lambda t: allow(t, "dynamodb:Query", INDEX), "the index pending is dispatch's"),
    Fault("partitions", lambda t: put(statement(t, "PendingIndex", DISPATCH), "Action", "dynamodb:Scan"), "is dispatch's, to be queried"),
    Fault(
        "partitions",
        lambda t: put(statement(t, "PendingIndex", DISPATCH), "Condition", {"Null": {PATTERNS: "false"}}),
        "holds partitions of no company",
    ),
    Fault("guard", lambda t: statement(t, "Reads").update(Action=["dynamodb:GetItem", "dynamodb:Scan"]), "dynamodb:Scan is refused"),
    Fault("guard", lambda t: statement(t, "Writes", "WorkerRole")["Action"].remove("dynamodb:BatchWriteItem"), "nobody is granted"),
    Fault("companyless", lambda t: names(t, "Reads", "OrdersRole").append("U#*"), "OrdersRole/Reads: reaches U#*"),
    Fault("companyless", lambda t: names(t, "Writes", "ClientsRole").append("S#*"), "ClientsRole/Writes: reaches S#*"),
    Fault("size", lambda t: names(t).extend(f"T#*#doc#log#{n}*" for n in range(600)), "DocumentsRole: its policies have"),
    Fault("uses", lambda t: props(t, "CodeKey").pop("KeyPolicy"), "CodeKey: without a policy"),
    Fault("uses", lambda t: user(t, "RefreshKey", "WorkerRole", "kms:GenerateMac"), "RefreshKey: may be used by the worker"),
    Fault("uses", lambda t: user(t, "HookKey", "WorkerRole", "kms:GenerateMac"), "HookKey: may be used by the worker"),
    Fault("uses", lambda t: user(t, "ChainKey", "PointsRole", "kms:*"), "ChainKey: lets PointsRole do ['kms:*']"),
    Fault("uses", lambda t: user(t, "CodeKey", "TenantsFunction", "kms:GenerateMac"), "CodeKey: may be used by what is no role"),
    Fault("uses", lambda t: user(t, "CodeKey", "WorkerRole", "kms:GenerateMac"), "CodeKey: speaks twice of WorkerRole"),
    Fault("uses", lambda t: operators(t, "ChainKey").update(Action=["kms:GenerateMac", "kms:Sign"]), "ChainKey: lets the operator do"),
    Fault("uses", lambda t: operators(t, "CodeKey"), "CodeKey: may be used by what is no role"),
    Fault("uses", lambda t: operators(t, "ChainKey").update(Principal="*"), "ChainKey: may be used by what is no role"),
    Fault("uses", lambda t: props(t, "ChainKey")["KeyPolicy"]["Statement"][0]["Action"].append("kms:GenerateMac"), "may use it"),
    Fault("uses", lambda t: props(t, "RefreshKey")["KeyPolicy"]["Statement"].pop(), "RefreshKey: nobody may use it"),
    Fault("uses", lambda t: by_arn(t, "CodeKey", "TenantsRole", "kms:GenerateMac"), "or by one that KMS may not know yet"),
    Fault("uses", lambda t: condition(t).pop("ArnLike"), "RefreshKey: may be used by what is no role"),
    Fault("uses", lambda t: props(t, "RefreshKey")["KeyPolicy"]["Statement"][-1].pop("Condition"), "administration may use it"),
    Fault("uses", lambda t: condition(t).update(ArnLike={"aws:PrincipalArn": {"Fn::Sub": ROLES + "*"}}), "RefreshKey: may be used by what"),
    Fault("uses", lambda t: condition(t).update(Bool={"aws:SecureTransport": True}), "RefreshKey: may be used by what is no role"),
    Fault("uses", lambda t: user(t, "ChainKey", "PointsRole", "kms:GenerateMac"), "ChainKey: lets PointsRole use it, whose own policy doesn't"),
    Fault("uses", lambda t: policy(t, "SealRole").pop(), "SealKey: lets SealRole use it, whose own policy doesn't"),
    Fault("uses", lambda t: allow(t, "kms:GenerateMac", keys_of("Code")), "DocumentsRole: kms:GenerateMac is given by a key's own policy"),
    Fault("uses", lambda t: allow(t, "kms:Sign", keys_of("Signing")), "DocumentsRole: kms:Sign is given by a key's own policy"),
    Fault("uses", lambda t: put(statement(t, "ChainKeys"), "Action", ["kms:GenerateMac", "kms:Sign"]), "DocumentsRole: kms:GenerateMac, kms:Sign"),
    Fault("uses", lambda t: put(statement(t, "CodeKeys", "WorkerRole"), "Resource", "*"), "WorkerRole: kms:GenerateMac is given"),
    Fault("uses", lambda t: allow(t, "kms:GenerateMac", {"Fn::GetAtt": ["CodeKey", "Arn"]}), "is given by a key's own policy"),
    Fault("uses", lambda t: put(statement(t, "PublicKeys", "FallbackRole"), "Resource", "*"), "FallbackRole: kms:GetPublicKey"),
    Fault(
        "lists",
        lambda t: put(t["Globals"]["Function"]["Environment"]["Variables"], "CODE_KEYS", {"Ref": "CodeKey"}),
        "CODE_KEYS: is not the list",
    ),
    Fault("lists", lambda t: put(t["Conditions"], "HasChainKeys", {"Fn::Equals": ["a", "a"]}), "HasChainKeys: does not follow"),
    Fault("lists", lambda t: put(t["Parameters"]["RefreshKeys"], "Default", "arn:x"), "RefreshKeys: a stack would be"),
    Fault("lists", lambda t: t["Globals"]["Function"]["Environment"]["Variables"].pop("HOOK_KEYS"), "HOOK_KEYS: is not the list"),
    Fault("strangers", lambda t: names(t, "Reads", DELIVER).append("T#*#cli"), "DeliverRole/Reads: reaches T#*#cli"),
    Fault("strangers", lambda t: names(t, "Writes", DELIVER).append("T#*#events"), "DeliverRole/Writes: reaches T#*#events"),
    Fault(
        "strangers",
        lambda t: policy(t, DELIVER).append({"Effect": "Allow", "Action": "s3:GetObject", "Resource": {"Fn::GetAtt": ["Bucket", "Arn"]}}),
        "DeliverRole: may s3:GetObject with Bucket",
    ),
    Fault("strangers", lambda t: statement(t, "Calls", DELIVER)["Resource"].append({"Fn::GetAtt": ["SealFunction", "Arn"]}), "SealFunction"),
    Fault("strangers", lambda t: put(props(t, "WorkerSmsPolicy"), "RoleName", {"Ref": DELIVER}), "gives DeliverRole more"),
]
