"""What stands beside an ask fits what the tool does, and tools that nobody asks for are left out."""

from __future__ import annotations

from whileai_exp.knobs import RunKnobs
from whileai_exp.situations import DrawRequest, draw_tasks
from whileai_exp.situations.axes import grid_of
from whileai_exp.situations.lines import manner_of
from whileai_exp.spec import load_spec
from whileai_exp.spec.tools import as_tool

KNOBS = RunKnobs()
ID = {"type": "object", "properties": {"user_id": {"type": "string"}}, "required": ["user_id"]}


def test_the_agents_own_tools_get_no_situations_and_a_note_says_so() -> None:
    tools = [
        {"name": "get_user", "description": "Get a user.", "parameters": ID},
        {"name": "log_verification", "description": "Log a verification record.", "parameters": ID},
        {"name": "unlock_discoverable_agent_tool", "description": "Unlock a tool.", "parameters": ID},
    ]
    spec = load_spec(tools=tools, system_prompt="Help.").spec
    grid = grid_of(spec, 10)
    assert set(grid.traits) == {value for value, name in grid.tools.items() if name == "get_user"}
    assert any("log_verification" in note for note in grid.notes)
    targets = {task.world.target for task in draw_tasks(spec, DrawRequest(30), KNOBS, 1).tasks}
    assert targets <= {"get_user", None}
    alone = load_spec(tools=tools[1:2], system_prompt="Help.").spec
    assert grid_of(alone, 10).traits


def test_a_persons_own_phone_is_no_terminal_and_todays_weather_has_no_history() -> None:
    apn = as_tool(
        {"name": "check_apn_settings", "description": "Check the APN settings (MMSC URL) on the phone.", "parameters": {}}
    )
    assert not manner_of(apn).developer
    assert manner_of(as_tool({"name": "get_weather", "description": "Get the weather.", "parameters": ID})).trivial
    assert manner_of(as_tool({"name": "sequentialthinking", "description": "Think in steps.", "parameters": ID})).handover
