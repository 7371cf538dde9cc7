"""Our own rules of the template: what no tool knows because it is decided here. Each returns what is wrong."""

import json
import re

from template import listed, named

FUNCTION = "AWS::Lambda::Function"
MAPPING = "AWS::Lambda::EventSourceMapping"
QUEUE = "AWS::SQS::Queue"
FORBIDDEN_READS = ["dynamodb:Scan", "dynamodb:PartiQLSelect", "dynamodb:ExportTableToPointInTime"]

# shared/app reads them. `sam local` gives a function no variable that the template doesn't declare.
ENDPOINTS = ["DYNAMODB", "S3", "S3_PUBLIC", "KMS", "SES", "SNS", "SQS", "LAMBDA"]

# What may stand in the template: nothing that is paid by the hour.
IDLE_FREE = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::ApiMapping",
    "AWS::ApiGatewayV2::DomainName",
    "AWS::ApiGatewayV2::Stage",
    "AWS::Budgets::Budget",
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",  # three are free in an account
    "AWS::DynamoDB::Table",
    "AWS::Events::Rule",
    "AWS::IAM::Role",
    "AWS::IAM::RolePolicy",
    "AWS::KMS::Key",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Function",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Version",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
}


def bodies(t):
    for name, api in t.resources("AWS::ApiGatewayV2::Api").items():
        yield name, api.get("Body", {})


def routes(t):
    """Each path of each API: the API's name, its body, the path and its methods."""
    for name, body in bodies(t):
        for path, methods in body.get("paths", {}).items():
            yield name, body, path, methods


def statements(t, resource_policies=True):
    """Each Allow statement with the place where it stands."""
    for name, role in t.resources("AWS::IAM::Role").items():
        for policy in role.get("Policies", []):
            for statement in listed(policy["PolicyDocument"]["Statement"]):
                yield f"{name}/{policy['PolicyName']}", statement
    kinds = ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"]
    if resource_policies:
        kinds += ["AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy"]
    for kind in kinds:
        for name, policy in t.resources(kind).items():
            for statement in listed(policy["PolicyDocument"]["Statement"]):
                yield name, statement


def allowed(t):
    return ((where, s) for where, s in statements(t) if s.get("Effect") == "Allow")


def paths(t):
    """No path ends in a slash, and a prefix is always `/x` with `/x/{proxy+}`, for every method."""
    seen = set()
    for name, _, path, methods in routes(t):
        seen.add(path)
        if path.endswith("/"):
            yield f"{name}: the path {path} ends in /"
        if list(methods) != ["x-amazon-apigateway-any-method"]:
            yield f"{name}: {path} names methods; declare prefixes for any method"
    for path in sorted(seen):
        base = path.removesuffix("/{proxy+}").rstrip("/")
        for twin in (base, base + "/{proxy+}"):
            if path != "$default" and twin not in seen:
                yield f"{path} is declared without {twin}"
    if "$default" not in seen:
        yield "no $default route: the gateway would answer what nobody knows"


def integrations(t):
    """Each route leads to a function, by an integration that it has in common with the function's other routes."""
    seen, count = {}, 0
    for name, _, path, methods in routes(t):
        for method in methods.values():
            count += 1
            got = method.get("x-amazon-apigateway-integration", {})
            function, _ = t.function(got.get("uri"))
            if "$ref" in got:
                yield f"{name}: {path} has a $ref, which sam local start-api doesn't understand"
            elif function not in t.resources(FUNCTION):
                yield f"{name}: {path} leads to no function"
            elif got.get("type") != "aws_proxy" or got.get("payloadFormatVersion") != "2.0" or got.get("httpMethod") != "POST":
                yield f"{name}: {path} is no integration of payload 2.0"
            elif seen.setdefault(function, got) != got:
                yield f"{name}: {path} calls {function} otherwise than other routes"
    if count > 300:
        yield f"{count} routes and integrations, and an API holds 300"


def authorizer(t):
    """Every route asks the authorizer, always anew, whatever the request carries."""
    for name, body, path, methods in routes(t):
        schemes = body.get("components", {}).get("securitySchemes", {})
        for method in methods.values():
            asked = [key for entry in method.get("security", []) for key in entry]
            if len(asked) != 1 or asked[0] not in schemes:
                yield f"{name}: {path} does not ask the authorizer"
    for name, body in bodies(t):
        for key, scheme in body.get("components", {}).get("securitySchemes", {}).items():
            got = scheme.get("x-amazon-apigateway-authorizer", {})
            for field, want in {
                "type": "request",
                "identitySource": [],
                "authorizerResultTtlInSeconds": 0,
                "authorizerPayloadFormatVersion": "2.0",
                "enableSimpleResponses": True,
            }.items():
                if got.get(field) != want:
                    yield f"{name}: the authorizer {key} has {field} {got.get(field)!r} instead of {want!r}"


def cors(t):
    """The gateway answers no preflight itself."""
    for name, api in t.resources("AWS::ApiGatewayV2::Api").items():
        if "CorsConfiguration" in api or "x-amazon-apigateway-cors" in api.get("Body", {}):
            yield f"{name}: CORS belongs to the functions, which know the companies' origins"


def called(t):
    """The functions that others call: each with the roles that may."""
    callers = {}
    for where, statement in allowed(t):
        if "lambda:InvokeFunction" in listed(statement.get("Action")):
            for resource in listed(statement.get("Resource")):
                callers.setdefault(t.function(resource)[0], []).append(where)
    return callers


def permissions(t):
    """One permission a function: one for each route would overflow its policy. Where others call it, or Lambda reads for it, it has none."""
    callers = called(t)
    # What a stream or a queue gives a function, its own role lets Lambda read.
    fed = {t.function(mapping["FunctionName"])[0] for mapping in t.resources(MAPPING).values()}
    fed -= {t.function(target["Arn"])[0] for rule in t.resources("AWS::Events::Rule").values() for target in rule.get("Targets", [])}
    for function, roles_ in callers.items():
        if function not in t.resources(FUNCTION):
            yield f"{roles_[0]}: calls {function}, which is no function of this template"
    count = dict.fromkeys(t.resources(FUNCTION), 0)
    for name, permission in t.resources("AWS::Lambda::Permission").items():
        function, _ = t.function(permission["FunctionName"])
        if function not in count:
            yield f"{name}: is for no function of this template"
            continue
        count[function] += 1
        if "SourceArn" not in permission:
            yield f"{name}: without SourceArn anyone's gateway may call {function}"
    for function, n in count.items():
        if n and function in callers:
            yield f"{function} is called by {callers[function][0]}, and has {n} permissions for others"
        elif n != (function not in fed) and function not in callers:
            yield f"{function} has {n} permissions instead of {'none' if function in fed else 'one'}"


def hosts(t):
    """With a certificate every host under the platform's domain leads to the API; a stack without one has no such hosts."""
    leads = {named(m["DomainName"]): m for m in t.resources("AWS::ApiGatewayV2::ApiMapping").values()}
    domains = t.resources("AWS::ApiGatewayV2::DomainName")
    if "*.tenantry.example" not in [t.resolve(d["DomainName"]) for d in domains.values()]:
        yield "no domain name stands for the companies' hosts, *.PlatformDomain"
    for name, domain in domains.items():
        for config in domain["DomainNameConfigurations"]:
            for field, want in {
                "CertificateArn": {"Ref": "CertificateArn"},
                "EndpointType": "REGIONAL",
                "SecurityPolicy": "TLS_1_2",
            }.items():
                if config.get(field) != want:
                    yield f"{name}: {field} is {config.get(field)!r} instead of {want!r}"
        mapping = leads.get(name, {})
        stage = t.resources("AWS::ApiGatewayV2::Stage").get(named(mapping.get("Stage")), {})
        if "ApiId" not in mapping or stage.get("ApiId") != mapping["ApiId"] or mapping.get("ApiMappingKey"):
            yield f"{name}: does not lead to the API's stage, or under a path"
    for name, resource in t.expanded["Resources"].items():
        if resource["Type"].startswith("AWS::ApiGatewayV2::") and resource["Type"].endswith(("DomainName", "ApiMapping")):
            if resource.get("Condition") != "HasCertificate":
                yield f"{name}: a stack without a certificate could not be deployed"


def actions(t):
    """An action is written out."""
    for where, statement in allowed(t):
        for action in listed(statement.get("Action")):
            if "*" in action or "?" in action:
                yield f"{where}: allows the wildcard action {action}"
        if "NotAction" in statement:
            yield f"{where}: allows by NotAction"


def telephones(t):
    """Where SMS may be published: a telephone has no name, so anything is allowed, and topics are denied."""
    for where, statement in statements(t):
        text = t.resolve(statement.get("Resource", ""))
        if statement["Effect"] == "Deny" and statement.get("Action") == "sns:Publish" and text == "arn:aws:sns:*:*:*":
            yield where


# Lambda needs it of whoever reads a stream, and IAM knows no resource of it. Two roles do.
LIST_STREAMS = {"Sid": "ListStreams", "Effect": "Allow", "Action": "dynamodb:ListStreams", "Resource": "*"}


def resources(t):
    """A resource is named, or at least begins with the name of one of ours. Two exceptions have no names: telephones, lists of streams."""
    publishers = list(telephones(t))
    for where, statement in allowed(t):
        if statement == LIST_STREAMS and where in ("WorkerRole/worker", "DispatchRole/dispatch"):
            continue
        if where in publishers and statement.get("Action") == "sns:Publish" and statement.get("Resource") == "*":
            continue
        if "NotResource" in statement:
            yield f"{where}: allows by NotResource"
        for resource in listed(statement.get("Resource")):
            text = t.resolve(resource)
            parts = text.split(":", 5)
            if len(parts) < 6 or parts[5].strip("*?/") == "" or "*" in "".join(parts[:5]):
                yield f"{where}: allows {text} as a resource"


def scan(t):
    """Nobody can read the whole table, by whatever name."""
    for where, statement in allowed(t):
        for action in listed(statement.get("Action")):
            pattern = re.escape(action).replace(r"\*", ".*").replace(r"\?", ".")
            for read in FORBIDDEN_READS:
                if re.fullmatch(pattern, read, re.IGNORECASE):
                    yield f"{where}: {action} allows {read}"


def runtime(t):
    """Every function is a Go binary for arm64 on provided.al2023."""
    for name, function in t.resources(FUNCTION).items():
        for field, want in {
            "Architectures": ["arm64"],
            "Runtime": "provided.al2023",
            "Handler": "bootstrap",
        }.items():
            if function.get(field) != want:
                yield f"{name}: {field} is {function.get(field)!r} instead of {want!r}"
    for name, function in t.written("AWS::Serverless::Function").items():
        if function.get("Metadata", {}).get("BuildMethod") != "go1.x":
            yield f"{name}: is not built by go1.x"


def folders(t):
    """Every functions/<group>/lambda is declared, and nothing else."""
    there = {f"functions/{d.parent.name}/lambda/" for d in t.root.glob("functions/*/lambda") if any(d.glob("*.go"))}
    said = {f["Properties"].get("CodeUri"): n for n, f in t.written("AWS::Serverless::Function").items()}
    for folder in sorted(there - set(said)):
        yield f"{folder} is a function that the template does not declare"
    for folder in sorted(set(said) - there):
        yield f"{said[folder]}: {folder} holds no Go program"


# Whose role is one: in which lane a message waits is the code's to change, so each may do what any message needs.
CARRIERS = {"UrgentFunction", "WorkerFunction", "BulkFunction"}


def roles(t):
    """Every function has a role of its own, but for those that carry out messages; with our policies only, that only Lambda takes on."""
    owners = {}
    for name, function in t.resources(FUNCTION).items():
        role = named(function.get("Role"))
        if role not in t.written("AWS::IAM::Role"):
            yield f"{name}: its role is not written here"
        elif role in owners and not {name, owners[role]} <= CARRIERS:
            yield f"{name}: shares its role with {owners[role]}"
        owners[role] = name
    for name, role in t.resources("AWS::IAM::Role").items():
        if role.get("ManagedPolicyArns"):
            yield f"{name}: has a managed policy, whose resources are wildcards"
        for statement in role["AssumeRolePolicyDocument"]["Statement"]:
            if statement["Principal"] not in ({"Service": "lambda.amazonaws.com"}, {"Service": ["lambda.amazonaws.com"]}):
                yield f"{name}: is open to {json.dumps(statement['Principal'])}"


def logs(t):
    """Every function and stage writes to a log group of its own that forgets, and each may write to its own only."""
    groups = t.resources("AWS::Logs::LogGroup")
    owners, theirs = {}, {}
    for function in t.resources(FUNCTION).values():
        group = named(function.get("LoggingConfig", {}).get("LogGroup"))
        theirs.setdefault(named(function.get("Role")), set()).add(group)
    for name, function in t.resources(FUNCTION).items():
        group = named(function.get("LoggingConfig", {}).get("LogGroup"))
        if group not in groups:
            yield f"{name}: its log group is not declared"
        elif group in owners:
            yield f"{name}: shares its log group with {owners[group]}"
        owners[group] = name
        for where, statement in statements(t):
            if where.split("/")[0] != named(function.get("Role")):
                continue
            writes = any(action.startswith("logs:") for action in listed(statement.get("Action")))
            if writes and {named(r) for r in listed(statement.get("Resource"))} != theirs[named(function.get("Role"))]:
                yield f"{name}: may write to other log groups than its own"
    for name, stage in t.resources("AWS::ApiGatewayV2::Stage").items():
        if named(stage.get("AccessLogSettings", {}).get("DestinationArn")) not in groups:
            yield f"{name}: has no access log"
    for name, group in groups.items():
        if "RetentionInDays" not in group:
            yield f"{name}: keeps its logs for ever"


def bucket(t):
    """The bucket is private, encrypted, versioned, reached by TLS only, and forgets uploads that nobody took and what is temporary."""
    for name, got in t.resources("AWS::S3::Bucket").items():
        blocks = got.get("PublicAccessBlockConfiguration", {})
        for field in ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"):
            if blocks.get(field) is not True:
                yield f"{name}: {field} is not on"
        if "BucketEncryption" not in got:
            yield f"{name}: is not encrypted"
        if got.get("VersioningConfiguration", {}).get("Status") != "Enabled":
            yield f"{name}: is not versioned"
        for prefix in ("uploads/", "temporary/", "render/"):
            rules = [r for r in got.get("LifecycleConfiguration", {}).get("Rules", []) if r.get("Prefix") == prefix]
            for what, field in {
                "objects": "ExpirationInDays",
                "old versions": "NoncurrentVersionExpiration",
                "broken multipart uploads": "AbortIncompleteMultipartUpload",
                "delete markers": "ExpiredObjectDeleteMarker",
            }.items():
                if not any(field in rule for rule in rules):
                    yield f"{name}: {what} under {prefix} stay for ever"
        denies = [
            s
            for policy in t.resources("AWS::S3::BucketPolicy").values()
            if named(policy["Bucket"]) == name
            for s in policy["PolicyDocument"]["Statement"]
            if s["Effect"] == "Deny" and s["Action"] == "s3:*" and s.get("Principal") == "*"
        ]
        if not any(s.get("Condition") == {"Bool": {"aws:SecureTransport": False}} for s in denies):
            yield f"{name}: can be reached without TLS"
        methods = {m for rule in got.get("CorsConfiguration", {}).get("CorsRules", []) for m in rule["AllowedMethods"]}
        if methods != {"GET", "HEAD", "PUT"}:
            yield f"{name}: browsers may send {sorted(methods)}; presigned are GET and PUT"


ACCOUNT_ROOT = {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}
# How a key's policy names a role that KMS may not know yet: by how its name begins.
ROLES = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-"


def user_of(statement):
    """The role that a statement of a key's policy is about alone; None if it is about nobody, or about others too."""
    of = statement.get("Condition", {})
    name = of.get("ArnLike", {}).get("aws:PrincipalArn", {}) if list(of) == ["ArnLike"] else {}
    match = re.fullmatch(re.escape(ROLES) + r"(\w+)-\*", name.get("Fn::Sub", "")) if isinstance(name, dict) else None
    return match[1] if match and statement.get("Principal") == ACCOUNT_ROOT else None


def seal(t):
    """The key that seals signs for one function at most: its own policy says so, and IAM can't say more."""
    policy = t.resources("AWS::KMS::Key").get("SealKey", {}).get("KeyPolicy", {})
    if not policy:
        yield "SealKey: without a policy of its own IAM decides who seals"
    signers = []
    for statement in listed(policy.get("Statement")):
        for action in listed(statement.get("Action")):
            if "*" in action or "?" in action:
                yield f"SealKey: allows the wildcard action {action}"
            if action == "kms:Sign":
                signers.append(user_of(statement))
    for signer in signers:
        if signer not in t.written("AWS::IAM::Role"):
            yield "SealKey: signs for what is no role of this template"
    if len(signers) > 1:
        yield f"SealKey: signs for {len(signers)}"
    for where, statement in allowed(t):
        if any(named(resource) == "SealKey" for resource in listed(statement.get("Resource"))) and where.split("/")[0] not in signers:
            yield f"{where}: who may use SealKey stands in its own policy"


def idle(t):
    """Nothing is paid by the hour."""
    for name, resource in t.expanded["Resources"].items():
        if resource["Type"] not in IDLE_FREE:
            yield f"{name}: {resource['Type']} is not on the list of what costs nothing while idle (rules.py)"
        if "ProvisionedConcurrencyConfig" in resource.get("Properties", {}):
            yield f"{name}: provisioned concurrency is paid by the hour"


def endpoints(t):
    """Every function can be told where each API is, and on AWS none is told."""
    for name, function in t.resources(FUNCTION).items():
        variables = function.get("Environment", {}).get("Variables", {})
        for endpoint in ENDPOINTS:
            if variables.get(f"{endpoint}_ENDPOINT") != "":
                yield f"{name}: {endpoint}_ENDPOINT is {variables.get(f'{endpoint}_ENDPOINT')!r} instead of ''"


# How many companies may send all that they may at the same time.
COMPANIES = 40


def flood(t):
    """The stage takes what many companies may send, so one that sends too much is refused by itself, and not by the gateway for all."""
    whole, one, caller = (
        int(t.source["Parameters"][name]["Default"]) for name in ("ApiRateLimit", "CompanyRequestRate", "CallerRequestRate")
    )
    if whole < COMPANIES * one:
        yield f"ApiRateLimit is {whole}, which {COMPANIES} companies with {one} requests a second use up"
    if not 0 < caller <= one / 2:
        yield f"one caller may send {caller} requests a second, of the {one} of a company"


RULES = [
    paths,
    integrations,
    authorizer,
    flood,
    endpoints,
    cors,
    permissions,
    hosts,
    actions,
    resources,
    scan,
    runtime,
    folders,
    roles,
    logs,
    bucket,
    seal,
    idle,
]
