"""The process behind `local:` models: llama.cpp's own server over one GGUF file, on a free port of this machine.

    python -m whileai_exp.models._local_server MODEL.gguf SLOTS CONTEXT_TOKENS NAME

prints its address and serves until its standard input closes, so it ends with whoever started it, however they end.
One thread: on shared cores more threads wait for each other in spin barriers.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

TEMPLATE = """
{%- set has_system = messages and messages[0].role == 'system' -%}
{{- '<|im_start|>system\\n' + (messages[0].content if has_system else 'You are a helpful assistant.') -}}
{%- if tools -%}
{{- '\\n\\nYour tools:' -}}
{%- for tool in tools -%}{{- '\\n' + (tool.function | tojson) -}}{%- endfor -%}
{{- '\\n\\nTo use one, reply with CALL: and one JSON object {"name": ..., "arguments": {...}}. Otherwise answer in words.' -}}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- if tools -%}
{{- '<|im_start|>user\\nIs it raining in Oslo?<|im_end|>\\n' -}}
{{- '<|im_start|>assistant\\nCALL: {"name": "look_outside", "arguments": {"place": "Oslo"}}<|im_end|>\\n' -}}
{{- '<|im_start|>user\\n<tool_response>\\n{"rain": false}\\n</tool_response><|im_end|>\\n' -}}
{{- '<|im_start|>assistant\\nNo, it is dry in Oslo.<|im_end|>\\n' -}}
{{- '<|im_start|>user\\nPlease close ticket B52.<|im_end|>\\n' -}}
{{- '<|im_start|>assistant\\nCALL: {"name": "close_ticket", "arguments": {"ticket_id": "B52"}}<|im_end|>\\n' -}}
{{- '<|im_start|>user\\n<tool_response>\\n{"closed": true}\\n</tool_response><|im_end|>\\n' -}}
{{- '<|im_start|>assistant\\nTicket B52 is closed.<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'system' and loop.first -%}
{%- elif message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' -}}
{%- elif message.role == 'assistant' and message.tool_calls -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if message.content -%}{{- message.content + '\\n' -}}{%- endif -%}
{%- for call in message.tool_calls -%}
{{- 'CALL: {"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- else -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""
"""A chat template with tools for models whose own has none; the marker lets the server force a call's JSON."""


def serve(path: str, slots: int, context_tokens: int, name: str) -> None:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.model_alias = {name}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = context_tokens * slots
    settings.n_parallel = slots
    settings.kv_unified = False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.n_gpu_layers = 0
    settings.use_jinja = True
    settings.ui = False
    settings.chat_template = TEMPLATE
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"serving {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
