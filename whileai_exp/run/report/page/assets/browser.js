"use strict";
(() => {
  const { make, chips, conversation } = drawing;
  const data = JSON.parse(document.getElementById("rollouts").textContent);
  const list = document.getElementById("list"), detail = document.getElementById("detail"), count = document.getElementById("count");
  const search = document.getElementById("search"), holder = document.getElementById("filters");
  const HEIGHT = 46, LABELS = ["outcome", "selection", "tool", "tool_condition", "tier", "stance", "world_state", "history", "rule", "arm",
    "fault fired", "marker missed", "failure class", "status", "task"];
  const texts = data.index.map(([id, prompt]) => (id + " " + prompt).toLowerCase());
  const place = new Map(data.index.map(([id], at) => [id, at]));
  const selects = new Map(), blocks = new Map();
  let visible = [], current = -1;

  for (const facet of LABELS) {
    const values = data.facets[facet];
    if (!values || values.length < 2 || facet === "task") continue;
    const label = make("label", facet), select = make("select");
    select.append(new Option("all", ""));
    const order = values.map((value, code) => [value, code]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    for (const [value, code] of order) select.append(new Option(value, String(code)));
    select.addEventListener("change", () => filter(true));
    select.setAttribute("aria-label", facet);
    label.append(select);
    holder.append(label);
    selects.set(facet, select);
  }

  const filter = (write) => {
    const wanted = [...selects].filter(([, select]) => select.value !== "").map(([facet, select]) => [facet, Number(select.value)]);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    visible = [];
    data.index.forEach(([, , facets], at) => {
      if (wanted.every(([facet, code]) => (facets[facet] || []).includes(code)) && words.every((word) => texts[at].includes(word))) visible.push(at);
    });
    count.textContent = `${visible.length} of ${data.shown} rollouts` + (data.shown < data.n ? ` (a sample of ${data.n})` : "");
    list.scrollTop = 0;
    draw();
    if (write) remember();
  };

  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 4), last = Math.min(visible.length, first + Math.ceil(list.clientHeight / HEIGHT) + 8);
    const space = make("div");
    space.style.height = `${visible.length * HEIGHT}px`;
    for (let place = first; place < last; place++) {
      const at = visible[place], [id, prompt, facets] = data.index[at], row = make("div", null, "row");
      row.style.top = `${place * HEIGHT}px`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(at === current));
      const outcome = data.facets.outcome[facets.outcome[0]];
      row.append(make("span", prompt), make("span", `${outcome} · ${id} · ${data.facets.selection[facets.selection[0]]}`, outcome));
      row.addEventListener("click", () => show(at));
      space.append(row);
    }
    list.replaceChildren(space);
  };

  const block = (number) => {
    if (!blocks.has(number)) {
      const bytes = Uint8Array.from(atob(data.blocks[number]), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      blocks.set(number, new Response(stream).json());
    }
    return blocks.get(number);
  };

  const show = async (at, quiet) => {
    current = at;
    draw();
    const row = (await block(Math.floor(at / data.per_block)))[at % data.per_block];
    if (current !== at) return;
    const parts = [make("h3", row.rollout_id)];
    const outcome = data.facets.outcome[data.index[at][2].outcome[0]];
    const verdict = row.reward === undefined ? row.judge_status || "no verdict" : `reward ${row.reward}`;
    parts.push(chips([[outcome, outcome], [verdict], [`status ${row.status}`], [row.dropped ? `dropped: ${row.dropped}` : "kept by selection"],
      ...(row.group_cut ? [["group cut short"]] : []), ...(row.failure_class ? [[row.failure_class]] : [])]));
    if (row.reason) parts.push(make("p", `${row.judge_name || "judge"}: ${row.reason}`, "note"));
    if (row.error) parts.push(make("p", row.error, "failed"));
    parts.push(chips(Object.entries(row.scenario_dimensions || {}).filter(([, value]) => value !== "unspecified").map(([name, value]) => [`${name}: ${value}`])));
    const missed = Object.entries(row.markers || {}).filter(([, value]) => value < 1);
    if (missed.length) parts.push(chips(missed.map(([name, value]) => [`${name} ${value}`, "failed"])));
    parts.push(...conversation(row));
    const raw = make("details");
    raw.append(make("summary", "verdict, faults, models"), make("pre", JSON.stringify({ ...row, steps: undefined, prefix: undefined, prompt: undefined }, null, 1)));
    parts.push(raw);
    detail.replaceChildren(...parts);
    if (!quiet) remember();
  };

  const remember = () => {
    const state = new URLSearchParams();
    for (const [facet, select] of selects) if (select.value !== "") state.set(facet, data.facets[facet][Number(select.value)]);
    if (search.value) state.set("q", search.value);
    if (current >= 0) state.set("rollout", data.index[current][0]);
    history.replaceState(null, "", `#${state}`);
  };

  const recall = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const [facet, select] of selects) {
      const code = state.has(facet) ? data.facets[facet].indexOf(state.get(facet)) : -1;
      select.value = code < 0 ? "" : String(code);
    }
    search.value = state.get("q") || "";
    filter(false);
    const at = place.get(state.get("rollout"));
    if (at !== undefined) {
      show(at, true);
      const where = visible.indexOf(at);
      if (where >= 0) list.scrollTop = Math.max(0, where * HEIGHT - list.clientHeight / 2);
      document.getElementById("browser").scrollIntoView();
    }
  };

  const move = (by) => {
    if (!visible.length) return;
    const where = Math.min(Math.max(visible.indexOf(current) + by, 0), visible.length - 1);
    show(visible[where]);
    if (where * HEIGHT < list.scrollTop) list.scrollTop = where * HEIGHT;
    if ((where + 1) * HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = (where + 1) * HEIGHT - list.clientHeight;
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape" && typing) event.target.blur();
    if (typing) return;
    const step = { j: 1, k: -1 }[event.key] ?? (document.activeElement === list ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined);
    if (step) { event.preventDefault(); move(step); }
    if (event.key === "/") { event.preventDefault(); search.focus(); }
  });
  list.addEventListener("scroll", draw);
  search.addEventListener("input", () => filter(true));
  document.getElementById("clear").addEventListener("click", () => {
    for (const select of selects.values()) select.value = "";
    search.value = "";
    filter(true);
  });
  window.addEventListener("hashchange", recall);
  const only = document.getElementById("setting");
  only.addEventListener("input", () => {
    const word = only.value.toLowerCase();
    for (const line of document.querySelectorAll("#settings tbody tr")) line.hidden = !line.textContent.toLowerCase().includes(word);
  });
  recall();
})();
