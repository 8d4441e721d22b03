"use strict";
(() => {
  const { make, chips, conversation } = drawing;
  const data = JSON.parse(document.getElementById("rollouts").textContent);
  const where = document.getElementById("where"), detail = document.getElementById("detail"), name = document.getElementById("annotator");
  const key = `whileai-labels-${data.sheet}`;
  let at = 0, labels = {};
  try { ({ labels = {}, annotator: name.value = name.value } = JSON.parse(localStorage.getItem(key)) || {}); } catch { labels = {}; }

  const keep = () => { try { localStorage.setItem(key, JSON.stringify({ labels, annotator: name.value })); } catch { /* the download holds them too */ } };
  const draw = () => {
    const row = data.rows[at], given = labels[row.rollout_id];
    const done = data.rows.filter((one) => labels[one.rollout_id] !== undefined).length;
    where.textContent = `${at + 1} of ${data.rows.length}, ${done} labelled`;
    const word = given === undefined ? "not labelled" : given === 1 ? "pass" : given === 0 ? "fail" : "skipped";
    detail.replaceChildren(chips([[word, given === 1 ? "passed" : given === 0 ? "failed" : ""]]), ...conversation(row));
    for (const button of document.querySelectorAll("button[data-label]")) button.setAttribute("aria-pressed", String(String(given) === button.dataset.label));
  };
  const go = (to) => { at = Math.min(Math.max(to, 0), data.rows.length - 1); draw(); scrollTo(0, 0); };
  const label = (value) => {
    labels[data.rows[at].rollout_id] = value;
    keep();
    const next = data.rows.findIndex((row, place) => place > at && labels[row.rollout_id] === undefined);
    go(next < 0 ? at : next);
  };
  const save = () => {
    const lines = data.rows.filter((row) => labels[row.rollout_id] === 0 || labels[row.rollout_id] === 1)
      .map((row) => JSON.stringify({ rollout_id: row.rollout_id, label: labels[row.rollout_id], annotator: name.value || "human" }));
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([lines.map((line) => line + "\n").join("")], { type: "application/x-ndjson" }));
    link.download = "labels.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  for (const button of document.querySelectorAll("button[data-label]")) button.addEventListener("click", () => label(button.dataset.label === "null" ? null : Number(button.dataset.label)));
  document.getElementById("back").addEventListener("click", () => go(at - 1));
  document.getElementById("next").addEventListener("click", () => go(at + 1));
  document.getElementById("save").addEventListener("click", save);
  name.addEventListener("input", keep);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const act = { 1: () => label(1), 0: () => label(0), s: () => label(null), j: () => go(at + 1), k: () => go(at - 1) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  draw();
})();
