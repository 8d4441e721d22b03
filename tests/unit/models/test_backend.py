"""References to models, and keys that never show."""

from __future__ import annotations

import copy
import json
import pickle

import orjson
import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import ModelKnobs
from whileai_exp.models import Secret, connect
from whileai_exp.plan.types import ModelRef

KNOBS = ModelKnobs()


def test_a_missing_key_names_its_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        connect(ModelRef("openai", "gpt"), timeout_s=1, knobs=KNOBS)
    with pytest.raises(ConfigError, match="TEAM_KEY is not set"):
        connect(ModelRef("vllm", "m", api_key_env="TEAM_KEY"), timeout_s=1, knobs=KNOBS)


def test_the_usual_key_may_be_missing_for_an_address_of_ones_own(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ref = ModelRef("openai", "gpt", ("http://localhost:1/v1",), api_key_env="OPENAI_API_KEY")
    assert connect(ref, timeout_s=1, knobs=KNOBS).model == "gpt"


def test_an_unknown_kind_suggests_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'ollama'"):
        connect(ModelRef("olama", "m"), timeout_s=1, knobs=KNOBS)


def test_a_secret_cannot_be_printed_copied_or_serialised():
    secret = Secret("KEY", "sk-canary-12345")
    shown = f"{secret} {secret!r} {secret!s} {secret:>30} {[secret]} {vars(type(secret))}"
    assert "canary" not in shown
    for spill in (pickle.dumps, orjson.dumps, json.dumps):
        with pytest.raises(TypeError):
            spill(secret)
    assert copy.deepcopy(secret) is secret
    assert secret.reveal() == "sk-canary-12345"


def test_a_key_from_the_environment_is_not_reachable_by_printing_the_model(monkeypatch):
    monkeypatch.setenv("TEAM_KEY", "sk-canary-12345")
    model = connect(ModelRef("vllm", "m", api_key_env="TEAM_KEY"), timeout_s=1, knobs=KNOBS)
    assert "canary" not in repr(vars(model)) + repr(vars(model._transport))  # type: ignore[attr-defined]
