"""What real readers make of our files: `datasets` and TRL, on the CPU, with a random model made on the spot."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai

pytestmark = [pytest.mark.optin, pytest.mark.timeout(600)]
os.environ.setdefault("HF_HUB_OFFLINE", "1")
ROOT = Path(__file__).resolve().parents[3]
JSON_FORMATS = ("openai", "trl", "prompt_completion", "preference", "grpo")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every format of one offline run."""
    pytest.importorskip("datasets")
    data = wai.simulate(agent="scripted", spec=ROOT / "experiments" / "refunds", mode="rl", situations=40, repeats=4, seed=3)
    scored = data.grade(judge="task_checklist")
    folder = tmp_path_factory.mktemp("exports")
    made = {}
    for name in (*JSON_FORMATS, "verl", "parquet"):
        made[name] = folder / f"{name}{'.parquet' if name in ('verl', 'parquet') else '.jsonl'}"
        wai.export_dataset(scored, made[name], format=name)
    return made


def loaded(path: Path, tmp_path: Path) -> Any:
    import datasets

    kind = "parquet" if path.suffix == ".parquet" else "json"
    return datasets.load_dataset(kind, data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))


def tokenizer(template: str) -> Any:
    """A byte-level tokenizer with one of TRL's own chat templates."""
    import transformers
    import trl
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.trainers import BpeTrainer

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<pad>", "<|im_start|>", "<|im_end|>"]
    made.train_from_iterator(
        ["hello"], BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    )
    out = transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<|im_end|>")
    out.chat_template = (Path(trl.__file__).parent / "chat_templates" / template).read_text("utf-8")
    return out


def tiny_model(vocabulary: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, eos_token_id=2, bos_token_id=1,
        )
    )  # fmt: skip


def weights(model: Any) -> Any:
    return model.model.layers[0].self_attn.q_proj.weight.detach().clone()


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_datasets_reads_what_was_written_and_pads_nothing(name: str, files: dict[str, Path], tmp_path: Path):  # B73
    lines = [json.loads(line) for line in files[name].read_text("utf-8").split("\n") if line]
    assert list(loaded(files[name], tmp_path)) == lines


def test_datasets_reads_the_tables(files: dict[str, Path], tmp_path: Path):
    first = loaded(files["verl"], tmp_path)[0]
    assert first["prompt"][-1]["role"] == "user" and set(first["reward_model"]) == {"style", "ground_truth"}
    assert len(loaded(files["parquet"], tmp_path)) == sum(1 for _ in wai.iter_rows(files["parquet"]))


@pytest.mark.parametrize("template", ["qwen3_training.jinja", "qwen2_5_training.jinja", "llama3_1.jinja"])
@pytest.mark.parametrize("name", ["trl", "prompt_completion", "preference", "grpo"])
def test_trl_takes_every_record_through_its_chat_templates(name: str, template: str, files: dict[str, Path], tmp_path: Path):
    pytest.importorskip("trl")
    from trl.data_utils import apply_chat_template, is_conversational

    made = tokenizer(template)
    for record in loaded(files[name], tmp_path).take(12):
        example = {key: record[key] for key in ("prompt", "completion", "messages", "chosen", "rejected") if key in record}
        assert is_conversational(example)
        texts = apply_chat_template(example, made, tools=json.loads(record["tools"]))
        assert all(texts.values()) and "None" not in str(texts)
        assert '"{\\"' not in str(texts), "arguments were encoded twice"


def test_a_supervised_step_trains_on_the_agents_words_only(files: dict[str, Path], tmp_path: Path):
    pytest.importorskip("trl")
    from trl import SFTConfig, SFTTrainer

    for name, only in (("trl", True), ("prompt_completion", False)):
        made = tokenizer("qwen3_training.jinja")
        model = tiny_model(len(made))
        before = weights(model)
        config = SFTConfig(
            output_dir=str(tmp_path / name), max_steps=1, per_device_train_batch_size=2, use_cpu=True, bf16=False, report_to=[],
            save_strategy="no", max_length=8192, assistant_only_loss=only, learning_rate=1e-2, disable_tqdm=True,
        )  # fmt: skip
        data = loaded(files[name], tmp_path).select(range(4))
        trainer = SFTTrainer(model=model, args=config, train_dataset=data, processing_class=made)
        for record, made_of in zip(data, trainer.train_dataset):
            seen = made.decode([label for label in made_of["labels"] if label != -100])
            turns = record["messages"] if only else record["prompt"] + record["completion"]
            trained = [turn for turn in (turns if only else record["completion"]) if turn["role"] == "assistant"]
            assert all(turn["content"].strip() in seen for turn in trained)
            assert all(call["function"]["name"] in seen for turn in trained for call in turn.get("tool_calls", ()))
            assert seen.count("<|im_end|>") == len(trained)
            assert not any(turn["content"] in seen for turn in turns if turn["role"] != "assistant")
        trainer.train()
        assert not (weights(model) == before).all()


def test_a_grpo_step_runs_on_our_prompts_and_is_handed_the_task(files: dict[str, Path], tmp_path: Path):
    pytest.importorskip("trl")
    from trl import GRPOConfig, GRPOTrainer

    handed: list[Any] = []

    def reward(prompts: list[Any], completions: list[Any], info: list[str], task_id: list[str], **more: Any) -> list[float]:
        handed.extend(zip(task_id, map(json.loads, info)))
        return [float(n % 2) for n, _ in enumerate(completions)]

    made = tokenizer("qwen3_training.jinja")
    model = tiny_model(len(made))
    before = weights(model)
    config = GRPOConfig(
        output_dir=str(tmp_path / "grpo"), max_steps=1, per_device_train_batch_size=4, num_generations=4, use_cpu=True, bf16=False,
        max_completion_length=8, beta=0.0, report_to=[], save_strategy="no", learning_rate=1e-2, disable_tqdm=True,
    )  # fmt: skip
    data = loaded(files["grpo"], tmp_path)
    trainer = GRPOTrainer(model=model, reward_funcs=reward, args=config, train_dataset=data, processing_class=made)
    trainer.train()
    assert handed and all(info["task_id"] == task for task, info in handed)
    assert not (weights(model) == before).all()


def test_a_preference_step_runs_on_our_pairs(files: dict[str, Path], tmp_path: Path):
    pytest.importorskip("trl")
    from trl import DPOConfig, DPOTrainer

    made = tokenizer("qwen3_training.jinja")
    model, reference = tiny_model(len(made)), tiny_model(len(made))
    before = weights(model)
    config = DPOConfig(
        output_dir=str(tmp_path / "dpo"), max_steps=1, per_device_train_batch_size=2, use_cpu=True, bf16=False, report_to=[],
        save_strategy="no", max_length=8192, learning_rate=1e-2, disable_tqdm=True,
    )  # fmt: skip
    data = loaded(files["preference"], tmp_path).select(range(4))
    DPOTrainer(model=model, ref_model=reference, args=config, train_dataset=data, processing_class=made).train()
    assert not (weights(model) == before).all()
