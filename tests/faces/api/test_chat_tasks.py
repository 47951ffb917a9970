"""What chat clients order of a conversation is done in the form that they ask for; nothing is asked or kept for it.

The orders are worded as many clients do: with the conversation in tags, as lines, before it, or in a system message.
"""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from openai import BadRequestError, OpenAI
from rows import each_row

from medground.faces.api.chat_tasks import Form, Turn, reply_to

ASKED = "Does aspirin prevent myocardial infarction?"
SAID = "Aspirin prevented myocardial infarction in adults [E1]."
LINES = f"USER: {ASKED}\nASSISTANT: {SAID}"
TAGGED = f"<chat_history>\n{LINES}\n</chat_history>"
EARLIER = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}]
TITLE = "Aspirin and myocardial infarction"
ORDERS: list[tuple[str, Any]] = [
    (
        f'### Task:\nFind a short title for the chat.\n### Output:\n{{ "title": "the title" }}\n{TAGGED}',
        {"title": TITLE},
    ),
    (f"Name this conversation in five words or fewer. Reply with the name alone.\n\n{LINES}", TITLE),
    (f'Sum the dialogue up in a headline: {{"topic": "..."}}\n{LINES}', {"topic": TITLE}),
    (f'### Task:\nGive broad tags for the history. JSON: {{"tags": ["a", "b"]}}\n{TAGGED}', "tags"),
    (f"Extract topic keywords of this chat, comma-separated.\n{LINES}", ["Health", "aspirin", "myocardial infarction"]),
    (f'### Task:\nSuggest what to ask next.\nFormat: {{ "follow_ups": ["Question 1?"] }}\n{TAGGED}', "follow_ups"),
    (
        f'Based on the chat history, which search queries are needed? {{"queries": ["q"]}}\n{TAGGED}',
        {"queries": [ASKED]},
    ),
    (
        f'### Task:\nYou are an autocompletion system.\n{{ "text": "..." }}\n{TAGGED}\n<text>aspirin and</text>',
        {"text": ""},
    ),
    (f'### Task:\nWrite a prompt for an image generator. {{"prompt": "..."}}\n{TAGGED}', "prompt"),
    ("Show the face of the speaker by one fitting emoji.\n\nMessage: ```I am worried```", "🤔"),
    (f"### Task:\nCondense the conversation.\n\n### Messages:\n{LINES}", f"User: {ASKED}\nAssistant: {SAID}"),
    (
        f"Rephrase the last message as a standalone question.\n{LINES}\nUser: And stroke?\nStandalone question:",
        "stroke?",
    ),
]


def ask(address: str, message: str, **more: Any) -> httpx2.Response:
    """The reply to a message; `system` and `earlier` come before it."""
    system = [{"role": "system", "content": more.pop("system")}] if "system" in more else []
    messages = [*system, *more.pop("earlier", ()), {"role": "user", "content": message}]
    body = {"model": "ground", "messages": messages, **more}
    return httpx2.post(f"{address}/v1/chat/completions", json=body, timeout=120)


def said(reply: httpx2.Response) -> str:
    """The text of a reply of which nothing is kept."""
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert "medground" not in body
    content: str = body["choices"][0]["message"]["content"]
    return content


def kept(address: str) -> int:
    """How many answers are kept."""
    return len(httpx2.get(f"{address}/v1/answers", params={"limit": 200}).json()["answers"])


@each_row("order, expected", ORDERS)
def test_an_order_is_done_in_its_form_and_nothing_is_kept(address: str, order: str, expected: Any) -> None:
    before = kept(address)
    text = said(ask(address, order))
    respond = OpenAI(base_url=f"{address}/v1", api_key="none").responses.create
    assert respond(model="ground", input=order).output_text == text
    if isinstance(expected, dict):
        assert json.loads(text) == expected
    elif isinstance(expected, list):
        assert text == ", ".join(expected)
    elif expected in ("tags", "follow_ups", "prompt"):
        assert json.loads(text)[expected]
    else:
        assert text.endswith(expected)
    assert kept(address) == before


def test_orders_after_messages_and_of_system_messages_are_done_too(address: str) -> None:
    assert said(ask(address, "Write a title for our conversation, nothing else.", earlier=EARLIER)) == TITLE
    system = "You will generate a short title based on the first message of the user. Do not answer it."
    assert said(ask(address, ASKED, system=system)) == TITLE
    choice = 'Available Tools: [{"name": "weather"}]\nReply with {"tool_calls": []} if none fits.'
    assert json.loads(said(ask(address, f'Query: History:\nUSER: """{ASKED}"""\nQuery: {ASKED}', system=choice))) == {
        "tool_calls": []
    }


def test_an_order_can_be_streamed_and_a_form_that_is_not_served_is_refused(client: OpenAI, address: str) -> None:
    order = f"Analyze this conversation and provide:\n1. Its language\n2. A title\n\nUser: {ASKED}\nAI: {SAID}"
    stream = client.chat.completions.create(model="ground", messages=[{"role": "user", "content": order}], stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == TITLE
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    before = kept(address)
    for sent in ({"response_format": schema}, {"tool_choice": {"type": "function", "function": {"name": "x"}}}):
        refused = ask(address, order, **sent)
        assert refused.status_code == 400
        assert refused.json()["error"]["message"].startswith(next(iter(sent)))
    assert kept(address) == before


TITLED = {
    "type": "object",
    "properties": {"language": {"type": "string"}, "title": {"type": "string"}},
    "required": ["language", "title"],
}
FORMS: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    (TITLED, {"language": "English", "title": TITLE}),
    ({"properties": {"chatTitle": {"type": "string"}, "mood": {"type": "string"}}}, {"chatTitle": TITLE}),
    (
        {"properties": {"title": {"type": "string"}, "tags": {"type": "array", "maxItems": 2}}},
        {"title": TITLE, "tags": ["Health", "aspirin"]},
    ),
    ({**TITLED, "required": ["title", "mood"]}, None),
    ({"properties": {"city": {"type": "string"}}}, None),
    ({"properties": ["title"]}, None),
]


@each_row("schema, expected", FORMS)
def test_an_order_is_done_as_the_call_of_a_function_or_json_of_a_schema(
    client: OpenAI, address: str, schema: Any, expected: Any
) -> None:
    order: list[Any] = [{"role": "user", "content": f"Generate a title for this conversation.\n\n{LINES}"}]
    before = kept(address)
    wrong = {"name": "other", "parameters": TITLED}
    function, form = {"name": "titled", "parameters": schema}, {"name": "titled", "schema": schema}
    tools: list[Any] = [{"type": "function", "function": one} for one in (wrong, function)]
    chosen: Any = {"type": "function", "function": {"name": "titled"}}
    create, respond = client.chat.completions.create, client.responses.create
    flat: list[Any] = [{"type": "function", **function}]
    calls: list[Callable[[], str | None]] = [
        lambda: _arguments(create(model="ground", messages=order, tools=tools, tool_choice=chosen)),
        lambda: "".join(
            chunk.choices[0].delta.tool_calls[0].function.arguments  # type: ignore[index, misc, union-attr]
            for chunk in create(model="ground", messages=order, tools=tools, tool_choice=chosen, stream=True)
        ),
        lambda: (
            create(
                model="ground",
                messages=order,
                response_format={"type": "json_schema", "json_schema": form},  # type: ignore[typeddict-item]
            )
            .choices[0]
            .message.content
        ),
        lambda: respond(model="ground", input=order, tools=flat, tool_choice="required").output[0].arguments,  # type: ignore[union-attr]
        lambda: next(
            event.arguments
            for event in respond(model="ground", input=order, tools=flat, tool_choice="required", stream=True)
            if event.type == "response.function_call_arguments.done"
        ),
        lambda: respond(model="ground", input=order, text={"format": {"type": "json_schema", **form}}).output_text,  # type: ignore[misc]
    ]
    for call in calls:
        if expected is None:
            with pytest.raises(BadRequestError, match="an answer is text"):
                call()
        else:
            assert json.loads(call() or "") == expected
    assert kept(address) == before


def _arguments(reply: Any) -> str:
    (call,) = reply.choices[0].message.tool_calls
    assert (reply.choices[0].finish_reason, call.function.name) == ("tool_calls", "titled")
    arguments: str = call.function.arguments
    return arguments


@each_row("sent", [{"tool_choice": "required", "tools": [5]}, {"text": {"format": {"type": "json_object"}}}])
def test_a_question_is_refused_in_a_form_that_no_answer_has(address: str, sent: Any) -> None:
    before = kept(address)
    for path, asked in (("chat/completions", {"messages": EARLIER[:1]}), ("responses", {"input": ASKED})):
        reply = httpx2.post(f"{address}/v1/{path}", json={"model": "ground", **asked, **sent}, timeout=120)
        assert (reply.status_code, kept(address)) == (400, before)


@each_row(
    "question, system",
    [
        (
            ASKED,
            "You are Ann of a clinic. Greet the user. Suggest follow-up questions after answers. Use short titles.",
        ),
        ("Which keywords do patients type into search engines before a heart attack?", ""),
        ("Summarize the evidence on aspirin for myocardial infarction.", ""),
        ("What tag SNPs are associated with myocardial infarction?", ""),
    ],
)
def test_a_question_stays_one(address: str, question: str, system: str) -> None:
    before = kept(address)
    reply = ask(address, question, system=system, earlier=EARLIER).json()
    assert reply["medground"]["trace_id"]
    assert kept(address) == before + 1
    assert "Ann of a clinic" not in reply["choices"][0]["message"]["content"]


@pytest.mark.parametrize("wrapped", ["<context>\n<source>A garden.</source>\n</context>\n\n{}", 'Their query: "{}"'])
def test_a_question_among_instructions_is_the_question(address: str, wrapped: str) -> None:
    message = "### Task:\nRespond to the user with the context.\n" + wrapped.format(ASKED)
    answer = ask(address, message).json()
    answer = httpx2.get(f"{address}/v1/answers/{answer['medground']['trace_id']}").json()
    assert answer["question"]["text"] == ASKED


@each_row(
    "question",
    [
        "Continue statins with a history of hemorrhagic stroke",
        "Summarize the natural history of hepatitis C",
        "Please summarize messages that patients should get about warfarin",
        "Which labels do drug history forms have",
        "Can emojis in messages help people with depression",
        "What follow-up questions should I ask my doctor about this discussion",
        "68 y man with CLL on rituximab\nResponse: partial\nShould we continue?",
        "AI: aortic insufficiency grade 2\nSummarize when to operate",
        "Task shifting for HIV care, summarize the evidence",
    ],
)
def test_what_is_asked_in_words_of_an_order_is_a_question(question: str) -> None:
    for earlier in ((), (Turn(True, ASKED), Turn(False, SAID))):
        assert reply_to("You are a doctor. Set titles in bold for the user.", earlier, question, Form()) is None
