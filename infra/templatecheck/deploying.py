"""Rules about how a hosted workflow deploys: infra/deployer.yaml, and what workflows run. Their faults beside them."""

import json
import re
from pathlib import Path

import cfnlint
import yaml
from faults import Fault
from rules import actions
from rules import statements as policies
from template import Template, listed, named
from tools import findings

DEPLOYER = "infra/deployer.yaml"
OPERATOR = "infra/operator.yaml"
HERE = Path(__file__).resolve().parents[2]

# What a parameter turns on, and the test stage leaves off.
OFF = {"AWS::Budgets::Budget", "AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping"}

# What the registry names for features that the template doesn't use.
UNUSED = re.compile(
    r"^(codedeploy|ec2|elasticfilesystem|s3files|s3tables|kinesis|firehose|billing):"
    r"|^s3:(REST|(Create|Delete|Put|Update)\w*(Metadata|Replication|Accelerate|Analytics|Inventory|Metrics|Tiering|Website|ObjectLock|Logging"
    r"|Notification|Abac|Acl)|DeleteObject|[Gg]etObject$|GetObject(Version|Metadata)$|DeleteBucket(Cors|Encryption|Lifecycle))"
    r"|^dynamodb:(.*Kinesis|.*ContributorInsights|.*Replica|.*Import|(Put|Delete)ResourcePolicy|(BatchWrite|Delete|Get|Put|Update)Item|Query|Scan)"
    r"|^kms:(CreateGrant|RevokeGrant|Decrypt|Encrypt|GenerateDataKey|ListAliases|(Dis|En)ableKeyRotation)"
    r"|^lambda:((Put|Update|Delete)FunctionCodeSigningConfig|AssociateRuntimeAlias|GetLayerVersion|PassCapacityProvider|\w+ProvisionedConcurrencyConfig"
    r"|PutFunction(Recursion|Scaling)Config|PutRuntimeManagementConfig|GetCodeSigningConfig)"
    r"|^logs:(AssociateKmsKey|DisassociateKmsKey|.*DataProtection|.*IndexPolic|PutBearer|PutLogGroupDeletion|(Create|Put)LogStream|CreateLogStream"
    r"|PutLogEvents|DescribeLogStreams|DeleteResourcePolicy)"
    r"|^iam:(CreateServiceLinkedRole|DeleteRolePermissionsBoundary|AttachRolePolicy|DetachRolePolicy|UpdateRoleDescription)"
    r"|^apigateway:(Unt|T)agResource"  # which IAM knows as methods on /tags
    r"|^sns:PutDataProtectionPolicy|^events:.*Api"
)

# What the registry doesn't say: reading zips, and the gateway's access log, which is delivered by CloudWatch Logs.
BESIDES = {
    "s3:getobject", "s3:getobjectversion", "s3:listbucket",
    "logs:createlogdelivery", "logs:getlogdelivery", "logs:updatelogdelivery", "logs:deletelogdelivery", "logs:listlogdeliveries",
    "logs:putresourcepolicy", "logs:describeresourcepolicies",
}  # fmt: skip

# What has no name in IAM, or none before it is made.
NAMELESS = {
    "cloudformation:GetTemplateSummary", "kms:CreateKey", "lambda:CreateEventSourceMapping",
    "logs:CreateLogDelivery", "logs:DeleteLogDelivery", "logs:DescribeLogGroups", "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery", "logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:UpdateLogDelivery",
}  # fmt: skip


def needed(t):
    """The actions that CloudFormation's registry names for the kinds of resources of the template, in small letters, with a kind."""
    handlers = {}
    for file in (Path(cfnlint.__file__).parent / "data/schemas/resources").glob("*.json"):
        schema = json.loads(file.read_text(encoding="utf-8"))
        handlers.setdefault(schema.get("typeName"), schema.get("handlers", {}))
    out = {}
    for kind in {r["Type"] for r in t.expanded["Resources"].values()} - OFF:
        for step in ("create", "read", "update", "delete"):
            for action in handlers.get(kind, {}).get(step, {}).get("permissions", []):
                if not UNUSED.search(action):
                    out[action.lower()] = kind
    return out


def statements(d, role):
    for policy in d.source["Resources"][role]["Properties"]["Policies"]:
        yield from policy["PolicyDocument"]["Statement"]


def deployer(t):
    """The template of the deploy role: for runs of the main branch or one environment, one stack, and nothing that no resource needs."""
    d = Template(t.root / DEPLOYER)
    yield from findings(d)
    yield from actions(d)
    trust = d.source["Resources"]["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    wanted = {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": {
                "Fn::If": [
                    "HasEnvironment",
                    {"Fn::Sub": "repo:${Repository}:environment:${Environment}"},
                    {"Fn::Sub": "repo:${Repository}:ref:refs/heads/main"},
                ]
            },
        }
    }
    if [s.get("Condition") for s in trust] != [wanted]:
        yield "DeployRole: is open to more than the jobs of one environment, or runs of the repository's main branch"
    for statement in d.source["Resources"]["ServiceRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]:
        if statement["Principal"] != {"Service": "cloudformation.amazonaws.com"}:
            yield "ServiceRole: is open to others than CloudFormation"
    for role in ("DeployRole", "ServiceRole"):
        for s in statements(d, role):
            asked = listed(s["Action"])
            if "iam:PassRole" in asked and "iam:PassedToService" not in s.get("Condition", {}).get("StringEquals", {}):
                yield f"{role}: {s['Sid']} passes roles to any service"
            if "*" in listed(s["Resource"]) and not set(asked) <= NAMELESS:
                yield f"{role}: {s['Sid']} allows {sorted(set(asked) - NAMELESS)} on everything"
    for s in statements(d, "DeployRole"):
        if "lambda:DeleteFunction" in listed(s["Action"]) and not all(json.dumps(r).endswith(':*"}') for r in listed(s["Resource"])):
            yield f"DeployRole: {s['Sid']} deletes functions, and not only versions"
    passed = [named(s["Resource"]) for s in statements(d, "DeployRole") if s["Action"] == "iam:PassRole"]
    if passed != ["ServiceRole"]:
        yield "DeployRole: passes other roles than ServiceRole"
    wants = needed(t)
    has = {action.lower() for s in statements(d, "ServiceRole") for action in listed(s["Action"])}
    for action in sorted(wants.keys() - has):
        yield f"ServiceRole: may not {action}, which {wants[action]} needs"
    for action in sorted(has - wants.keys() - BESIDES):
        yield f"ServiceRole: may {action}, which no resource of template.yaml needs"


BOUNDED = {"iam:CreateRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy"}


def boundary(t):
    """Each role has the stage's boundary, no other can be made, and it holds what the functions do and no more."""
    d = Template(t.root / DEPLOYER)
    for name, role in t.written("AWS::IAM::Role").items():
        if role["Properties"].get("PermissionsBoundary") != {"Fn::If": ["HasBoundary", {"Ref": "PermissionsBoundary"}, {"Ref": "AWS::NoValue"}]}:
            yield f"{name}: hasn't the boundary that a deployer may demand"
    for s in statements(d, "ServiceRole"):
        bounded = s.get("Condition", {}).get("StringEquals", {}).get("iam:PermissionsBoundary") == {"Ref": "Boundary"}
        if BOUNDED & set(listed(s["Action"])) and not bounded:
            yield f"ServiceRole: {s['Sid']} makes roles, or gives them rights, without the boundary"
        if "iam:DeleteRolePermissionsBoundary" in listed(s["Action"]):
            yield f"ServiceRole: {s['Sid']} takes the boundary off"
    does = {action for _, s in policies(t, resource_policies=False) for action in listed(s["Action"])}
    for key in t.resources("AWS::KMS::Key").values():
        for s in key["KeyPolicy"]["Statement"]:
            if named(s["Principal"].get("AWS")) in t.written("AWS::IAM::Role"):
                does |= set(listed(s["Action"]))
    may = set()
    for s in d.source["Resources"]["Boundary"]["Properties"]["PolicyDocument"]["Statement"]:
        if s["Effect"] == "Allow":
            may |= set(listed(s["Action"]))
            if "*" in listed(s["Resource"]) and not set(listed(s["Action"])) <= {"dynamodb:ListStreams", "sns:Publish"}:
                yield f"Boundary: {s['Sid']} reaches everything"
    for action in sorted(does - may):
        yield f"Boundary: keeps functions from {action}"
    for action in sorted(may - does):
        yield f"Boundary: allows {action}, which no function does"


# What the operator may do to any key of the account. The rest a key's own policy allows, or nobody.
OF_KEYS = {"kms:CreateKey", "kms:ListKeys", "kms:DescribeKey", "kms:GetKeyPolicy", "kms:GenerateMac"}

# What the policies of a role may come to, without white space, and what one beside it may, and how many of those a role has.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
ROLE_LIMIT, MANAGED_LIMIT, MOST_MANAGED = 10_240, 6_144, 10
# The longest names that CloudFormation makes of the longest name of a stack.
LONGEST = {"StackName": "s" * 24, "Table": "s" * 24 + "-Table-1ABCDEFGHIJKL", "Bucket": "s" * 24 + "-bucket-1abcdefghijkl"}


def operator(t):
    """The template of the operator's roles: no function can take them on, and each command's policy is one of its own."""
    d = Template(t.root / OPERATOR)
    yield from findings(d)
    yield from actions(d)
    open_to = {
        "OperatorRole": {"AWS": {"Ref": "Operator"}}, "BookkeeperRole": {"AWS": {"Ref": "Operator"}},
        "NightlyRole": {"Service": "codebuild.amazonaws.com"}, "ScheduleRole": {"Service": "scheduler.amazonaws.com"},
    }  # fmt: skip
    for parameter, name in LONGEST.items():
        d.expanded["Parameters"][parameter]["Default"] = name
    sizes, beside = {}, {}
    for name, resource in d.source["Resources"].items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::IAM::Role":
            for s in properties["AssumeRolePolicyDocument"]["Statement"]:
                if s["Principal"] != open_to.get(name):
                    yield f"{name}: is open to {s['Principal']}"
        if resource["Type"] not in ("AWS::IAM::RolePolicy", "AWS::IAM::ManagedPolicy"):
            continue
        size = len(json.dumps(d.resolve(properties["PolicyDocument"]), separators=(",", ":")))
        for s in properties["PolicyDocument"]["Statement"]:
            for action in sorted(set(listed(s["Action"])) - OF_KEYS):
                if action.startswith("kms:"):
                    yield f"{name}: {s['Sid']} allows {action} on whatever key leaves it to IAM"
        if resource["Type"] == "AWS::IAM::RolePolicy":
            role = named(properties["RoleName"])
            sizes[role] = sizes.get(role, 0) + size
            continue
        if size > MANAGED_LIMIT:
            yield f"{name}: has {size:,} characters, over {MANAGED_LIMIT:,}"
        for role in map(named, properties["Roles"]):
            beside[role] = beside.get(role, 0) + 1
            if beside[role] > MOST_MANAGED:
                yield f"{name}: is one policy too many beside {role}"
    for role, size in sizes.items():
        if size > ROLE_LIMIT:
            yield f"{role}: its policies have {size:,} characters, over {ROLE_LIMIT:,}"


PINNED = re.compile(r"^\s*(?:- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def workflows(t):
    """Hosted workflows run actions of one commit each, say of which version, and hold no keys."""
    for file in sorted((t.root / ".github/workflows").glob("*.yml")):
        text = file.read_text(encoding="utf-8")
        for line in text.splitlines():
            if "uses:" in line and not PINNED.match(line):
                yield f"{file.name}: {line.strip()} is not pinned to a commit, with its version behind it"
        if re.search(r"secrets\.AWS|aws-secret-access-key", text):
            yield f"{file.name}: deploys with a key that could be stolen"
        for name, job in yaml.safe_load(text)["jobs"].items():
            if job.get("permissions", {}).get("id-token") == "write" and not re.search(r"vars\.[A-Z]+_DEPLOY_ROLE != ''", str(job.get("if", ""))):
                yield f"{file.name}: {name} runs before its variables are set"


# What lists the zips that a packaged template names, and compares them with the list.
LISTS = ".local/bin/artifacts -template packaged.yaml"

# What makes something new of a commit. What runs is what staging ran.
MAKES = re.compile(r"make build|sam build|sam package|compile")


def released(t):
    """A release is built once, without credentials, and production deploys, when approved and compared to the byte, what staging ran."""
    jobs = yaml.safe_load((t.root / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
    runs = {name: [step.get("run", "") for step in job["steps"]] for name, job in jobs.items()}
    builders = {name for name, lines in runs.items() if any(re.search(r"make build|sam build|compile", line) for line in lines)}
    if builders != {"build"}:
        yield f"release.yml: is built by {sorted(builders)}"
    if any(jobs[name]["permissions"] != {"contents": "read"} for name in ("build", "clients")):
        yield "release.yml: what builds can get credentials"
    for name, after in {"staging": "build", "production": "staging", "publish": ["production", "clients"]}.items():
        if jobs[name].get("needs") != after:
            yield f"release.yml: {name} doesn't wait for {after}"
    for name in ("staging", "production"):
        if jobs[name].get("environment") != name:
            yield f"release.yml: nobody approves {name}"
    for line in runs["production"]:
        if MAKES.search(line):
            yield f"release.yml: production makes something new: {line.splitlines()[0]}"
    deploys = [[line for line in runs[name] if "sam deploy" in line] for name in ("staging", "production")]
    if deploys[0] != deploys[1] or len(deploys[0]) != 1 or "--template-file packaged.yaml" not in deploys[0][0]:
        yield "release.yml: production is deployed otherwise than staging"
    for line in deploys[0] + deploys[1]:
        before = line.split("sam deploy")[0]
        if f"{LISTS} -check zips.sha256" not in before or "||" in before or "set +e" in before:
            yield "release.yml: is deployed before the zips are compared with their list"
    if not any(re.search(rf"sam package.*\n.*{LISTS} -built .aws-sam/build -write zips.sha256", line, re.S) for line in runs["staging"]):
        yield "release.yml: nobody lists what was packaged"
    carries = [str(s["with"]["path"]).split() for s in jobs["staging"]["steps"] if s.get("with", {}).get("name") == "packaged"]
    proven = [str(s["with"]["subject-path"]).split() for s in jobs["publish"]["steps"] if "subject-path" in s.get("with", {})]
    for files in carries + proven or [[]]:
        if not {"packaged.yaml", "zips.sha256"} <= set(files):
            yield "release.yml: the list doesn't go with the release"
    if not any(re.search(r"make .*\bsbom\b", line) for line in runs["build"]):
        yield "release.yml: nobody lists the components"
    if "make clients" not in runs["clients"]:
        yield "release.yml: nobody builds the clients"
    published = next((line for line in runs["publish"] if "gh release create" in line), "")
    for file in ("functions.tar.gz", "tenantry.cdx.json", "tenantry-client-*.tgz", "tenantry-*.whl"):
        if not proven or file not in proven[0]:
            yield f"release.yml: {file} has no provenance"
    for file in {"provenance.sigstore.json", *(proven[0] if proven else [])}:
        if not re.search(rf"gh release create.*\s{re.escape(file)}(\s|$)", published, re.S):
            yield f"release.yml: {file} isn't published"


def shards(t):
    """The parts of hosted CI are all of `make check`, each once."""
    text = {name: (t.root / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/shard", ".github/workflows/ci.yml")}
    parts = dict(re.findall(r'^  (\w+)\) targets="([^"]+)"', text[".ci/shard"], re.MULTILINE))
    hosted = yaml.safe_load(text[".github/workflows/ci.yml"])["jobs"]["check"]["strategy"]["matrix"]["part"]
    if sorted(hosted) != sorted(parts):
        yield f"ci.yml runs {sorted(hosted)}, and .ci/shard has {sorted(parts)}"
    whole = set(re.search(r"^check: (.+?) ##", text["Makefile"], re.MULTILINE)[1].split())
    targets = " ".join(parts.values()).split()
    for target in sorted(whole ^ set(targets)):
        yield f"{target} is of make check or of .ci/shard, and not of both"
    for packages in ("$(go list ./... | grep -v /infra/)", "./infra/..."):  # together all that there are
        if f'PACKAGES="{packages}"' not in text[".ci/shard"]:
            yield f"no part tests {packages}"


RULES = [deployer, boundary, operator, workflows, released, shards]


def spoiled(file, old, new):
    """A folder in which one of these files has a text replaced."""

    def write(root, _):
        for name in [DEPLOYER, OPERATOR, "Makefile", ".ci/shard", *(f".github/workflows/{f.name}" for f in (HERE / ".github/workflows").glob("*.yml"))]:
            text = (HERE / name).read_text(encoding="utf-8")
            if name == file:
                if old not in text:
                    raise ValueError(f"{file} does not hold {old!r}")
                text = text.replace(old, new, 1)
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

    return write


def in_operator(old, new, expect):
    return Fault("operator", lambda t: None, expect, spoiled(OPERATOR, old, new))


def in_deployer(old, new, expect):
    return Fault("deployer", lambda t: None, expect, spoiled(DEPLOYER, old, new))


def in_boundary(old, new, expect):
    return Fault("boundary", lambda t: None, expect, spoiled(DEPLOYER, old, new))


def in_workflow(file, old, new, expect):
    return Fault("workflows", lambda t: None, expect, spoiled(f".github/workflows/{file}", old, new))


def in_release(old, new, expect):
    return Fault("released", lambda t: None, expect, spoiled(".github/workflows/release.yml", old, new))


def in_shards(file, old, new, expect):
    return Fault("shards", lambda t: None, expect, spoiled(file, old, new))


FAULTS = [
    in_operator("AWS: !Ref Operator", "AWS: '*'", "OperatorRole: is open to"),
    in_operator("Service: codebuild", "Service: lambda", "NightlyRole: is open to"),
    in_operator("Action: [sqs:ReceiveMessage, sqs:DeleteMessage]", "Action: sqs:*", "wildcard action sqs:*"),
    in_operator("kms:GetKeyPolicy]", "kms:ScheduleKeyDeletion]", "RotateKeys allows kms:ScheduleKeyDeletion on whatever key"),
    in_operator("Mode: 'OFF'", "Modes: 'OFF'", "Modes"),
    in_operator("LeadingKeys: [T#*]", f"LeadingKeys: [T#*, 'T#*#{'k' * 5000}']", "OperatorRole: its policies have"),
    in_operator("LeadingKeys: [T#*, U#*", f"LeadingKeys: [T#*, 'T#*#{'k' * 5200}', U#*", "ErasePolicy: has 6,"),
    in_deployer(":ref:refs/heads/main", ":*", "more than the jobs of one environment"),
    in_deployer("StringEquals:\n                token", "StringLike:\n                token", "more than the jobs of one environment"),
    in_deployer("              Service: cloudformation", "              Service: lambda", "ServiceRole: is open to others"),
    in_deployer("kms:ScheduleKeyDeletion", "kms:Sign", "may not kms:schedulekeydeletion, which AWS::KMS::Key needs"),
    in_deployer("kms:ScheduleKeyDeletion", "kms:Sign", "may kms:sign, which no resource"),
    in_deployer("iam:PassedToService: lambda", "iam:RoleName: lambda", "passes roles to any service"),
    in_deployer("Resource: !GetAtt ServiceRole.Arn", "Resource: !GetAtt DeployRole.Arn", "passes other roles than ServiceRole"),
    in_deployer("cloudformation:DescribeStacks", "cloudformation:*", "wildcard action cloudformation:*"),
    in_deployer("Action: cloudformation:GetTemplateSummary", "Action: cloudformation:DeleteStack", "on everything"),
    in_deployer("function:${StackName}-*:*'", "function:${StackName}-*'", "OldVersions deletes functions, and not only versions"),
    in_deployer("SSEAlgorithm: AES256", "SSEAlgorithms: AES256", "SSEAlgorithms"),
    in_boundary("                    iam:PermissionsBoundary: !Ref Boundary", "                    iam:RoleName: x", "without the boundary"),
    in_boundary("                  - iam:TagRole", "                  - iam:DeleteRolePermissionsBoundary", "takes the boundary off"),
    in_boundary("ses:SendEmail", "ses:SendRawEmail", "keeps functions from ses:SendEmail"),
    in_boundary("ses:SendEmail", "ses:SendRawEmail", "allows ses:SendRawEmail"),
    in_boundary("kms:GenerateMac, ", "", "keeps functions from kms:GenerateMac"),
    in_boundary("Resource: !Sub 'arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*'", "Resource: '*'", "Mail reaches everything"),
    Fault("boundary", lambda t: t["Resources"]["PackRole"]["Properties"].pop("PermissionsBoundary"), "PackRole: hasn't the boundary"),
    Fault("deployer", lambda t: t["Resources"].update(Web={"Type": "AWS::WAFv2::IPSet", "Properties": {}}), "which AWS::WAFv2::IPSet needs"),
    in_workflow("ci.yml", "actions/checkout@", "actions/checkout@v4 # ", "is not pinned to a commit"),
    in_workflow("deploy.yml", "    if: ", "    name: ", "runs before its variables are set"),
    in_workflow("deploy.yml", "role-to-assume:", "aws-secret-access-key:", "with a key that could be stolen"),
    in_workflow("release.yml", "if: vars.STAGING_DEPLOY_ROLE != ''\n", "if: true\n", "staging runs before its variables are set"),
    in_release("      - run: go run -C infra/tools ./venv\n", "      - run: make build\n", "is built by"),
    in_release("    permissions:\n      contents: read\n", "    permissions:\n      contents: read\n      id-token: write\n", "what builds can get credentials"),
    in_release("    needs: staging\n", "    needs: build\n", "production doesn't wait for staging"),
    in_release("    environment: production\n", "", "nobody approves production"),
    in_release("        run: *deploy\n", "        run: sam package && sam deploy --template-file packaged.yaml\n", "production makes something new"),
    in_release("        run: *deploy\n", "        run: sam deploy --template-file other.yaml\n", "deployed otherwise than staging"),
    in_release("          .local/bin/artifacts -template packaged.yaml -check zips.sha256\n", "", "before the zips are compared"),
    in_release("-check zips.sha256\n", "-check zips.sha256 || true\n", "before the zips are compared"),
    in_release("          .local/bin/artifacts -template packaged.yaml -built .aws-sam/build -write zips.sha256\n", "", "nobody lists what was packaged"),
    in_release("            packaged.yaml\n            zips.sha256\n", "            packaged.yaml\n", "the list doesn't go with the release"),
    in_release("            zips.sha256\n            tenantry", "            tenantry", "the list doesn't go with the release"),
    in_release("make build sbom", "make build", "nobody lists the components"),
    in_release("make clients", "make help", "nobody builds the clients"),
    in_release("needs: [production, clients]", "needs: production", "publish doesn't wait for"),
    in_release("            tenantry-*.whl\n            tenantry.cdx", "            tenantry.cdx", "tenantry-*.whl has no provenance"),
    in_release("tenantry-client-*.tgz tenantry-*.whl zips", "tenantry-*.whl zips", "tenantry-client-*.tgz isn't published"),
    in_release("            tenantry.cdx.json\n      - env", "      - env", "tenantry.cdx.json has no provenance"),
    in_release("zips.sha256 tenantry.cdx.json provenance", "tenantry.cdx.json provenance", "zips.sha256 isn't published"),
    in_release("tenantry.cdx.json provenance.sigstore.json", "tenantry.cdx.json", "provenance.sigstore.json isn't published"),
    in_shards(".github/workflows/ci.yml", "pages, tests", "tests", "ci.yml runs"),
    in_shards(".ci/shard", "format lint", "format", "lint is of make check"),
    in_shards("Makefile", "check: format", "check: format fonts", "fonts is of make check"),
    in_shards(".ci/shard", "./infra/...", "./infra/local/...", "no part tests ./infra/..."),
]
