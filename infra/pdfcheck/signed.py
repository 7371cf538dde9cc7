"""Lets pyHanko validate sealed files: signed.py ROOTS MOMENT LEVEL FILE …

A line says for each file what is wrong with it. A file is right if its one signature covers all of it, is of somebody whom
the roots vouch for, allows no later change, and has the level: B-T is with a time stamp, B-B without one.
"""

import datetime
import sys

from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext


def fault(name, roots, moment, level):
    """What is wrong with a file, or nothing."""
    with open(name, "rb") as file:
        signatures = PdfFileReader(file).embedded_signatures
        if len(signatures) != 1:
            return f"it has {len(signatures)} signatures"
        context = ValidationContext(trust_roots=roots, moment=moment, allow_fetching=False)
        status = validate_pdf_signature(signatures[0], context, ts_validation_context=context)
    if not status.bottom_line:
        return status.pretty_print_details()
    if status.coverage != SignatureCoverageLevel.ENTIRE_FILE:
        return f"the signature covers {status.coverage}"
    if not status.docmdp_ok:
        return "it was changed as it must not be"
    stamped = status.timestamp_validity is not None
    if stamped != (level == "B-T"):
        return f"that it has a time stamp is {stamped}"
    if stamped and not (status.timestamp_validity.valid and status.timestamp_validity.trusted):
        return "its time stamp isn't trusted"
    return None


def main():
    """Validates the files that are named."""
    roots_name, moment, level, *names = sys.argv[1:]
    roots = list(load_certs_from_pemder([roots_name]))
    faults = 0
    for name in names:
        try:
            found = fault(name, roots, datetime.datetime.fromisoformat(moment), level)
        except Exception as error:  # a file that it can't read is one that it refuses
            found = repr(error)
        if found:
            faults += 1
            print(f"{name}: {found}")
    sys.exit(1 if faults else 0)


main()
