"""The report in a real browser: no request, no error, filters that filter, and nothing a model wrote that acts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest

from whileai_exp.run.directory import read_rows
from whileai_exp.run.report.page import html_report

pytestmark = pytest.mark.slow
sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)

PAYLOADS = [
    "<script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    "<svg onload=window.hit=1>",
    '"><script>window.hit=1</script>',
    "'><img src=x onerror=window.hit=1>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href=javascript:window.hit=1 autofocus onfocus=window.hit=1>x</a>",
    "<body onload=window.hit=1>",
    "<style>@import 'http://127.0.0.1:9/x.css';</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href=http://127.0.0.1:9/>",
    "<object data=http://127.0.0.1:9/></object>",
    "<embed src=http://127.0.0.1:9/>",
    "<form action=http://127.0.0.1:9/><input autofocus onfocus=window.hit=1></form>",
    "{{ 7*7 }}{% for x in ().__class__.__mro__ %}{{ x }}{% endfor %}",
    "${window.hit=1}",
    "]]><script>window.hit=1</script>",
    "<!--<script>window.hit=1//-->",
    "\\u003cscript\\u003ewindow.hit=1\\u003c/script\\u003e",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.hit=1>",
    "<details open ontoggle=window.hit=1>",
    "\u2028\u2029<script>window.hit=1</script>\x1b]0;x\x07",
    "<noscript><p title='</noscript><img src=x onerror=window.hit=1>'>",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Seen:
    """A page and everything it did that it must not do."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, dark: bool = False, fragment: str = "") -> None:
        self.trouble: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
        self.page.on(
            "console", lambda message: self.trouble.append(message.text) if message.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on(
            "request", lambda request: None if request.url.startswith(("file:", "data:")) else self.trouble.append(request.url)
        )
        self.page.on("dialog", lambda dialog: (self.trouble.append("dialog"), dialog.dismiss()))
        self.page.goto(f"file://{path}{fragment}")

    def read(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()


@pytest.fixture
def report(tmp_path: Path, run: Callable[..., Any], run_dir: Callable[..., Path]) -> Path:
    run("+experiment=rl_v1", "record=local", "counts.situations=40", "gates=none", check=True)
    return run_dir() / "report.html"


def test_the_page_shows_the_run_and_asks_nobody_for_anything(browser: Any, report: Path) -> None:
    seen = Seen(browser, report)
    record = orjson.loads((report.parent / "record.json").read_bytes())
    value = next(m["value"] for m in record["measures"] if m["name"] == "pass_at_1")
    assert f"{value:.3f}" in seen.read("#headline")
    assert seen.read("#count") == f"{record['counts']['rows']} of {record['counts']['rows']} rollouts"
    assert seen.page.locator("figure svg").count() >= 3
    assert {path.name for path in (report.parent / "figures").iterdir()} >= {"pass_rates.png", "by_tool_condition.png"}
    assert seen.trouble == []


def test_filters_keys_and_the_address_lead_to_the_same_rollout(browser: Any, report: Path) -> None:
    rows = list(read_rows(report.parent / "rows.jsonl"))
    failed = [row for row in rows if row["reward"] == 0]
    seen = Seen(browser, report)
    seen.page.locator("select[aria-label=outcome]").select_option(label="failed")
    assert seen.read("#count").startswith(f"{len(failed)} of ")
    seen.page.keyboard.press("Escape")
    seen.page.locator("#list").focus()
    seen.page.keyboard.press("j")
    seen.page.keyboard.press("j")
    seen.page.wait_for_function("document.querySelector('#detail h3')?.textContent.length > 0")
    wanted = failed[1]["rollout_id"]
    seen.page.wait_for_function(f"document.querySelector('#detail h3').textContent === {orjson.dumps(wanted).decode()}")
    assert failed[1]["final_text"][:40] in seen.read("#detail")
    address = seen.page.evaluate("location.hash")
    again = Seen(browser, report, fragment=address)
    again.page.wait_for_function(f"document.querySelector('#detail h3')?.textContent === {orjson.dumps(wanted).decode()}")
    assert again.read("#count").startswith(f"{len(failed)} of ")
    again.page.locator("#search").fill("no ask says this")
    assert again.read("#count").startswith("0 of ")
    again.page.locator("#clear").click()
    assert again.read("#count").startswith(f"{len(rows)} of ")
    assert seen.trouble == [] and again.trouble == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (390, True)])
def test_it_is_readable_on_wide_and_narrow_screens_in_light_and_dark(browser: Any, report: Path, width: int, dark: bool) -> None:
    seen = Seen(browser, report, width, dark)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = seen.page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    lights = [sum(map(int, colour[4:-1].split(","))) for colour in (ink, paper)]
    assert (lights[0] > lights[1] + 300) if dark else (lights[1] > lights[0] + 300)
    assert seen.trouble == []


def test_what_models_wrote_is_text_wherever_it_stands(browser: Any, report: Path, tmp_path: Path) -> None:
    record = orjson.loads((report.parent / "record.json").read_bytes())
    base = next(read_rows(report.parent / "rows.jsonl"))
    rows = []
    for number, payload in enumerate(PAYLOADS):
        row = deepcopy(base)
        row.update(
            rollout_id=f"{payload}/{number}", task_id=payload, prompt=payload, reason=payload, failure_class=payload, status="ok"
        )
        row["scenario_dimensions"] = dict.fromkeys(row["scenario_dimensions"], payload)
        row["steps"] = [
            {"user": payload},
            {"text": payload, "reasoning": payload},
            {"tool": payload, "arguments": {payload: payload}, "result": payload, "status": payload},
        ]
        row.update(markers={payload: 0.0}, judge_name=payload, tier=payload, reward=float(number % 2))
        rows.append(row)
    record["warnings"] = PAYLOADS
    record["degraded"] = dict(zip(PAYLOADS, PAYLOADS))
    record["config"]["experiment"]["question"] = record["experiment"] = PAYLOADS[1]
    record["config"]["spec"]["system_prompt"] = PAYLOADS[0]
    record["measures"].append(
        {"name": PAYLOADS[2], "value": None, "n": 0, "interval": None, "note": PAYLOADS[3], "method": None, "level": None}
    )
    path = tmp_path / "hostile.html"
    path.write_text(html_report(record, rows, {rows[0]["rollout_id"]: PAYLOADS[4]}), "utf-8")
    seen = Seen(browser, path)
    for number in range(len(PAYLOADS)):
        seen.page.locator("#list").focus()
        seen.page.keyboard.press("j")
        seen.page.wait_for_function(f"document.querySelector('#detail h3')?.textContent.endsWith('/{number}')")
    assert seen.page.evaluate("window.hit") is None
    assert seen.page.locator("script").count() == 2
    assert seen.page.locator("img, iframe, object, embed, form, base").count() == 0
    assert seen.page.locator("link, meta[http-equiv]").count() == 2
    assert PAYLOADS[0] in seen.read("#warnings")
    assert seen.trouble == []


def test_five_thousand_rollouts_open_and_filter_without_a_wait(browser: Any, report: Path, tmp_path: Path) -> None:
    record = orjson.loads((report.parent / "record.json").read_bytes())
    base = list(read_rows(report.parent / "rows.jsonl"))
    rows = [{**base[n % len(base)], "rollout_id": f"copy-{n}"} for n in range(6000)]
    path = tmp_path / "large.html"
    path.write_text(html_report(record, rows, {}), "utf-8")
    seen = Seen(browser, path)
    assert "5000 of 5000 rollouts (a sample of 6000)" in seen.read("#count")
    took_ms = seen.page.evaluate(
        "() => { const s = document.querySelector('select[aria-label=outcome]'), t = performance.now(); s.selectedIndex = 1;"
        " s.dispatchEvent(new Event('change')); return performance.now() - t; }"
    )
    assert took_ms < 200
    assert seen.page.locator("#list .row").count() < 60
    assert seen.trouble == []


def test_the_page_of_a_comparison_shows_what_flipped_and_runs_nothing(
    browser: Any, report: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    hostile = tmp_path / "hostile.jsonl"
    rows = [{**row, "reward": 0.0, "prompt": PAYLOADS[n % 25]} for n, row in enumerate(read_rows(report.parent / "rows.jsonl"))]
    hostile.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    assert run("compare", str(hostile), str(report.parent), "--html", "cmp.html").returncode in (0, 3)
    for width in (1280, 390):
        seen = Seen(browser, tmp_path / "cmp.html", width)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.page.locator("script").count() == 0 and seen.page.locator("figure svg").count() == 1
        assert "flipped to passing" in seen.read("body") and PAYLOADS[0] in seen.read("body")
        assert seen.page.evaluate("window.hit") is None
        assert seen.trouble == []


def test_labels_given_on_a_sheet_come_back_and_say_whether_to_believe_the_judge(
    browser: Any, report: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    assert run("label", str(report.parent), "--html", "sheet.html", "-n", "30", check=True).stdout.startswith("sheet ")
    rows = {row["rollout_id"]: row for row in read_rows(report.parent / "rows.jsonl")}
    seen = Seen(browser, tmp_path / "sheet.html")
    ids = [row["rollout_id"] for row in seen.page.evaluate("JSON.parse(document.getElementById('rollouts').textContent).rows")]
    assert len(ids) == 30
    seen.page.locator("#annotator").fill("kim")
    seen.page.keyboard.press("Tab")
    for number, rollout in enumerate(ids):
        seen.page.keyboard.press("s" if number == 4 else "1" if rows[rollout]["reward"] == 1 else "0")
    assert seen.read("#where").endswith("29 labelled") or seen.read("#where").endswith("30 labelled")
    with seen.page.expect_download() as saved:
        seen.page.locator("#save").click()
    saved.value.save_as(tmp_path / "labels.jsonl")
    given = list(read_rows(tmp_path / "labels.jsonl"))
    assert (
        {line["annotator"] for line in given} == {"kim"}
        and len(given) == 29
        and ids[4] not in {line["rollout_id"] for line in given}
    )
    assert all(line["label"] == rows[line["rollout_id"]]["reward"] for line in given)
    done = run("label", str(report.parent), "--trust", "labels.jsonl")
    assert done.returncode in (0, 3) and "agreement 1.000" in done.stdout, done.stdout + done.stderr
    assert seen.trouble == []
