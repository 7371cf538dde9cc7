"""Rules about what outlives a stage and its account: vaults of backups, and the import of what was retained. Faults beside them."""

import json
import subprocess
import tempfile
from pathlib import Path

from faults import Fault
from template import Template, listed
from tools import findings

HERE = Path(__file__).resolve().parents[2]
SOURCE, COPIES = "infra/backups.yaml", "infra/backupvault.yaml"


def vaults(t):
    """Backups are of table and bucket, stand apart from the stage, outlive their own stacks, and only the stage's account adds copies."""
    here, there = Template(t.root / SOURCE), Template(t.root / COPIES)
    for name, template in ((SOURCE, here), (COPIES, there)):
        yield from (f"{name}: {finding}" for finding in findings(template))
        for ident, resource in template.source["Resources"].items():
            if resource["Type"] in ("AWS::Backup::BackupVault", "AWS::KMS::Key"):
                for field in ("DeletionPolicy", "UpdateReplacePolicy"):
                    if resource.get(field) != "Retain":
                        yield f"{name}: {ident}: {field} is not Retain"
    for name, resource in t.source["Resources"].items():
        if resource["Type"].startswith("AWS::Backup::"):
            yield f"{name}: a deployment of the stage could touch its backups"
    resources = json.dumps(here.source["Resources"]["Selection"]["Properties"]["BackupSelection"]["Resources"])
    for what in ("${Table}", "${Bucket}"):
        if what not in resources:
            yield f"{SOURCE}: {what} is not backed up"
    for rule in here.source["Resources"]["Plan"]["Properties"]["BackupPlan"]["BackupPlanRule"]:
        copies = rule.get("CopyActions", {}).get("Fn::If", [None, [{}]])
        if copies[0] != "Copies" or copies[1][0].get("DestinationBackupVaultArn") != {"Ref": "CopyTo"}:
            yield f"{SOURCE}: {rule['RuleName']} isn't copied where CopyTo says"
    for s in there.source["Resources"]["Vault"]["Properties"]["AccessPolicy"]["Statement"]:
        if s["Principal"] != {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${Source}:root"}}:
            yield f"{COPIES}: others than the stage's account may use the vault"
        if listed(s["Action"]) != ["backup:CopyIntoBackupVault"]:
            yield f"{COPIES}: the stage's account may do more than add copies"


def imported(t):
    """What infra/takeover makes of the template is one that CloudFormation takes, and has all that is retained."""
    kept = [name for name, r in t.source["Resources"].items() if str(r.get("DeletionPolicy", "")).startswith("Retain")]
    with tempfile.TemporaryDirectory() as folder:
        to, list_ = Path(folder) / "import.json", Path(folder) / "list.json"
        done = subprocess.run(
            ["go", "run", "./infra/takeover", "-template", str(t.path), "-write", str(to), "-list", str(list_)]
            + [word for name in kept for word in ("-use", f"{name}=name")],
            cwd=HERE,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            yield f"infra/takeover: {done.stderr.strip().splitlines()[0]}"
            return
        yield from findings(Template(to, t.root))
        names = {row["LogicalResourceId"] for row in json.loads(list_.read_text(encoding="utf-8"))}
        if names != set(kept):
            yield f"infra/takeover: imports {sorted(names)}, and retained are {sorted(kept)}"


RULES = [vaults, imported]


def in_file(file, old, new, expect):
    """A fault in a copy of one of the templates."""

    def write(root, _):
        (root / "infra").mkdir()
        for name in (SOURCE, COPIES):
            text = (HERE / name).read_text(encoding="utf-8")
            if name == file:
                if old not in text:
                    raise ValueError(f"{file} does not hold {old!r}")
                text = text.replace(old, new, 1)
            (root / name).write_text(text, encoding="utf-8")

    return Fault("vaults", lambda t: None, expect, write)


FAULTS = [
    in_file(SOURCE, "    DeletionPolicy: Retain\n", "", "Vault: DeletionPolicy is not Retain"),
    in_file(COPIES, "    UpdateReplacePolicy: Retain\n", "", "Key: UpdateReplacePolicy is not Retain"),
    in_file(SOURCE, "s3:::${Bucket}'", "s3:::other'", "${Bucket} is not backed up"),
    in_file(SOURCE, "!Ref CopyTo\n", "!Ref Table\n", "daily isn't copied where CopyTo says"),
    in_file(SOURCE, "ScheduleExpression:", "Schedule:", "'Schedule'"),
    in_file(COPIES, "'arn:${AWS::Partition}:iam::${Source}:root'", "'*'", "others than the stage's account"),
    in_file(COPIES, "backup:CopyIntoBackupVault", "backup:*", "more than add copies"),
    Fault("vaults", lambda t: t["Resources"].update(Vault={"Type": "AWS::Backup::BackupVault"}), "could touch its backups",
          lambda root, _: [(root / "infra").mkdir(), *((root / n).write_text((HERE / n).read_text()) for n in (SOURCE, COPIES))]),
    Fault("imported", lambda t: t["Resources"]["NormalQueue"].update(DeletionPolicy="Retain"), "how a AWS::SQS::Queue is imported"),
    Fault("imported", lambda t: t["Resources"]["Table"]["Properties"].update(KeySchemas=[]), "KeySchemas"),
]
