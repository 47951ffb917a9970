"""The cues of one sentence alone: its role, and the kinds of answer it could hold."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Cues of one sentence alone: its form, its role, and the kinds of answer it could hold.

_I = re.IGNORECASE

ROLES: Mapping[str, re.Pattern[str]] = {
    "significance": re.compile(r"\bsignificant(?:ly)?\b", _I),
    "finding": re.compile(
        r"\b(?:show\w*|demonstrat\w*|reveal\w*|confirm\w*|found|observed|identified|detected|report\w*)\b", _I
    ),
    "comparison": re.compile(
        r"\b(?:higher|lower|greater|less|more|increas\w*|decreas\w*|reduc\w*|improv\w*|correlat\w*|associat\w*|"
        r"predict\w*|differ\w*)\b",
        _I,
    ),
    "conclusion": re.compile(
        r"\b(?:conclu\w+|suggest\w*|indicat\w+|thus|therefore|in summary|(?:our|these|the present) (?:results|"
        r"findings|data|stud\w+))\b",
        _I,
    ),
    "negation": re.compile(r"\b(?:no|not|nor|neither|without|fail\w*|lack\w*)\b", _I),
    "hedge": re.compile(
        r"\b(?:may|might|could|possib\w+|potential\w*|unclear|unknown|remain\w*|controvers\w+|elusive)\b", _I
    ),
    "method": re.compile(
        r"\b(?:were (?:included|enrolled|recruited|randomi\w+|performed|measured|collected|obtained|assessed|"
        r"analy\w+|evaluated|compared|asked|divided)|was (?:performed|measured|assessed|used|conducted|carried)|"
        r"using|retrospective\w*|questionnaire|between (?:19|20)\d\d)\b",
        _I,
    ),
    "purpose": re.compile(
        r"\b(?:aim\w*|purpose|objectives?|whether|hypothesi\w+|goals?)\b|"
        r"\bto (?:determine|investigate|evaluate|assess|examine|compare|test|study|explore|clarify)\b|"
        r"\bwe (?:sought|studied|investigated|examined|evaluated|aimed|asked)\b",
        _I,
    ),
    "question": re.compile(r"\?\s*$"),
    "deictic": re.compile(
        r"^\W*(?:this|these|it|its|they|their|such|those|here|he|she|both|in this|of these|among these)\b", _I
    ),
    "review": re.compile(
        r"\b(?:(?:this|the|our) (?:review|article|paper|chapter)|we (?:review|discuss|describe|report|present|"
        r"propose)|here,? we|is discussed|are discussed)\b",
        _I,
    ),
    "concluding label": re.compile(r"^\W*(?:conclu\w+|interpretation|in conclusion|significance)\b", _I),
    "result label": re.compile(r"^\W*(?:results?|findings|main results?)\s*[:.]", _I),
    "background label": re.compile(r"^\W*(?:background|introduction|context|rationale)\s*[:/.]", _I),
    "purpose label": re.compile(r"^\W*(?:aims?|purpose|objectives?|methods?|design|setting|hypothesis)\b", _I),
}
"""What a sentence does in its paper."""

HOLDS: Mapping[str, re.Pattern[str]] = {
    "amount": re.compile(
        r"\b\d[\d,.]*\s*(?:%|percent|per cent|mg|g|kg|ml|kb|mb|bp|kda|million|patients|cases|genes|in \d|per|/|"
        r"-fold|[°º])|\b\d+(?:[.,]\d+)?\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|half|third)\b",
        _I,
    ),
    "time": re.compile(
        r"\b\d+(?:\.\d+)?\s*(?:-|to)?\s*\d*\s*(?:hours?|h|days?|weeks?|months?|years?|minutes?|min)\b|\b(?:19|"
        r"20)\d\d\b|\b(?:hours|days|weeks|months|years|decade)\b",
        _I,
    ),
    "gene": re.compile(
        r"\b(?:[A-Z][A-Z0-9]{1,6}\d[A-Z0-9]*|[A-Z]{3,6}\d?|[A-Za-z]+\d+[A-Za-z]?|p\d\d|miR-?\d+|"
        r"[A-Z][a-z]{2}[A-Z0-9]\w*)\b|\b\w{4,}(?:ase|in)s?\b"
    ),
    "drug": re.compile(
        r"\b\w{3,}(?:mab|nib|statin|pril|sartan|olol|azole|cillin|mycin|floxacin|vir|prazole|gliptin|gliflozin|"
        r"tide|zumab|caine|azepam|triptan|dipine|oxetine|setron|parin|ban|xaban|gatran|grel|cept|zomib|ciclib|"
        r"lisib|stat|platin|taxel|rubicin|kinra|limus|idine|amine|afil|one|ine)\b",
        _I,
    ),
    "disease": re.compile(
        r"\b(?:syndrome|disease|disorder|cancer|carcinoma|\w+oma|\w+itis|\w+emia|\w+aemia|\w+osis|\w+opathy|"
        r"infection|deficiency|failure|diabetes|stroke|epilepsy|\w+algia|\w+plegia|\w+ia)\b",
        _I,
    ),
    "definition": re.compile(
        r"\b(?:is|are|was|were)\s+(?:(?:generally|currently|considered|also|usually|commonly|often|primarily|"
        r"mainly)\s+)?(?:an?|the|one of|defined|characteri[sz]ed|known|called|caused)\b|\brefers? to\b|\bdefined as\b|"
        r"\bcharacteri[sz]ed by\b|\bconsists? of\b|\bstands for\b|,\s+an?\s+\w+|\([A-Z][A-Za-z0-9-]{1,9}\)",
        _I,
    ),
    "mechanism": re.compile(
        r"\b(?:mediat\w+|regulat\w+|inhibit\w*|activat\w+|bind\w*|via|through|by \w+ing|interact\w*|"
        r"phosphorylat\w+|pathway|role|function\w*|essential|required|involved|promot\w+|modulat\w+|acts?|"
        r"target\w*|induc\w+|blocks?|suppress\w*)\b",
        _I,
    ),
    "cause": re.compile(
        r"\b(?:caus\w+|due to|result\w* (?:from|in)|mutations? (?:in|of)|leads? to|because|attributed|"
        r"responsible|underl\w+|inherit\w*|autosomal|x-linked|associated with|linked to|risk factor)\b",
        _I,
    ),
    "place": re.compile(
        r"\b(?:locat\w+|locali[sz]\w+|expressed in|found in|in the (?:\w+ ){0,2}(?:brain|liver|heart|kidney|lung|"
        r"nucleus|membrane|cytoplasm|mitochondri\w+|intestine|blood|bone|skin)|chromosome|oral\w*|intraven\w*|"
        r"subcutaneous\w*|endemic|africa|asia|europe|china)\b",
        _I,
    ),
    "method": re.compile(
        r"\b(?:software|package|web server|database|algorithm|test|assay|method|tool|pipeline|available at|score|"
        r"criteria|scale|imaging|sequencing|mri|ct|pcr|diagnos\w+|index|questionnaire)\b",
        _I,
    ),
    "several": re.compile(
        r"(?:\w+, ){2,}(?:and|or)\b|\bsuch as\b|\binclud(?:e|es|ed|ing)\b|\bnamely\b|\be\.g\.|:\s*\w+,|\((?:i|1|a)\)",
        _I,
    ),
    "closed": re.compile(
        r"\b(?:not|no|significant\w*|effective\w*|associated|evidence|increas\w*|reduc\w*|caus\w*|shown|"
        r"suggest\w*|can|does|is)\b",
        _I,
    ),
}
"""By kind of question (`question_kinds.KINDS`): whether a sentence holds something of the kind."""

NOT_PROSE = re.compile(
    r"https?://|www\.|\bdoi\b|@\w+\.|\bcopyright\b|©|\blicen[sc]e\b|creative commons|all rights reserved|"
    r"correspond(?:ing author|ence)|\bet al\.?,? \d{4}|\bISSN\b|\bPMC?ID\b|^\W*(?:fig(?:ure)?|table|box|scheme|"
    r"supplementary|additional file)s?\.?\s*\w{1,4}\b|\b(?:university|department of|institute of|"
    r"faculty of)\b.*\b(?:university|hospital|school|china|usa|japan|india|germany)\b|\b(?:conflicts? of interest|"
    r"competing interests?|funding|acknowledg\w+|author contributions?|ethics approval)\b|"
    r"^\W*(?:\[?\d{1,3}\]?[.)]?\s+)?(?:[A-Z][\w'-]+ [A-Z]{1,3}[,;] ?){2,}",
    _I,
)
"""Front matter, references, legends and links: not quoted, except where nothing else is there."""
