"use strict";
const drawing = (() => {
  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };

  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));
  const turn = (kind, who, ...parts) => {
    const node = make("div", null, `turn ${kind}`);
    node.append(make("div", who, "who"), ...parts);
    return node;
  };
  const chips = (pairs) => {
    const node = make("div", null, "chips");
    for (const [text, kind] of pairs) node.append(make("span", text, `chip ${kind || ""}`));
    return node;
  };

  const conversation = (row) => {
    const parts = [];
    for (const message of row.prefix || []) parts.push(turn(message.role === "user" ? "user" : "agent", `earlier, ${message.role}`, make("p", shown(message.content))));
    parts.push(turn("user", "person", make("p", row.prompt)));
    for (const step of row.steps) {
      if (step.user !== undefined) parts.push(turn("user", "person", make("p", step.user)));
      if (step.reasoning) parts.push(turn("agent", "reasoning", make("p", step.reasoning)));
      if (step.text) parts.push(turn("agent", step.truncated ? "agent, cut" : "agent", make("p", step.text)));
      if (step.tool) parts.push(turn("agent", `calls ${step.tool} · ${step.status}`, make("pre", shown(step.raw_arguments ?? step.arguments)), make("pre", shown(step.result))));
    }
    return parts;
  };
  return { make, chips, conversation };
})();
