"""The fields of a collection. Words come as our own analysis gives them, and are indexed as they come."""

import hashlib
import io
import zipfile
from importlib import resources
from xml.etree import ElementTree as ET

from medground.corpus.lexical_fields import ANALYSES, DATES, METADATA, METADATA_NAME, YEAR

KEY, ROW, NUMBER, DOCUMENT = "key", "row", "number", "document"
"""Each row has a key and says what it is: the first passage of a document, a later one, a document, a piece of a file,
or `about` all."""
FIRST, LATER, WHOLE, PIECE, ABOUT = "first", "later", "whole", "piece", "about"
PASSAGES = f"{FIRST},{LATER}"
START, STOP, SECTION = "start", "stop", "section"
RECORD, DIGEST, RAW, FILE = "record", "digest", "raw", "file"
VECTOR = "vector"


def config_set(dimensions: int | None) -> tuple[str, bytes]:
    """Name and ZIP file of the configuration of a collection, with vectors of this length."""
    here = resources.files(__package__)
    schema = ET.fromstring((here / "schema.xml").read_bytes())  # noqa: S314 our own file
    kinds = {field: "exact" if analysis == "exact" else "words" for field, analysis in ANALYSES.items()}
    kinds |= {METADATA: "exact", METADATA_NAME: "exact", YEAR: "int"} | {f"date_{kind}": "int" for kind in DATES}
    if dimensions is not None:
        options = {"vectorDimension": str(dimensions), "similarityFunction": "dot_product"}
        ET.SubElement(schema, "fieldType", {"name": VECTOR, "class": "solr.DenseVectorField", **options})
        kinds[VECTOR] = VECTOR
    for field, kind in kinds.items():
        several = str(kind in ("exact", "words")).lower()
        ET.SubElement(schema, "field", name=field, type=kind, indexed="true", stored="false", multiValued=several)
    files = {"schema.xml": ET.tostring(schema), "solrconfig.xml": (here / "solrconfig.xml").read_bytes()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return f"medground-{hashlib.sha256(b''.join(files.values())).hexdigest()[:16]}", packed.getvalue()
