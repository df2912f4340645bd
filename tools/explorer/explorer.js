"use strict";
/* The page: its state is the part of the address after #, so that a link has it, and the back button works.
 *
 * A control changes the address and has the page drawn anew (`go`). So do a link and the back button (`hashchange`).
 */

const answers = new Answers(JSON.parse(document.getElementById("data").textContent));
const NAMES = [...answers.rules.keys()];
const KINDS = { b: "Bool", i: "Signed integers", u: "Unsigned integers", f: "Floats", c: "Complex" };
const FORMS = { "": "array", "0d:": "0-d array", "weak:": "weak array" };
const FRAMEWORKS = ["numpy", "torch", "jax", "tensorflow", "tensorflow-all", "keras", "mlx", "max", "paddle"];
const VIEWS = { path: "Reason", table: "Table", diff: "Difference" };
const MAP_SCALARS = ["True", "2", "1.5", "1j"];
const START = { x: ["int8", "uint16"], op: "", rules: "unified", with: "", show: NAMES, view: "path", all: false };

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** A new element: attributes by name, `text` for its text, and its children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// --- the state -------------------------------------------------------------------------------------------------------

let state = START;
/** The names in the address that stand for nothing here. */
let unknown = [];
/** Whether the address has more operands than there is room for. */
let tooMany = false;

function readHash() {
  const given = new URLSearchParams(location.hash.slice(1));
  const list = (name) => (given.get(name) ?? "").split(",").filter(Boolean);
  const one = (name, allowed, otherwise) => (allowed.includes(given.get(name)) ? given.get(name) : otherwise);
  const odd = (name, allowed) => (given.get(name) && !allowed.includes(given.get(name)) ? [given.get(name)] : []);
  unknown = [
    ...list("x").filter((text) => !answers.operand(text)),
    ...odd("op", [...answers.counts.keys()]),
    ...[...odd("rules", NAMES), ...odd("with", NAMES), ...list("show").filter((name) => !NAMES.includes(name))],
    ...odd("view", Object.keys(VIEWS)),
    ...[...given.keys()].filter((name) => !Object.hasOwn(START, name)),
  ];
  tooMany = list("x").filter((text) => answers.operand(text)).length > 4;
  const x = list("x").filter((text) => answers.operand(text)).slice(0, 4);
  const show = NAMES.filter((name) => list("show").includes(name));
  return {
    x: x.length ? [...x, ...START.x.slice(x.length)] : START.x,
    op: one("op", [...answers.counts.keys()], ""),
    rules: one("rules", NAMES, START.rules),
    with: one("with", NAMES, ""),
    show: show.length ? show : NAMES,
    view: one("view", Object.keys(VIEWS), "path"),
    all: given.get("all") === "1",
  };
}

/** The address of a state, without what is as at the start. The operands are always in it. */
function hashOf(s) {
  const parts = [`x=${s.x.join(",")}`];
  if (s.op) parts.push(`op=${s.op}`);
  if (s.rules !== START.rules) parts.push(`rules=${s.rules}`);
  if (s.show.length < NAMES.length) parts.push(`show=${s.show.join(",")}`);
  if (s.view !== "path") parts.push(`view=${s.view}`);
  if (s.with) parts.push(`with=${s.with}`);
  if (s.all) parts.push("all=1");
  return `#${parts.join("&")}`;
}

/** Change the state: the address first, and then the page. */
function go(change) {
  location.hash = hashOf({ ...state, ...change });
  rendered = null; // even where the state is as before, a control may have changed
  render();
}

// --- what the state asks ---------------------------------------------------------------------------------------------

const chosenRules = () => answers.rules.get(state.rules);
const secondRules = () => answers.rules.get(state.with || (state.rules === "torch" ? "jax" : "torch"));
/** The operands that take part: an operation takes one or two. */
const taking = () => state.x.slice(0, state.op ? answers.counts.get(state.op) : 4).map((text) => answers.operand(text));
/** Whether there is an answer: operations have one for the executable dtypes alone. */
const answered = () => !state.op || taking().every((x) => !isStrong(x) || answers.executable.includes(x.dtype));

function question() {
  const words = taking().map(describe);
  return state.op ? `${state.op}(${words.join(", ")})` : words.join(" + ");
}

const shownAs = (found) => (found.dtype === null ? "refused" : `${found.weak ? "weak " : ""}${found.dtype}`);
const colourOf = (dtype) => (dtype === null ? "none" : DTYPES.get(dtype).kind);

function chip(found, words = shownAs(found)) {
  return make("span", { class: `chip k-${colourOf(found.dtype)}`, title: words, text: words });
}

// --- building the page once ------------------------------------------------------------------------------------------

function build() {
  for (let i = 0; i < 4; i++) $("#operands").append(operandControls(i));
  $("#more").addEventListener("click", () => {
    go({ x: [...state.x, state.x.at(-1)] });
    $(`#dtype-${state.x.length - 1}`).focus();
  });
  $("#question").addEventListener("submit", (event) => event.preventDefault());
  buildOperations();
  buildAnswers();
  buildTabs();
  $("#second").append(...NAMES.map((name) => make("option", { value: name, text: name })));
  $("#second").addEventListener("change", (event) => go({ with: event.target.value }));
  $("#every").addEventListener("change", (event) => go({ all: event.target.checked }));
  $("#grid").addEventListener("keydown", moveInGrid);
  $("#grid").addEventListener("click", chooseCell);
  $("#grid").addEventListener("focusin", sayCell);
  $("#copy").addEventListener("click", copyCode);
  $(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is the state
    $("#question").focus();
  });
  buildTheme();
  $("#made").textContent =
    `Made from the rule sets of latticework ${answers.data.version}, with its default dtypes int32 and float32. ` +
    `The value of a 0-d array is taken as not known.`;
}

function operandControls(i) {
  const dtype = make("select", { id: `dtype-${i}` }, ...dtypeOptions());
  const form = make("select", { id: `form-${i}`, "aria-label": `Form of operand ${i + 1}` });
  for (const [value, text] of Object.entries(FORMS)) form.append(make("option", { value, text }));
  const changed = () => go({ x: state.x.with(i, (DTYPES.has(dtype.value) ? form.value : "") + dtype.value) });
  dtype.addEventListener("change", changed);
  form.addEventListener("change", changed);
  const remove = make("button", { type: "button", class: "remove", "aria-label": `Remove operand ${i + 1}`, text: "×" });
  remove.addEventListener("click", () => {
    go({ x: state.x.toSpliced(i, 1) });
    $("#more").focus();
  });
  const label = make("label", { for: dtype.id, text: `Operand ${i + 1}` });
  return make("div", { class: "field operand", id: `operand-${i}` }, label, dtype, form, remove);
}

function dtypeOptions() {
  const groups = new Map([...Object.values(KINDS), "Python scalars", "Formats of fewer frameworks"].map((n) => [n, []]));
  for (const [name, { kind, use }] of DTYPES) {
    groups.get(use === "compute" ? KINDS[kind] : "Formats of fewer frameworks").push([name, name]);
  }
  for (const { text, words } of answers.scalars.values()) groups.get("Python scalars").push([text, words]);
  return [...groups].map(([label, options]) =>
    make("optgroup", { label }, ...options.map(([value, text]) => make("option", { value, text }))),
  );
}

function buildOperations() {
  $("#operation").append(make("option", { value: "", text: "none: promotion alone" }));
  for (const [label, names] of answers.data.operations) {
    const options = names.map(([name]) => make("option", { value: name, text: name }));
    if (options.length) $("#operation").append(make("optgroup", { label }, ...options));
  }
  $("#operation").addEventListener("change", (event) => go({ op: event.target.value }));
}

function buildAnswers() {
  for (const name of NAMES) {
    const button = make("button", { type: "button", text: name });
    const choose = () => {
      go({ rules: name });
      const below = $("#detail").offsetTop > $("#answers").offsetTop; // on a narrow screen the reason is out of sight
      if (below) $("#detail").scrollIntoView();
    };
    button.addEventListener("click", choose);
    const row = make(
      "tr",
      { "data-rules": name },
      make("th", { scope: "row" }, button),
      make("td", { class: "result" }),
      make("td", { class: "why" }),
    );
    row.addEventListener("click", (event) => event.target.closest("button") ?? choose());
    $("#answers tbody").append(row);
    const box = make("input", { type: "checkbox", value: name });
    box.addEventListener("change", () => go({ show: checkedRules() }));
    $("#shown fieldset").append(make("label", { class: "check" }, box, ` ${name}`));
  }
  const presets = { All: NAMES, Frameworks: FRAMEWORKS.filter((name) => NAMES.includes(name)), "The chosen one": null };
  for (const [text, names] of Object.entries(presets)) {
    const button = make("button", { type: "button", text });
    button.addEventListener("click", () => go({ show: names ?? [state.rules] }));
    $(".presets").append(button);
  }
}

/** The rule sets that are checked; where none is left, the chosen one. */
function checkedRules() {
  const names = $$("#shown input").filter((box) => box.checked).map((box) => box.value);
  return names.length ? names : [state.rules];
}

function buildTabs() {
  const list = $("[role=tablist]");
  for (const [view, text] of Object.entries(VIEWS)) {
    const tab = make("button", { type: "button", role: "tab", id: `tab-${view}`, "aria-controls": `panel-${view}`, text });
    tab.addEventListener("click", () => go({ view }));
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const views = Object.keys(VIEWS);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const view = views.at((views.indexOf(state.view) + step) % views.length);
    $(`#tab-${view}`).focus();
    go({ view });
  });
}

function buildTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  /** The theme that was chosen, here or on another page of the site, which keeps it by these two names. */
  const remembered = (value) => {
    try {
      if (value) for (const name of ["mode", "theme"]) localStorage.setItem(name, value);
      const kept = localStorage.getItem("mode");
      return ["light", "dark"].includes(kept) ? kept : null;
    } catch {
      return null; // a browser may keep nothing for pages without a server
    }
  };
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    $("#theme").setAttribute("aria-pressed", String(theme === "dark"));
  };
  show(remembered() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => remembered() ?? show(dark.matches ? "dark" : "light"));
  $("#theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remembered(theme);
    show(theme);
  });
}

// --- drawing the state -----------------------------------------------------------------------------------------------

let rendered = null;

function render() {
  if (rendered === location.hash) return; // a control has drawn it before the event came
  rendered = location.hash;
  state = readHash();
  renderQuestion();
  renderAnswers();
  renderDetail();
  document.title = `${question()} – Promotion explorer – latticework`;
}

function renderQuestion() {
  const count = taking().length;
  for (let i = 0; i < 4; i++) {
    const x = i < state.x.length ? answers.operand(state.x[i]) : null;
    $(`#operand-${i}`).hidden = !x;
    if (!x) continue;
    $(`#dtype-${i}`).value = isStrong(x) ? x.dtype : x.text;
    $(`#form-${i}`).value = x.zero ? "0d:" : x.weak ? "weak:" : "";
    $(`#form-${i}`).disabled = !isStrong(x) || i >= count;
    $(`#dtype-${i}`).disabled = i >= count;
    $(".remove", $(`#operand-${i}`)).hidden = state.x.length < 3;
    $(".remove", $(`#operand-${i}`)).disabled = i >= count;
  }
  $("#more").hidden = state.x.length === 4 || Boolean(state.op);
  $("#operation").value = state.op;
  const notes = unknown.length ? [`The link names what is not here: ${unique(unknown).join(", ")}.`] : [];
  if (tooMany) notes.push("The link has more than four operands. The first four are shown.");
  if (count < state.x.length) notes.push(`${state.op} takes ${count === 1 ? "one operand" : "two operands"} here.`);
  if (!answered()) notes.push("Operations have answers for the 15 dtypes that arrays are computed with. Choose one of these.");
  $("#note").hidden = !notes.length;
  $("#note").textContent = notes.join(" ");
}

function renderAnswers() {
  const operands = taking();
  const byAnswer = new Map();
  for (const row of $$("#answers tbody tr")) {
    const name = row.dataset.rules;
    row.hidden = !state.show.includes(name);
    row.classList.toggle("chosen", name === state.rules);
    $("button", row).setAttribute("aria-pressed", String(name === state.rules));
    $(".result", row).replaceChildren();
    $(".why", row).replaceChildren();
    if (row.hidden || !answered()) continue;
    const found = answers.ask(answers.rules.get(name), state.op, operands);
    const why = found.why + (found.out ? ` – ${found.out}` : "");
    $(".result", row).append(chip(found));
    $(".why", row).append(make("span", { text: why, title: why }));
    byAnswer.set(shownAs(found), { found, names: [...(byAnswer.get(shownAs(found))?.names ?? []), name] });
  }
  for (const box of $$("#shown input")) box.checked = state.show.includes(box.value);
  $("#shown-count").textContent = `${state.show.length} of ${NAMES.length} shown`;
  renderSummary([...byAnswer.values()].sort((a, b) => b.names.length - a.names.length));
}

/** The answers in a line: what most say first, and who says something else. */
function renderSummary(groups) {
  const line = make("p", {}, make("strong", { text: question() }), groups.length ? " is " : " has no answer here.");
  groups.forEach(({ found, names }, i) => {
    if (i) line.append(i === groups.length - 1 ? " and " : ", ");
    const few = names.length <= 7 ? ` under ${names.join(", ")}` : ` under ${names.length} rule sets`;
    line.append(make("span", { class: "group" }, chip(found), few));
  });
  $("#summary").replaceChildren(line);
}

function renderDetail() {
  const rules = chosenRules();
  $("#detail-title").replaceChildren(rules.name, " ", make("small", { text: rules.version }));
  for (const view of Object.keys(VIEWS)) {
    const chosen = view === state.view;
    $(`#tab-${view}`).setAttribute("aria-selected", String(chosen));
    $(`#tab-${view}`).tabIndex = chosen ? 0 : -1;
    $(`#panel-${view}`).hidden = !chosen;
  }
  $("#map").hidden = state.view === "path";
  if (state.view === "path") renderPath(rules);
  else renderMap();
  $("#code").textContent = codeOf();
  $("#about").replaceChildren(
    `${rules.about} `,
    make("a", { href: `rules/${rules.name}.html`, text: `All about ${rules.name}` }),
    " · ",
    make("a", { href: rules.source, text: "its source" }),
  );
}

// --- the reason and the drawing --------------------------------------------------------------------------------------

function renderPath(rules) {
  const operands = taking();
  if (!answered()) {
    $("#said").replaceChildren();
    $("#drawing").replaceChildren();
    return;
  }
  const found = answers.ask(rules, state.op, operands);
  const ways = answers.paths(rules, state.op, operands, found);
  const joined = state.op ? answers.ask(rules, "", operands) : found;
  const lines = [make("p", { class: "big" }, `${question()} `, make("span", { text: "→", "aria-label": "gives" }), " ", chip(found))];
  lines.push(make("p", { text: `${capital(found.why)}.` }));
  if (found.out) lines.push(make("p", { class: "out" }, make("strong", { text: "Way out: " }), `${found.out}.`));
  const unseen = notLookedAt(rules, operands);
  if (unseen) lines.push(make("p", { text: unseen }));
  if (state.op && joined.dtype !== null) lines.push(make("p", { text: `By promotion alone the operands are ${shownAs(joined)}, which is lit.` }));
  if (found.dtype !== null) lines.push(waysInWords(operands, ways, found));
  $("#said").replaceChildren(...lines);
  drawDiagram(rules, operands, ways, found.dtype === null ? null : joined);
}

/** What of the operands these rules do not look at, so that they count as any other array. */
function notLookedAt(rules, operands) {
  const forms = rules.forms[state.op];
  const words = [];
  if (operands.some((x) => x.zero) && !forms.includes("z")) words.push("whether an array has dimensions");
  if (operands.some((x) => x.weak) && !forms.includes("w")) words.push("whether an array is weak");
  return words.length ? `The ${rules.name} rules do not look at ${words.join(" or ")}.` : "";
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function waysInWords(operands, ways, found) {
  const list = make("ul", { class: "ways" });
  operands.forEach((x, i) => {
    const way = ways[i].length ? ways[i].join(" → ") : WITHOUT_PATH[found.rule] ?? "has no way up the diagram";
    list.append(make("li", {}, make("b", { text: describe(x) }), ` ${way}`));
  });
  return list;
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** The drawing of the executable dtypes, with columns to its right for the rarer ones among the operands and ways. */
function drawingFor(rules, starts, ways) {
  const { nodes, edges, size, box, step } = rules.drawing;
  const at = new Map(nodes.map(([name, x, y]) => [name, [x, y]]));
  const order = (n) => rules.above.get(n).size; // what has more above it stands lower
  const rarer = unique([...starts, ...ways.flat()]).filter((n) => rules.above.has(n) && !at.has(n)).sort((a, b) => order(a) - order(b));
  if (!rarer.length) return rules.drawing;
  const added = [];
  const wide = Math.max(box[0], ...rarer.map((name) => 16 + 7.3 * name.length));
  for (const name of rarer) {
    const heights = (neighbours) => neighbours.filter((n) => at.has(n)).map((n) => at.get(n)[1]);
    const higher = heights(rules.edges.filter(([a]) => a === name).map(([, b]) => b));
    const lower = heights(rules.edges.filter(([, b]) => b === name).map(([a]) => a));
    const y = higher.length ? Math.max(...higher) + step : lower.length ? Math.min(...lower) - step : size[1] - box[1] / 2 - 6;
    let x = size[0] + wide / 2 + 8;
    while (added.some(([, p, q]) => p === x && Math.abs(q - y) < box[1] + 8)) x += wide + 14;
    at.set(name, [x, y]);
    added.push([name, x, y, kindOfDtype(name), wide]);
  }
  const curves = rules.edges
    .filter(([a, b]) => at.has(a) && at.has(b) && (rarer.includes(a) || rarer.includes(b)))
    .map(([a, b]) => [a, b, curve(at.get(a), at.get(b), box[1] / 2)]);
  const right = Math.max(...added.map(([, x]) => x)) + wide / 2 + 6;
  const bottom = Math.max(size[1], ...added.map(([, , y]) => y + box[1] / 2 + 6));
  return { nodes: [...nodes, ...added], edges: [...edges, ...curves], size: [right, bottom], box };
}

/** An edge from the top of one node to the bottom of another. */
function curve([x, y], [p, q], half) {
  const [from, to] = [y - half, q + half];
  const bend = (from - to) / 2;
  return `M${x} ${from}C${x} ${from - bend} ${p} ${to + bend} ${p} ${to}`;
}

/** The edges of a drawing on the ways up. A drawing without the rarer dtypes has an edge in place of a way by them. */
function litEdges(drawing, ways) {
  const lit = new Set();
  const up = new Map();
  for (const [a, b] of drawing.edges) up.set(a, [...(up.get(a) ?? []), b]);
  for (const way of ways) {
    const drawn = way.filter((n) => drawing.nodes.some(([name]) => name === n));
    for (let i = 0; i + 1 < drawn.length; i++) {
      const steps = stepsBetween(up, drawn[i], drawn[i + 1]);
      for (let j = 0; j + 1 < steps.length; j++) lit.add(`${steps[j]} ${steps[j + 1]}`);
    }
  }
  return lit;
}

function stepsBetween(up, below, above) {
  const ways = [[below]];
  const seen = new Set([below]);
  for (const way of ways) {
    if (way.at(-1) === above) return way;
    for (const next of up.get(way.at(-1)) ?? []) {
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return [];
}

function drawDiagram(rules, operands, ways, found) {
  const starts = operands.map((x) => nodeUnder(rules, x)).map((n) => (n === "bool*" && !rules.above.has(n) ? "bool" : n));
  const drawing = drawingFor(rules, starts, ways);
  const lit = litEdges(drawing, ways);
  const top = found?.node ?? null;
  const marked = new Set([...starts, ...[...lit].flatMap((edge) => edge.split(" "))]);
  const [width, height] = drawing.size;
  const words = ways.filter((way) => way.length).map((way) => way.join(" to ")).join("; ");
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `The diagram of the ${rules.name} rules, each dtype below those it promotes to. ${words || "No way is lit"}.`,
  });
  const [boxWidth, boxHeight] = drawing.box;
  picture.append(arrowHeads());
  const inOrder = [...drawing.edges].sort(([a, b], [c, d]) => lit.has(`${a} ${b}`) - lit.has(`${c} ${d}`));
  for (const [a, b, d] of inOrder) {
    const on = lit.has(`${a} ${b}`);
    picture.append(svg("path", { d, class: on ? "edge lit" : "edge", "marker-end": `url(#${on ? "lit" : "dim"})`, "data-edge": `${a} ${b}` }));
  }
  for (const [name, x, y, kind, own = boxWidth] of drawing.nodes) {
    const on = name === top ? " top" : marked.has(name) ? " lit" : "";
    const node = svg("g", { class: `node k-${kind}${isDtype(name) ? "" : " weak"}${on}`, "data-node": name });
    node.append(
      svg("rect", { x: x - own / 2, y: y - boxHeight / 2, width: own, height: boxHeight, rx: 7 }),
      svg("text", { x, y: y + 4.5 }, name),
    );
    picture.append(node);
  }
  $("#drawing").replaceChildren(picture);
  $("#drawing").classList.toggle("wide", width > 700);
  $("#panel-path").classList.toggle("beside", width < 360);
  const at = drawing.nodes.filter(([name]) => marked.has(name)).map(([, x]) => x);
  if (at.length) $("#drawing").scrollLeft = (Math.min(...at) + Math.max(...at) - $("#drawing").clientWidth) / 2;
}

function arrowHeads() {
  const definitions = svg("defs", {});
  for (const name of ["dim", "lit"]) {
    const marker = svg("marker", { id: name, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" });
    marker.append(svg("path", { d: "M0 0.5L8 4L0 7.5z", class: `head ${name}` }));
    definitions.append(marker);
  }
  return definitions;
}

// --- heat maps -------------------------------------------------------------------------------------------------------

/** The operands of a heat map: the dtypes that all of these rule sets know, and Python scalars. */
function mapOperands(sets) {
  const everything = state.all && !state.op;
  const dtypes = sets[0].dtypes.filter(
    (d) => sets.every((rules) => rules.dtypes.includes(d)) && (everything || DTYPES.get(d).use === "compute"),
  );
  return [...dtypes, ...MAP_SCALARS];
}

function renderMap() {
  const sets = state.view === "diff" ? [chosenRules(), secondRules()] : [chosenRules()];
  if (state.view === "diff") $("#second").value = sets[1].name;
  $("#every").checked = state.all;
  $("#every").parentElement.hidden = Boolean(state.op) || sets.some((rules) => rules.dtypes.length === answers.executable.length);
  $("#cell").textContent = "";
  const grid = $("#grid");
  const key = [state.view, state.op, state.all, ...sets.map((rules) => rules.name)].join(" ");
  if (grid.dataset.key !== key) {
    grid.dataset.key = key;
    const differences = buildGrid(sets);
    renderLegend(sets, differences);
  }
  markCell();
}

/** Fill the grid, and return the pairs that differ as [a, b, first, second]. */
function buildGrid(sets) {
  const rows = mapOperands(sets);
  const one = answers.counts.get(state.op) === 1;
  const columns = one ? [null] : rows;
  const diff = sets.length > 1;
  const what = state.op ? `What ${state.op} gives` : "What each pair promotes to";
  const label = diff ? `${what} where ${sets[0].name} and ${sets[1].name} differ` : `${what} under ${sets[0].name}`;
  const differences = [];
  const head = make("tr", {}, make("td", { "aria-hidden": "true" }), ...columns.map((c) => header(c, "col")));
  const body = rows.map((row) => make("tr", {}, header(row, "row"), ...columns.map((column) => {
    const operands = [row, ...(column === null ? [] : [column])].map((text) => answers.operand(text));
    const found = sets.map((rules) => answers.ask(rules, state.op, operands));
    if (diff && found[0].dtype !== found[1].dtype) differences.push([row, column, ...found]);
    return gridCell(row, column, found);
  })));
  const table = make("table", { role: "grid", "aria-label": label, class: diff ? "heat diff" : "heat" }, make("thead", {}, head), make("tbody", {}, ...body));
  $("#grid").replaceChildren(table);
  return differences;
}

function header(text, scope) {
  if (text === null) return make("th", { scope, text: "result" });
  const x = answers.operand(text);
  return make("th", { scope, class: `k-${kindOf(x)}`, title: describe(x), text: isStrong(x) ? DTYPES.get(text).short : text });
}

const brief = (found) => (found.dtype === null ? "×" : DTYPES.get(found.dtype).short);

function gridCell(row, column, found) {
  const same = found.length > 1 && found[0].dtype === found[1].dtype;
  const cell = make("td", { role: "gridcell", tabindex: -1, "data-row": row, "data-column": column ?? "" });
  if (same) {
    cell.className = "same";
    cell.textContent = "·";
    return cell;
  }
  for (const one of found) {
    const part = make("span", { class: `k-${colourOf(one.dtype)}`, text: brief(one) });
    if (one.dtype !== null) part.style.setProperty("--strength", strength(one.dtype));
    cell.append(part);
  }
  return cell;
}

/** How strong a dtype's colour is: the wider, the stronger. */
function strength(name) {
  const { kind, bits } = DTYPES.get(name);
  if (kind === "b") return 0.3;
  const each = Math.min(kind === "c" ? bits / 2 : bits, 64);
  return { 64: 0.78, 32: 0.5, 16: 0.3 }[each] ?? 0.15;
}

function renderLegend(sets, differences) {
  const legend = $("#legend");
  legend.replaceChildren();
  $("#list").hidden = sets.length < 2 || !differences.length;
  if (sets.length < 2) {
    legend.append("A row is the first operand, a column the second. The wider the result, the stronger its colour; × is a refusal.");
    return;
  }
  // A pair that differs in the same way in both orders counts once, as in `latticework.diff_rules`.
  const seen = new Set();
  const listed = differences.filter(([a, b, x, y]) => {
    if (seen.has(`${b} ${a} ${x.dtype} ${y.dtype}`)) return false;
    seen.add(`${a} ${b} ${x.dtype} ${y.dtype}`);
    return true;
  });
  const compared = $$("#grid [role=gridcell]").length;
  legend.append(
    make("strong", { text: `${listed.length} pairs differ` }),
    `, of ${compared} ordered ones. In each cell that differs, ${sets[0].name} is above and ${sets[1].name} below; · is the same, × a refusal.`,
  );
  const words = (text) => (text === null ? "" : describe(answers.operand(text)));
  const head = ["First operand", "Second operand", ...sets.map((rules) => rules.name)];
  $("#list .scroll").replaceChildren(
    make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", text })))),
      make("tbody", {}, ...listed.map(([a, b, x, y]) => make("tr", {},
        make("th", { scope: "row", text: words(a) }), make("td", { text: words(b) }), make("td", {}, chip(x)), make("td", {}, chip(y)))))),
  );
}

/** Mark the cell of the chosen operands, and let the keyboard begin there. */
function markCell() {
  const [row, column] = [state.x[0], answers.counts.get(state.op) === 1 ? "" : state.x[1]];
  const cells = $$("#grid [role=gridcell]");
  for (const cell of cells) {
    const chosen = cell.dataset.row === row && cell.dataset.column === column;
    cell.tabIndex = chosen ? 0 : -1;
    if (chosen) cell.setAttribute("aria-selected", "true");
    else cell.removeAttribute("aria-selected");
  }
  if (!cells.some((cell) => cell.tabIndex === 0)) cells[0].tabIndex = 0;
  if ($("#grid").contains(document.activeElement)) showCell(document.activeElement);
}

function moveInGrid(event) {
  const cell = event.target.closest("[role=gridcell]");
  if (!cell) return;
  const rows = $$("#grid tbody tr").map((row) => $$("[role=gridcell]", row));
  const y = rows.findIndex((row) => row.includes(cell));
  const x = rows[y].indexOf(cell);
  const last = rows[0].length - 1;
  const end = event.ctrlKey;
  const targets = {
    ArrowRight: [y, x + 1], ArrowLeft: [y, x - 1], ArrowDown: [y + 1, x], ArrowUp: [y - 1, x],
    Home: [end ? 0 : y, 0], End: [end ? rows.length - 1 : y, last],
    PageUp: [0, x], PageDown: [rows.length - 1, x],
  };
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseCell(event);
  } else if (event.key in targets) {
    event.preventDefault();
    const [row, column] = targets[event.key];
    rows[row]?.[column]?.focus();
  }
}

function chooseCell(event) {
  const cell = event.target.closest("[role=gridcell]");
  if (!cell) return;
  const { row, column } = cell.dataset;
  go({ x: [row, column || state.x[1], ...state.x.slice(2)] });
}

function sayCell(event) {
  const cell = event.target.closest("[role=gridcell]");
  if (!cell) return;
  for (const other of $$("#grid [role=gridcell][tabindex='0']")) other.tabIndex = -1;
  cell.tabIndex = 0;
  showCell(cell);
}

/** Say what is in a cell, with its reason, below the grid. */
function showCell(cell) {
  const operands = [cell.dataset.row, cell.dataset.column].filter(Boolean).map((text) => answers.operand(text));
  const words = operands.map(describe);
  const asked = state.op ? `${state.op}(${words.join(", ")})` : words.join(" + ");
  const sets = state.view === "diff" ? [chosenRules(), secondRules()] : [chosenRules()];
  const said = sets.map((rules) => {
    const found = answers.ask(rules, state.op, operands);
    return `${shownAs(found)} under ${rules.name}: ${found.why}`;
  });
  $("#cell").textContent = `${asked} is ${said.join("; ")}.`;
}

// --- code to copy ----------------------------------------------------------------------------------------------------

function pythonOf(x) {
  if (!isStrong(x)) return x.text;
  const name = DTYPES.get(x.dtype).use === "rules" ? `lw.Dtype("${x.dtype}")` : `lw.${x.dtype}`;
  if (!x.zero && !x.weak) return name;
  return `lw.Operand(${name}, ${x.zero ? "zero_dim" : "weak"}=True)`;
}

function codeOf() {
  const operation = state.op ? `, operation="${state.op}"` : "";
  const lines = ["import latticework as lw", ""];
  if (state.view === "path") {
    lines.push(`print(lw.explain(${taking().map(pythonOf).join(", ")}, rules="${state.rules}"${operation}))`);
    return lines.join("\n");
  }
  const sets = state.view === "diff" ? [state.rules, secondRules().name] : [state.rules];
  const operands = mapOperands(sets.map((name) => answers.rules.get(name)));
  const dtypes = operands.filter((text) => DTYPES.has(text));
  const whole = dtypes.join() === answers.executable.join();
  const listed = whole ? "*lw.all_dtypes" : `*map(lw.Dtype, "${dtypes.join(" ")}".split())`;
  lines.push(`operands = [${listed}, ${MAP_SCALARS.join(", ")}]`);
  if (state.view === "diff") lines.push(`print(lw.diff_rules("${sets[0]}", "${sets[1]}", operands${operation}))`);
  else if (answers.counts.get(state.op) === 1) lines.push(`for x in operands:`, `    print(lw.explain(x, rules="${state.rules}"${operation}))`);
  else lines.push(`for x in operands:`, `    for y in operands:`, `        print(lw.explain(x, y, rules="${state.rules}"${operation}))`);
  return lines.join("\n");
}

async function copyCode() {
  const text = $("#code").textContent;
  try {
    await navigator.clipboard.writeText(text);
    $("#copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren($("#code")); // a browser may refuse: then it is selected for Ctrl+C
    $("#copy").textContent = "Selected";
  }
  setTimeout(() => ($("#copy").textContent = "Copy"), 2000);
}

build();
render();
addEventListener("hashchange", render);
