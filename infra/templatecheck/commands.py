"""Rules about the runbook: each command in the documents exists, takes its options and their values, and its pipelines work.

The models of AWS are botocore's, which come with SAM's command line. Nothing here talks to AWS. Faults beside the rules.
"""

import functools
import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import botocore.session
import jmespath
from botocore import xform_name
from botocore.validate import ParamValidator
from faults import Fault
from samcli.commands.build.command import cli as sam_build
from samcli.commands.delete.command import cli as sam_delete
from samcli.commands.deploy.command import cli as sam_deploy
from samcli.commands.local.invoke.cli import cli as sam_invoke
from samcli.commands.local.start_api.cli import cli as sam_start_api
from shell import FILLED, blocks, commands
from template import Template
from tools import findings

HERE = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "docs/deploying.md", "docs/operations.md", "docs/tour.md", "docs/sam-local.md", "docs/signing.md"]
SAM = {
    ("build",): sam_build,
    ("delete",): sam_delete,
    ("deploy",): sam_deploy,
    ("local", "start-api"): sam_start_api,
    ("local", "invoke"): sam_invoke,
}
GLOBAL = {"region", "output", "query", "profile"}

# What the command line of AWS makes itself, and the models don't know: options that the documents may use.
CUSTOM = {
    ("s3", "cp"): set(),
    ("s3", "rm"): {"recursive"},
    ("s3", "sync"): set(),
    ("cloudformation", "deploy"): {"template-file", "stack-name", "capabilities", "parameter-overrides", "role-arn"},
}


def useful(words):
    """A command without the variables that are set for it, and the words of the shell."""
    while words and (re.fullmatch(r"\w+=.*", words[0], re.S) or words[0] in ("do", "then", "exec")):
        words = words[1:]
    return words


def value(shape, texts):
    """The value of an option, as the command line reads it: JSON, shorthand, or plain words."""
    first = texts[0] if texts else ""
    if first[:1] in "[{":
        return json.loads(re.sub(r"\$\w+", FILLED, first))
    if shape.type_name == "list":
        return [scalar(shape.member, t) for t in texts]
    return scalar(shape, first)


def scalar(shape, text):
    if shape.type_name == "structure" and text.startswith("$"):
        return {}
    if shape.type_name == "structure":
        pairs = dict(part.split("=", 1) for part in text.split(","))
        return {name: scalar(shape.members[name], v) if name in shape.members else v for name, v in pairs.items()}
    if shape.type_name in ("integer", "long", "double", "float"):
        return 1 if text.startswith("$") or text in ("…", FILLED) else json.loads(text)
    if shape.type_name == "boolean":
        return {"true": True, "false": False}.get(text, text)
    return text


def enums(shape, given, path=""):
    """Values that the model doesn't list."""
    if shape.type_name == "structure" and isinstance(given, dict):
        for name, inner in given.items():
            if name in shape.members:
                yield from enums(shape.members[name], inner, f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(given, list):
        for inner in given:
            yield from enums(shape.member, inner, path)
    elif getattr(shape, "enum", None) and not str(given).startswith(("$", FILLED)) and given not in shape.enum:
        yield f"{path.lstrip('.')} is never {given!r}"


def options(words):
    """The options of a command, each with the words behind it."""
    out, name = {}, None
    for word in words:
        if word.startswith("--"):
            name = word[2:]
            out[name] = []
        elif name is None:
            out.setdefault("", []).append(word)
        else:
            out[name].append(word)
    return out


def fields(expression):
    """The names that a --query reads."""
    tree, names = [jmespath.compile(expression).parsed], set()
    while tree:
        node = tree.pop()
        if node["type"] == "field":
            names.add(node["value"])
        tree += [c for c in node["children"] if isinstance(c, dict)]
    return names


def members(shape, seen=()):
    if shape is None or shape.name in seen:
        return set()
    inner = {"structure": lambda: shape.members.values(), "list": lambda: [shape.member], "map": lambda: [shape.value]}
    out = set(shape.members) if shape.type_name == "structure" else set()
    for child in inner.get(shape.type_name, lambda: [])():
        out |= members(child, (*seen, shape.name))
    return out


@functools.cache
def models():
    return botocore.session.get_session()


def aws(words, whole):
    """What is wrong with a command of AWS. One that is only mentioned need not be whole."""
    session = models()
    service, operation, given = words[1], words[2] if len(words) > 2 else "", options(words[3:])
    if (service, operation) in CUSTOM:
        for name in given.keys() - CUSTOM[service, operation] - GLOBAL - {""}:
            yield f"has no option --{name}"
        return
    try:
        model = session.get_service_model({"s3api": "s3"}.get(service, service))
    except botocore.exceptions.UnknownServiceError:
        yield f"AWS has no service {service}"
        return
    if operation == "wait":
        waiters = session.get_waiter_model({"s3api": "s3"}.get(service, service))
        names = {xform_name(name, "-"): waiters.get_waiter(name).operation for name in waiters.waiter_names}
        operation = names.get(given.pop("", [""])[0])
        if not operation:
            yield "waits for what the service doesn't know"
            return
        operation = xform_name(operation, "-")
    known = {xform_name(name, "-"): name for name in model.operation_names}
    if operation not in known:
        yield f"{service} has no operation {operation}"
        return
    if given.get(""):
        yield f"takes no word {given['']}"
    operation = model.operation_model(known[operation])
    if "query" in given:
        for name in sorted(fields(given.pop("query")[0]) - members(operation.output_shape)):
            yield f"answers no {name}"
    inputs = {xform_name(name, "-"): (name, shape) for name, shape in operation.input_shape.members.items()}
    request = {}
    for option, texts in given.items():
        if option in GLOBAL | {""}:
            continue
        name, shape = inputs.get(option) or inputs.get(option.removeprefix("no-")) or (None, None)
        if name is None:
            yield f"has no option --{option}"
            continue
        if shape.type_name == "boolean" and not texts:
            request[name] = not option.startswith("no-")
            continue
        if texts and texts[0].startswith("file://"):
            continue  # what is in it is for who writes it to check
        try:
            request[name] = value(shape, texts)
            if re.fullmatch(r"\$\w+", str(request[name])):  # what the shell puts there is long enough
                request[name] = request[name].ljust(shape.metadata.get("min", 0), "x")
        except ValueError as problem:
            yield f"--{option} can't be read: {problem}"
    report = ParamValidator().validate(request, operation.input_shape)
    for problem in report.generate_report().splitlines():
        if whole or not problem.startswith("Missing required"):
            yield problem
    yield from enums(operation.input_shape, request)


def stages(t):
    return tomllib.loads((t.root / "samconfig.toml").read_text(encoding="utf-8"))


def sam(t, words):
    if words[1:] == ["local"]:
        return
    command = SAM.get(tuple(words[1:2])) or SAM.get(tuple(words[1:3]))
    if not command:
        yield f"sam has no command {' '.join(words[1:3])} that is known here"
        return
    known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
    for word in words[2:]:
        if word.startswith("--") and word.split("=")[0] not in known:
            yield f"has no option {word}"
    stage = options(words[2:]).get("config-env", ["default"])[0]
    if stage not in stages(t):
        yield f"samconfig.toml knows no {stage}"


def ours(t, words):
    if words[0] == "make":
        targets = re.findall(r"(?m)^([a-z-]+):", (t.root / "Makefile").read_text(encoding="utf-8"))
        for word in words[1:]:
            if "=" not in word and word not in targets:
                yield f"the Makefile has no {word}"
            elif word.startswith("STAGE=") and word.removeprefix("STAGE=") not in stages(t):
                yield f"samconfig.toml knows no {word.removeprefix('STAGE=')}"
        return
    folder = t.root / words[2]
    if not folder.is_dir():
        yield f"there is no {words[2]}"
        return
    # A program with commands has each in a folder of its own.
    source = "".join(f.read_text(encoding="utf-8") for f in folder.rglob("*.go"))
    if "command.Define(" in source:  # commands share the package that defines these flags
        source += (t.root / "infra" / "command" / "company.go").read_text(encoding="utf-8")
    for word in words[3:]:
        if re.match(r"-[a-z]", word) and f'"{word[1:]}"' not in source:
            yield f"{words[2]} has no flag {word}"


def documented(t):
    """Each command of the documents exists, with its options and values, by the models of AWS, by SAM, by ours."""
    for document in DOCUMENTS:
        for line, block, whole in blocks((t.root / document).read_text(encoding="utf-8")):
            try:
                found = [useful(words) for words in commands(block)]
            except ValueError as problem:
                yield f"{document}:{line}: is no shell: {problem}"
                continue
            for words in found:
                problems = []
                if words[:1] == ["aws"] and len(words) > 2:
                    problems = aws(words, whole)
                elif words[:1] == ["sam"] and len(words) > 1:
                    problems = sam(t, words)
                elif words[:1] == ["make"] or words[:2] == ["go", "run"]:
                    problems = ours(t, words)
                for problem in problems:
                    yield f"{document}:{line}: {' '.join(words[:4])}: {problem}"


# Where `make build` puts sam, as documents say it before they use it.
FOUND = 'export PATH="$PWD/infra/tools/.venv/bin:$PATH"'


def reachable(t):
    """A document that has whole commands of sam says first how sam is found. What the README says of deploying, the runbook says too."""
    runbook = (t.root / "docs/operations.md").read_text(encoding="utf-8")
    for document in DOCUMENTS:
        text = (t.root / document).read_text(encoding="utf-8")
        said = False
        for line, block, whole in blocks(text):
            for number, written in enumerate(block.splitlines(), line):
                said = said or written.strip() == FOUND or written.strip().startswith(f"{FOUND} ")
                if whole and not said and re.match(r"\s*sam ", written):
                    yield f"{document}:{number}: sam isn't found before {FOUND}"
    for command in re.findall(r"`(make deploy [^`]+|sam deploy[^`]*)`", (t.root / "README.md").read_text(encoding="utf-8")):
        if not re.search(rf"(?m)^\s*{re.escape(command)}(\s|$)", runbook):
            yield f"README.md: {command}: docs/operations.md deploys otherwise"


def restored(t):
    """The runbook's pipeline makes a template that uses another table, and that CloudFormation takes."""
    text = (t.root / "docs/operations.md").read_text(encoding="utf-8")
    pipeline = re.search(r"(?ms)^   sed -e .*?> restored\.yaml$", text)
    if not pipeline:
        yield "docs/operations.md has no pipeline that makes restored.yaml"
        return
    arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/other"
    script = pipeline[0].replace("template.yaml", shlex.quote(str(HERE / "template.yaml"))).replace("> restored.yaml", "")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": "/usr/bin:/bin", "NEW": "other", "ARN": arn, "STREAM": f"{arn}/stream/label"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield f"the pipeline fails: {done.stderr.strip()}"
        return
    path = Path(subprocess.check_output(["mktemp", "--suffix=.yaml"], text=True).strip())
    try:
        path.write_text(done.stdout, encoding="utf-8")
        made = Template(path, t.root)
        if t.source["Resources"].keys() - made.source.get("Resources", {}).keys() != {"Table"}:
            yield "restored.yaml is not the template without the table"
            return
        left = re.findall(r'"(?:Ref|Fn::GetAtt)": (?:"Table|\["Table)[^"]*"|\$\{Table[.}]', json.dumps(made.source, default=str))
        if left:
            yield f"restored.yaml still names the table: {left[0]}"
        else:
            # What is needed no more, such as the condition of the table, is of no weight.
            yield from (f for f in findings(made) if f.startswith("E"))
    finally:
        path.unlink()


RULES = [documented, reachable, restored]


def spoiled(old, new, file="docs/operations.md"):
    """A folder in which a document has a text replaced."""

    def write(root, _):
        for name in [*DOCUMENTS, "Makefile", "samconfig.toml"]:
            text = (HERE / name).read_text(encoding="utf-8")
            if name == file:
                if old not in text:
                    raise ValueError(f"{name} does not hold {old!r}")
                text = text.replace(old, new, 1)
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for folder in ("infra", "functions"):
            (root / folder).symlink_to(HERE / folder)

    return write


def wrong(old, new, expect, check="documented"):
    return Fault(check, lambda t: None, expect, spoiled(old, new))


FAULTS = [
    wrong("aws dynamodb delete-table", "aws dynamo delete-table", "AWS has no service dynamo"),
    wrong("aws dynamodb delete-table", "aws dynamodb drop-table", "dynamodb has no operation drop-table"),
    wrong("--no-deletion-protection-enabled", "--no-deletion-protection", "has no option --no-deletion-protection"),
    wrong("delete-table --table-name $TABLE", "delete-table", "Missing required parameter"),
    wrong("--pending-window-in-days 7", "--pending-window-in-days seven", "--pending-window-in-days can't be read"),
    wrong("StreamViewType=KEYS_ONLY", "StreamViewType=KEYS", "StreamSpecification.StreamViewType is never 'KEYS'"),
    wrong("SystemLogLevel=INFO", "SystemLogsLevel=INFO", "Unknown parameter in LoggingConfig"),
    wrong('"NoncurrentDays":1', '"NoncurrentDay":1', "Unknown parameter in LifecycleConfiguration"),
    wrong('"Status":"Enabled","Filter"', '"Status":"On","Filter"', "Status is never 'On'"),
    wrong("wait stack-delete-complete", "wait stack-deleted", "waits for what the service doesn't know"),
    wrong("--query Table.TableArn", "--query Table.Arn", "answers no Arn"),
    wrong("--operations Sign GetPublicKey", "--operations Sign PublicKey", "Operations is never 'PublicKey'"),
    wrong("StackEvents[?ResourceStatus=='CREATE_FAILED']", "StackEvents[?Status=='CREATE_FAILED']", "answers no Status"),
    wrong("--capabilities CAPABILITY_IAM \\\n  --parameter-overrides", "--capability CAPABILITY_IAM \\\n  --parameter-overrides", "no option --capability"),
    wrong("sam delete --config-env staging", "sam delete --config-env stage", "samconfig.toml knows no stage"),
    wrong("sam build --parallel --template", "sam build --paralell --template", "has no option --paralell"),
    wrong("make deploy STAGE=staging", "make deploy STAGE=stage", "samconfig.toml knows no stage"),
    wrong("make deploy STAGE=staging", "make deploy STAGE=production", "docs/operations.md deploys otherwise", "reachable"),
    wrong(FOUND, "export PATH", "sam isn't found", "reachable"),
    wrong("make smoke URL=https://<api>", "make smok URL=https://x", "the Makefile has no smok"),
    wrong("go run ./infra/reverify -table", "go run ./infra/reverify -tables", "has no flag -tables"),
    wrong("--output text)\nGRANT", "--output 'text)\nGRANT", "is no shell"),
    wrong("s|!Ref Table\\b|$NEW|", "s|!Ref Tables\\b|$NEW|", "still names the table", "restored"),
    wrong("!gone'", "gone'", "the table", "restored"),
]
