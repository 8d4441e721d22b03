"""One episode of a chat model: it talks to a simulated person, acts on a world, and every way it can end has a status.

The loop is model turn, tool calls, model turn, … until the model speaks; then the person answers or ends it. Calls of
one turn are carried out in order. A call whose arguments do not parse gets an error it can read; a turn that was cut at
the token cap is never carried out. A person who is done with their last word still lets the agent act on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._rng import Rng
from ..errors import BackendError, DiskError, KeyRefused, ReplayMismatch, WorldError
from ..knobs import RolloutKnobs
from ..ports import Address, ChatModel, ChatRequest, Person, PersonFactory, Reply, ToolCall, World, WorldFactory
from ..schema import (
    AgentStep,
    PolicyIdentity,
    Rollout,
    RolloutStatus,
    Sampling,
    Spec,
    Step,
    Task,
    ToolStep,
    Usage,
    UserStep,
)
from ..schema.steps import dumps
from .identity import group_id, rollout_id

CUT_CALL = "the turn was cut at the token cap; the call was not carried out"


@dataclass(slots=True)
class _Episode:
    """What one rollout has gathered so far."""

    task: Task
    repeat: int
    world: World
    person: Person | None
    messages: list[dict[str, Any]]
    steps: list[Step] = field(default_factory=list)
    usage: Usage = Usage()
    final_text: str = ""
    turns: int = 0
    lines: int = 0
    calls: int = 0
    ids: set[str] = field(default_factory=set)
    planted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _End:
    """Why an episode is over."""

    status: RolloutStatus
    ended_by: str
    finish: str = "stop"
    error: str | None = None


class ModelAgent:
    """A chat model as the agent under test (`ports.Agent`)."""

    def __init__(
        self,
        model: ChatModel,
        spec: Spec,
        *,
        world: WorldFactory,
        person: PersonFactory | None,
        sampling: Sampling,
        max_turns: int,
        knobs: RolloutKnobs,
        scaffold: str | None = None,
        logprobs: bool | str = False,
    ) -> None:
        """`person` None: one ask, and the agent's first words end the rollout. `scaffold` is appended to the system prompt
        and is not part of the policy's identity. `sampling.seed` is the base of a seed of each call's own."""
        self._model = model
        self._world = world
        self._person = person
        self._sampling = replace(sampling, model=sampling.model or model.model)
        self._max_turns = max_turns
        self._knobs = knobs
        self._logprobs = logprobs
        self._policy = PolicyIdentity.of(model.model, spec.system_prompt)
        self._tools = tuple(tool.wire() for tool in spec.tools)
        self._human = frozenset(tool.name for tool in spec.tools if tool.kind == "human")
        system = "\n\n".join(part for part in (spec.system_prompt, scaffold) if part)
        self._opening: tuple[dict[str, Any], ...] = ({"role": "system", "content": system},) if system else ()

    @property
    def model(self) -> str:
        return self._model.model

    async def play(self, task: Task, repeat: int, seed: int) -> Rollout:
        """The whole rollout. Only a refused key, a full disk and a replay that differs raise: they stop the run."""
        world = self._world(task, repeat)
        episode = _Episode(
            task,
            repeat,
            world,
            self._person(task, repeat) if self._person is not None else None,
            [*self._opening, *(dict(message) for message in task.prefix), {"role": "user", "content": task.prompt}],
        )
        before = world.state_hash()
        end = await self._converse(episode)
        return self._rollout(episode, end, seed, before)

    async def _converse(self, episode: _Episode) -> _End:
        last_word = False
        while True:
            cap = self._max_turns + (
                self._knobs.pending_turns if episode.steps and isinstance(episode.steps[-1], ToolStep) else 0
            )
            if episode.turns >= cap:
                return _End(RolloutStatus.TRUNCATED, "max_turns", "length")
            try:
                reply = await self._model.complete(self._request(episode))
            except BackendError as error:
                return _failed(error)
            episode.turns += 1
            end = await self._take(episode, reply)
            if end is not None:
                return end
            if reply.calls:
                continue
            if last_word or episode.person is None:
                return _End(RolloutStatus.OK, "user_done" if last_word else "agent")
            heard = await self._listen(episode, episode.person)
            if isinstance(heard, _End):
                return heard
            last_word = heard

    def _request(self, episode: _Episode) -> ChatRequest:
        address = Address("agent", group_id(episode.task), episode.repeat, episode.turns)
        sampling = self._sampling
        if sampling.seed is not None:
            sampling = replace(sampling, seed=Rng(sampling.seed).seed_of("sampling", *address.parts()) % (1 << 31))
        return ChatRequest(episode.messages, address, self._tools, sampling, logprobs=self._logprobs)

    async def _take(self, episode: _Episode, reply: Reply) -> _End | None:
        """Write down a model turn and carry out its calls. An end when it ends the rollout."""
        cut = reply.finish_reason == "length"
        episode.usage = episode.usage + reply.usage
        episode.planted.extend(reply.meta.get("planted", ()))
        if told := reply.meta.get("steps"):
            episode.steps.extend((AgentStep(""), *(_told(step) for step in told)))
        episode.steps.append(
            AgentStep(
                text=reply.text,
                logprob=reply.logprob,
                n_tokens=reply.n_tokens,
                token_logprobs=reply.token_logprobs,
                usage=reply.usage,
                truncated=cut,
                reasoning=reply.reasoning,
            )
        )
        calls = [_with_id(call, episode) for call in reply.calls]
        if cut or reply.finish_reason == "content_filter":
            episode.steps.extend(
                _refused(call, CUT_CALL if cut else "the turn was stopped by a content filter") for call in calls
            )
            episode.final_text = reply.text or episode.final_text
            if cut:
                return _End(RolloutStatus.TRUNCATED, "length", "length")
            return _End(RolloutStatus.OK if reply.text else RolloutStatus.EMPTY_REPLY, "content_filter")
        if not calls:
            episode.final_text = reply.text
            if not reply.text.strip():
                return _End(RolloutStatus.EMPTY_REPLY, "agent")
            episode.messages.append({"role": "assistant", "content": reply.text})
            return None
        message: dict[str, Any] = {"role": "assistant", "tool_calls": [_wire_call(call) for call in calls]}
        if reply.text:
            message["content"] = reply.text
        episode.messages.append(message)
        for call in calls:
            try:
                step = await self._carry_out(episode, call)
            except (KeyRefused, DiskError, ReplayMismatch):
                raise
            except BackendError as error:
                return _End(RolloutStatus.USER_ERROR, "user_error", "error", str(error))
            except WorldError as error:  # a bug in the experiment's world says nothing about the agent either
                return _End(RolloutStatus.USER_ERROR, "world_error", "error", str(error))
            episode.steps.append(step)
            content = step.result if isinstance(step.result, str) else dumps(step.result).decode()
            episode.messages.append({"role": "tool", "tool_call_id": call.id, "name": call.name, "content": content})
        return None

    async def _carry_out(self, episode: _Episode, call: ToolCall) -> ToolStep:
        if call.error is not None:
            return _refused(call, call.error)
        if call.name in self._human and episode.person is not None:
            episode.lines += 1
            question = {"role": "assistant", "content": _question(call.arguments)}
            said = await episode.person.reply([*episode.messages[:-1], question], episode.lines)
            return ToolStep(
                call.name, call.arguments, said.text or {"error": "no answer"}, "ok" if said.text else "error", call.id
            )
        return await episode.world.call(call.name, call.arguments, call.id)

    async def _listen(self, episode: _Episode, person: Person) -> _End | bool:
        """The person's answer to the agent's words: an end, or whether it was their last word."""
        try:
            said = await person.reply(episode.messages, episode.lines + 1)
        except (KeyRefused, DiskError, ReplayMismatch):
            raise
        except Exception as error:  # whatever a simulated person does wrong says nothing about the agent
            return _End(RolloutStatus.USER_ERROR, "user_error", "error", f"{type(error).__name__}: {error}"[:2000])
        text = said.text.strip()
        if said.left:
            if text:
                episode.steps.append(UserStep(text))
            return _End(RolloutStatus.OK, "user_left")
        if not text:
            return _End(RolloutStatus.OK, "user_done")
        if episode.turns >= self._max_turns:
            if said.done:
                return _End(RolloutStatus.OK, "user_done")
            return _End(RolloutStatus.TRUNCATED, "max_turns", "length")
        episode.lines += 1
        episode.steps.append(UserStep(text))
        episode.messages.append({"role": "user", "content": text})
        return said.done

    def _rollout(self, episode: _Episode, end: _End, seed: int, before: str | None) -> Rollout:
        ledger = episode.world.ledger
        person = episode.person
        return Rollout(
            rollout_id=rollout_id(episode.task, episode.repeat),
            task_id=episode.task.task_id,
            repeat=episode.repeat,
            steps=tuple(episode.steps),
            final_text=episode.final_text,
            status=end.status,
            policy=self._policy,
            sampling=self._sampling,
            usage=episode.usage,
            seed=seed,
            finish_reason=end.finish,
            ended_by=end.ended_by,
            error=end.error,
            user_model=person.model if person is not None else None,
            fired=fired_of(ledger),
            world_before=before,
            world_after=episode.world.state_hash(),
            changes=tuple(change for event in ledger for change in event.changes),
            planted=tuple(dict.fromkeys(episode.planted)),
        )


def fired_of(ledger: Sequence[Any]) -> tuple[Mapping[str, Any], ...]:
    """The faults that a world really produced."""
    return tuple({"tool": event.tool, "mode": event.fault, "call": event.call} for event in ledger if event.fault is not None)


def _failed(error: BackendError) -> _End:
    """A failed model call as the end of its rollout; a refused key is the run's end and is raised on."""
    if isinstance(error, KeyRefused):
        raise error
    if error.kind == "context_length":
        return _End(RolloutStatus.TRUNCATED, "context_length", "length", str(error))
    if error.kind == "content_filter":
        return _End(RolloutStatus.EMPTY_REPLY, "content_filter", "stop", str(error))
    status = RolloutStatus.TIMEOUT if error.kind == "timeout" else RolloutStatus.AGENT_ERROR
    return _End(status, error.kind, "error", str(error))


def _with_id(call: ToolCall, episode: _Episode) -> ToolCall:
    """The call under an id that no other call of the conversation has.

    Nine letters and digits, which every provider takes; the server's own would differ from run to run. Only ids that
    carry meaning for the model's template (`functions.name:3`) stay, unless they repeat.
    """
    episode.calls += 1
    keep = call.id.startswith("functions.") and call.id not in episode.ids
    call_id = call.id if keep else f"call{episode.calls:05d}"
    episode.ids.add(call_id)
    return ToolCall(call_id, call.name, call.arguments, call.raw, call.error)


def _wire_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": dumps(call.arguments).decode()}}


def _refused(call: ToolCall, why: str) -> ToolStep:
    return ToolStep(call.name, call.arguments, {"error": why}, "error", call.id, call.raw)


def _told(step: Mapping[str, Any]) -> ToolStep:
    """A tool call that the agent's own service carried out and told."""
    arguments = step.get("arguments")
    whole = isinstance(arguments, Mapping)
    raw = None if whole or arguments is None else str(arguments)
    return ToolStep(
        str(step["tool"]), arguments if whole else {}, step.get("result"), str(step.get("status") or "ok"), raw_arguments=raw
    )


def _question(arguments: Mapping[str, Any]) -> str:
    return next((str(value) for value in arguments.values() if isinstance(value, str) and value), dumps(arguments).decode())
