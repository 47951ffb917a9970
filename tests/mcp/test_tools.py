"""What each tool finds: quotes with their places, a status for each of a batch, retractions marked."""

from __future__ import annotations

from typing import Any

from mcp_talk import LONG, PAPERS, Talking, text

from medground.pubmed.normalize import normalize

DOCUMENTS = {document.id: document for document in PAPERS}


def check_quotes(quotes: list[dict[str, Any]]) -> None:
    """Each quote is in its document where its offsets say."""
    for quote in quotes:
        document = DOCUMENTS.get(quote["document_id"])
        if document is not None and document.id != "PMID:2":
            assert document.text[quote["start"] : quote["end"]] == quote["quote"]
        assert quote["end"] - quote["start"] == len(quote["quote"])


async def test_an_answer_has_citations_that_stand_in_their_documents(talking: Talking) -> None:
    async with talking() as talk:
        found = await talk.found("ask", question="Does aspirin reduce the risk of stroke in adults?")
        assert found["status"] in ("not judged", "decided")
        cited = {citation["id"]: citation for citation in found["citations"]}
        check_quotes(found["citations"])
        for sentence in found["sentences"]:
            assert sentence["verdict"]
            assert set(sentence["citations"]) <= cited.keys()
        assert {c["document_id"] for c in cited.values()} <= {d["id"] for d in found["documents"]}
        answer = await talk.service.answer(found["trace_id"])
        assert [(e.document_id, e.start, e.end) for e in answer.evidence] == [
            (c["document_id"], c["start"], c["end"]) for c in found["citations"]
        ]


async def test_a_follow_up_and_years_are_passed_on_and_research_gives_a_report(talking: Talking) -> None:
    async with talking() as talk:
        first = await talk.found("ask", question="Does aspirin reduce the risk of stroke in adults?", year_to=2001)
        assert {d["id"] for d in first["documents"]} == {"PMID:1"}
        second = await talk.found("ask", question="Does it reduce gout?", follow=first["trace_id"])
        answer = await talk.service.answer(second["trace_id"])
        assert answer.question.follows is not None
        assert (await talk.refused("ask", question="Why?", follow="nobodys"))["error"] == "Not found"
        found = await talk.found("research", question="How does aspirin change the risk of stroke in adults?")
        assert found["trace_id"]
        check_quotes(found.get("citations", []))


async def test_search_gives_verbatim_passages_and_tells_failed_from_empty(talking: Talking) -> None:
    async with talking() as talk:
        found = await talk.found("search", query="aspirin stroke", limit=5)
        check_quotes(found["results"])
        by_id = {result["id"]: result for result in found["results"]}
        assert by_id["PMID:1"]["url"] == "https://pubmed.ncbi.nlm.nih.gov/1/"
        assert by_id["PMID:3"]["retraction"] == "retracted"
        nothing = await talk.found("search", query="xylophone")
        assert nothing["results"] == []
        assert {search["status"] for search in nothing["searches"]} == {"empty"}


async def test_a_retraction_is_marked_wherever_the_paper_appears(talking: Talking) -> None:
    async with talking() as talk:
        searched = await talk.call("search", query="aspirin abolished stroke in all adults")
        fetched = await talk.call("fetch", id="PMID:3")
        several = await talk.call("get_document", ids=["PMID:3"])
        asked = await talk.call("ask", question="Did aspirin abolish stroke in all adults?")
        for result in (searched, fetched, several):
            assert "RETRACTED" in text(result)
        assert (fetched.structured_content or {})["metadata"]["retraction"] == "retracted"
        (document,) = (several.structured_content or {})["documents"]
        assert document["retraction"] == "retracted"
        answer = asked.structured_content or {}
        for kind in ("citations", "documents"):
            for entry in answer.get(kind, []):
                if entry.get("document_id", entry.get("id")) == "PMID:3":
                    assert entry["retraction"] == "retracted"
        assert all(c["document_id"] != "PMID:3" for c in answer.get("citations", []))


async def test_a_long_document_comes_in_pages_that_join_to_its_text(talking: Talking) -> None:
    async with talking() as talk:
        page = await talk.found("fetch", id="BOOK:long")
        pieces = [page["text"]]
        while page["truncated"]:
            page = await talk.found("read_more", cursor=page["cursor"])
            assert page["tool"] == "fetch"
            assert LONG[page["start"] : page["end"]] == " ".join([page["text"]]) or "\n" in LONG
            pieces.append(page["text"])
        assert len(pieces) > 2
        assert "".join(pieces) == LONG


async def test_a_batch_of_documents_has_a_status_for_each(talking: Talking) -> None:
    async with talking() as talk:
        found = await talk.found("get_document", ids=["PMID:1", "PMID:404", "not an id", "PMID:1"])
        statuses = [(one["id"], one["status"]) for one in found["documents"]]
        assert statuses == [("PMID:1", "found"), ("PMID:404", "not found"), ("not an id", "not found")]
        first = found["documents"][0]
        assert first["text"] == DOCUMENTS["PMID:1"].text
        assert [section["label"] for section in first["sections"]] == ["BACKGROUND", "RESULTS"]
        assert all(one["next"] for one in found["documents"][1:])


async def test_claims_are_checked_one_by_one(talking: Talking) -> None:
    async with talking() as talk:
        claims = ["Aspirin reduced the risk of stroke in adults.", "Xylophones are loud."]
        found = await talk.found("verify_claim", claims=claims)
        assert [one["claim"] for one in found["claims"]] == [1, 2]
        check_quotes(found["citations"])
        cited = {citation["id"]: citation for citation in found["citations"]}
        assert cited[found["claims"][0]["citations"][0]]["document_id"] == "PMID:1"


async def test_a_question_becomes_a_query_that_pubmed_accepts(talking: Talking) -> None:
    async with talking() as talk:
        found = await talk.found("plan_query", question="Does aspirin prevent stroke in women since 2010?")
        assert normalize(found["query"]).notes == ()
        assert "2010:3000" in found["query"]
        assert [term["heading"] for term in found["terms"]][:1] == ["Aspirin"]
        assert found["url"].startswith("https://pubmed.ncbi.nlm.nih.gov/?term=")


async def test_headings_and_phenotypes_are_found_by_name_synonym_and_id(talking: Talking) -> None:
    async with talking() as talk:
        mesh = await talk.found("lookup_mesh", terms=["heart attack", "D009203", "hart atack"])
        assert [term["status"] for term in mesh["terms"]] == ["found", "found", "not found"]
        assert {term["heading"] for term in mesh["terms"][:2]} == {"Myocardial Infarction"}
        assert mesh["terms"][2]["nearest"]
        found = await talk.found("lookup_phenotype", terms=["HP:1", "Long fingers", "spider fingers", "nothing"])
        assert [term["status"] for term in found["terms"]] == ["found"] * 3 + ["not found"]
        assert [term.get("matched_by") for term in found["terms"]] == ["id", "name", "exact", None]
        assert found["terms"][0]["broader"] == ["Hand abnormality (HP:2)"]
        assert "Fingers that are long." in found["quotes"][0]["quote"]


async def test_without_a_graph_a_lookup_is_an_error_and_not_an_empty_list(talking: Talking) -> None:
    async with talking(options={"retrieval.corpora": ("papers",)}) as talk:
        problem = await talk.refused("lookup_phenotype", terms=["HP:1"])
        assert "no knowledge graph is open" in problem["detail"]
