"""Models served by a real server on this machine."""

from collections.abc import Callable

import pytest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from medground.home.settings_groups import ServerSettings
from medground.models.attempts import Retries
from medground.models.served import ServedModel

KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture
def key() -> str:
    """A secret that may only appear in the request's header."""
    return KEY


@pytest.fixture
def serve(loopback: None) -> Callable[..., ServedModel]:
    """Opens a model at an address, with very short waits."""

    def open_at(url: str, *, native: bool = True, server_retries: Retries | None = None) -> ServedModel:
        provider = OpenAICompatibleProvider(
            "stub", base_url=url, api_key=KEY, profile=ModelProfile(supports_json_schema_output=native)
        )
        return ServedModel(
            "openai:stub",
            OpenAIChatModel("stub", provider=provider),
            ServerSettings(timeout=120.0),
            server_retries=server_retries or Retries(first_wait=0.001),
            key_hint="MEDGROUND_KEYS__OPENAI",
            secrets=(KEY,),
        )

    return open_at
