"""Texts that people and models send as PubMed queries: pieces of its language, of other systems and of prose."""

from hypothesis import strategies as st

_WORDS = "asthma AND OR NOT and or ( ) [ ] [tiab] [mh] [dp] [pt] [sh] [au] [all] [pmid] [mh:noexp] [tiab:~3] [sb] [zz]"
_SIGNS = '[tabi] 2010 : 2020/05 * therap* #1 & | - neoplasms/dt é 漢 hasabstract ``` ` { “ ’ " query: &amp; \\" **'
_PHRASES = ("heart attack", "last 5 years", "vitamin c", "Here is it:\n", "\n", "\x00", "Marfan Sindrome")
_PIECES = st.sampled_from((*_WORDS.split(), *_SIGNS.split(), *_PHRASES))
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(_PIECES, max_size=14).map(" ".join), st.lists(_PIECES, max_size=9).map("".join)
)
