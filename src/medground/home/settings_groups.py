"""The groups of settings that all recipes share, and the base of the sections that recipes and sources declare."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, SecretStr, model_validator

from medground.values.document import AtLeastOne, Described, Frozen, Proportion


def listed(value: Any) -> Any:
    """`a,b` from the environment or the command line means a list."""
    return tuple(v.strip() for v in value.split(",") if v.strip()) if isinstance(value, str) else value


Listed = Annotated[tuple[str, ...], BeforeValidator(listed)]


class SettingsSection(Frozen):
    """Base of the settings that only one source, one recipe, or a few related ones read. Every field has a default."""

    section: ClassVar[str]
    """Its name in settings files, with underscores."""

    @property
    def models(self) -> Mapping[str, str]:
        """Models of operators that these settings imply, such as a trained one; those in `model.operators` win."""
        return {}


Effort = Literal["none", "minimal", "low", "medium", "high"]
"""How much a model reasons before it answers."""
ProfileName = Literal["openai", "anthropic", "ollama", "llama.cpp", "vllm", "generic"]
"""A kind of model server: `models/profiles.py` says what each takes."""
_EFFORT = "how much a model reasons before it answers; without a value, as it does by itself"


class ModelSettings(Described):
    """Who answers operators. Names: `keyless`, `local[:PATH]`, or a pydantic-ai name such as `openai:gpt-5`."""

    default: str = "keyless"
    """the model to use, unless `operators` names another"""
    operators: dict[str, str] = Field(default_factory=dict)
    """operator name to model name"""
    base_url: str | None = None
    """an OpenAI-compatible address for `openai:` names"""
    timeout: PositiveFloat = 60.0
    """seconds for one model call"""
    retries: NonNegativeInt = 2
    """maximum further attempts after invalid output"""
    temperature: NonNegativeFloat = 0.0
    """0: the likeliest answer"""
    reasoning: Effort | None = Field(default=None, description=_EFFORT)
    concurrency: AtLeastOne = 8
    """model calls at the same time"""
    cache: bool = True
    """reuse stored model calls"""


class CallSettings(Described):
    """How a model is asked; what is not set is as in `model`."""

    temperature: NonNegativeFloat = 0.0
    """0: the likeliest answer"""
    timeout: PositiveFloat = 60.0
    """seconds for one model call"""
    retries: NonNegativeInt = 2
    """maximum further attempts after invalid output"""
    longest: AtLeastOne | None = None
    """maximum tokens of an answer"""
    reasoning: Effort | None = Field(default=None, description=_EFFORT)


class ServerSettings(CallSettings):
    """How one model is reached and asked (`models.NAME`); what is not set is as in `model`."""

    base_url: str | None = None
    """the address of its server, in the style of its provider"""
    context: AtLeastOne | None = None
    """maximum tokens of a prompt and its answer together"""
    structured: Literal["server", "prompt"] = "server"
    """who holds its output to a form: its server, by a schema, or the prompt alone"""
    profile: ProfileName | None = None
    """the kind of its server; without a value, by its provider and address"""


class OperatorSettings(CallSettings):
    """How one operator is asked (`operators.NAME`); what is not set is as for its model."""

    instructions: Path | None = None
    """a file with a prompt of your own, from this folder or `HOME/prompts`"""
    typed: bool = True
    """off: the reply has the form that your prompt asks for, such as prose with an answer"""


class BudgetSettings(Described):
    """Limits of one question; without a value there is none."""

    tokens: NonNegativeInt | None = None
    """maximum tokens, in and out"""
    calls: NonNegativeInt | None = None
    """most model calls"""
    seconds: PositiveFloat | None = None
    """most seconds"""
    money: Decimal | None = Field(default=None, ge=0)
    """maximum cost in US dollars"""


class RetrievalSettings(Described):
    """What is searched, and how much of it is kept."""

    corpora: Listed = ("starter",)
    """names of the corpora to search; where none is named, all that are built too"""
    knowledge_base: Annotated[str | None, BeforeValidator(lambda name: name or None)] = None
    """a knowledge base; its sources are searched, and `corpora` only if they are named too"""
    sources: Listed = ()
    """further sources by name, such as `pubmed`"""
    pubmed: str | None = None
    """`live`, or the address of an E-utilities service"""
    email: str | None = None
    """sent to PubMed with each request, as NCBI asks"""
    replay: Path | None = None
    """a folder of recorded replies to use instead of the network"""
    record: Path | None = None
    """a folder in which to record service replies"""
    depth: int = Field(default=100, ge=1, le=10_000)
    """hits per ranker before fusion"""
    fusion_k: AtLeastOne = 60
    """constant of reciprocal rank fusion (K)"""
    keep: AtLeastOne = 20
    """hits left after reranking (M_max)"""
    dense: bool = True
    """use vectors where a snapshot has them"""
    reranker: str = "none"
    """`none`, `medcpt`, or the name or folder of a cross-encoder"""

    @model_validator(mode="before")
    @classmethod
    def _knowledge_base_for_starter(cls, data: Any) -> Any:
        """A knowledge base stands in place of the starter corpus, which is searched where nothing else is named."""
        if isinstance(data, dict) and data.get("knowledge_base") and "corpora" not in data:
            return data | {"corpora": ()}
        return data


class RecipeSettings(Described):
    """How questions are answered. What only one recipe reads is in the group of its name."""

    name: str = "ground"
    """the recipe"""
    batch: AtLeastOne = 5
    """documents read together (m)"""
    rounds: AtLeastOne = 3
    """maximum rounds of searching and writing"""
    sentences: AtLeastOne = 3
    """maximum sentences in a rationale without a model; of a comparison twice as many"""
    retractions: bool = True
    """list retracted papers instead of reading them; off, recipes of papers read them, as published"""
    own_knowledge: bool = Field(
        default=False,
        description="let a recipe of a paper ask a model to add or answer from what it knows, without evidence; what "
        "it then writes is left out, or shown marked: verify.own_knowledge",
    )
    definite: bool = False
    """have a model answer every closed question, as prompts of papers do: no answer is not accepted"""


class ReadSettings(Frozen):
    """What a model is shown of the documents found."""

    tokens: int | None = Field(
        default=None,
        ge=100,
        description="about so many tokens of excerpts; without a value 6,000, as far as the model's context allows, "
        "and 600 for `local`",
    )


class VerifySettings(Described):
    """How written sentences are checked."""

    critic: str = Field(
        default="check",
        description="`check`: the model that answers that operator; `critic` (fetched); `nli:` and an NLI model's "
        "folder or hub name; or `label`: none, so that statements only get their labels",
    )
    entailment: float = Field(default=0.5, gt=0, le=1)
    """minimum probability of entailment (tau)"""
    support: Proportion = 0.7
    """minimum share of supported statements (theta)"""
    contradiction: bool = True
    """of an NLI model: contradiction above the highest entailment overrules it"""
    context: AtLeastOne | None = None
    """only the first j passages are evidence (CONTEXT-j)"""
    taxonomy: bool = True
    """give each statement one of the eight labels"""
    unsupported: Literal["flag", "drop"] = "flag"
    own_knowledge: Literal["drop", "mark"] = "drop"
    """a model's sentence that cites no evidence: leave it out, or show it marked as such"""
    gate: bool = True
    """hold back what the evidence does not support; off: verification is shown and decides nothing"""
    trusted_judges: Listed = ()
    """models whose verdicts count without having been measured"""
    measured_judges: Listed = ()
    """models that passed `medground judge measure` on this machine; detected"""
    unproven_judges: Listed = ()
    """models that it measured and that failed: word filters overrule them; detected"""


class TraceSettings(Described):
    """Where traces are sent, beside the home folder."""

    otlp_endpoint: str | None = None
    """address of an OpenTelemetry collector"""
    send_text: bool = False
    """send document and prompt text to the collector too"""


class KeySettings(Described):
    """Keys of hosted models, of NCBI and of search services.

    A model without one here reads its provider's variable (OPENAI_API_KEY). A server named by `models.NAME.base_url`
    is only sent `keys.models.NAME`.
    """

    models: dict[str, SecretStr] = Field(default_factory=dict)
    """model name to the key of its own server"""

    openai: SecretStr | None = None
    anthropic: SecretStr | None = None
    google: SecretStr | None = None
    ncbi: SecretStr | None = None
    sciencedirect: SecretStr | None = None
    brave: SecretStr | None = None
    oidc: SecretStr | None = None
    """the client's secret at the identity provider"""
    state: SecretStr | None = None
    """the password of the database that `serve.state` names"""


class OidcSettings(Described):
    """Sign-in by an identity provider (OpenID Connect), in addition to tokens; `keys.oidc` is the client's secret.

    A person has the highest role that one of their groups gives; `*` stands for every person. Without one they are
    refused. The limits are those of each person.
    """

    issuer: str = ""
    """address of the provider, as it names itself; empty: tokens alone"""
    client: str = ""
    """id of this server at the provider"""
    address: str = ""
    """public address of the page, such as `https://ask.example.org/med`"""
    title: str = "your organisation"
    """name of the provider on the page"""
    scopes: Listed = ("openid", "profile", "email")
    """what is asked of the provider"""
    person: str = "sub"
    """claim that tells people apart and never changes"""
    name: str = "preferred_username"
    """claim with the name that is shown"""
    groups: str = "groups"
    """claim with a person's groups; `a.b` is `b` within `a`"""
    readers: Listed = ()
    """groups that may ask"""
    editors: Listed = ()
    """groups that may also change collections"""
    admins: Listed = ()
    """groups that may also see who uses the server, and how"""
    money: Decimal | None = Field(default=None, ge=0)
    """maximum US dollars per month"""
    tokens: NonNegativeInt | None = None
    """maximum model tokens, in and out, per month"""

    @model_validator(mode="after")
    def _complete(self) -> OidcSettings:
        if self.issuer and not (self.client and self.address and (self.readers or self.editors or self.admins)):
            raise ValueError("sign-in needs client, address, and groups in readers, editors or admins")
        for given in filter(None, (self.issuer, self.address)):
            parts = urlsplit(given)
            local = parts.hostname in ("localhost", "127.0.0.1", "::1")
            if parts.scheme != "https" and not (parts.scheme == "http" and local):
                raise ValueError("issuer and address begin with https://, or http:// on this computer")
        return self


LogForm = Literal["text", "json", "off"]


class ServeSettings(Described):
    """What a server allows the people who ask it; nothing here changes an answer."""

    state: str | None = Field(
        default=None,
        description="a PostgreSQL database that servers share, such as `postgresql://USER@HOST/NAME`; without a value, "
        "a file in the home folder",
    )
    hosts: Listed = ()
    """host names accepted in addition to those of loopback"""
    proxies: Listed = ()
    """addresses or networks of proxies in front; their `X-Forwarded-For` says who asks"""
    models: Listed = ()
    """models that a question may name, besides `model.default`"""
    sources: Listed = ()
    """sources that a question may name, besides `retrieval.sources`"""
    concurrency: AtLeastOne = 8
    """questions and claims at the same time; others wait"""
    research: AtLeastOne = 2
    """reports and builds at the same time; others wait"""
    waiting: AtLeastOne = 1000
    """maximum queued questions and tasks; further ones are refused"""
    seconds: PositiveFloat = 120.0
    """maximum seconds for a question or a claim"""
    research_seconds: PositiveFloat = 3600.0
    """maximum seconds for research"""
    keep_days: AtLeastOne | None = None
    """days after which answers and their traces are deleted; without a value, never"""
    watched: NonNegativeInt = 5
    """most watched questions asked again in a minute; 0: none"""
    audit_days: AtLeastOne | None = None
    """days after which entries of the audit log are deleted; without a value, never"""
    audit_words: bool = False
    """whether the audit log holds what was asked, word for word"""
    log: LogForm = "text"
    """the log on standard error, a line for each request: `text`, `json` or `off`; never what was asked"""
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    """a port that answers `/metrics` without a token, for Prometheus"""
    oidc: OidcSettings = OidcSettings()
    body: int = Field(default=1_000_000, ge=1000)
    """maximum bytes of a request without an upload"""
    upload: int = Field(default=500_000_000, ge=1000)
    """maximum bytes of an upload"""
    upload_file: int = Field(default=200_000_000, ge=1000)
    """maximum bytes of one uploaded file"""
