"use strict";
/* How rule sets join operands: `latticework.promotion` in JavaScript, with the diagrams as data.
 *
 * The page takes every answer for one or two operands from the tables that the library wrote. What is here finds the
 * ways up the diagram, and the answer for three and four operands, and for dtypes that a rule set does not know. The
 * names are those of the Python modules. The tests compare each function with the library.
 *
 * An operand is {dtype, zero, weak} for an array, with the dtype's name, or {scalar: kind, value} for a Python scalar.
 */

class Refused extends Error {
  constructor(rules, why = "") {
    super(why);
    this.why = why || rules.reason || "the diagram has no node above all of them";
  }
}

const KIND_ORDER = { b: 0, u: 1, i: 1, f: 2, c: 3 };
const WEAK = { b: "bool*", i: "int*", f: "float*", c: "complex*" };
const KIND_OF = { "bool*": "b", "int*": "i", "float*": "f", "complex*": "c" };
const CATEGORY = { b: 0, u: 1, i: 1, f: 2, c: 3 };

/** The dtypes by name: {kind, bits, use, short}. `prepare` fills it. */
const DTYPES = new Map();

/** Read the description of each dtype and of each rule set, and add what is computed from it once. */
function prepare(data) {
  for (const [name, kind, bits, use, short] of data.dtypes) DTYPES.set(name, { kind, bits, use, short });
  for (const rules of data.rules) {
    rules.above = closed(rules);
    rules.pairs = new Map(rules.exceptions.map(([a, b, c]) => [`${a} ${b}`, c]));
    rules.usual = data.usual;
  }
}

/** Every node that each node promotes to, itself included. */
function closed(rules) {
  const direct = new Map();
  for (const [a, b] of rules.edges) {
    if (!direct.has(a)) direct.set(a, []);
    if (!direct.has(b)) direct.set(b, []);
    direct.get(a).push(b);
  }
  const above = new Map();
  const close = (node) => {
    if (!above.has(node)) above.set(node, new Set([node, ...direct.get(node).flatMap((up) => [...close(up)])]));
    return above.get(node);
  };
  for (const node of direct.keys()) close(node);
  for (const dtype of rules.dtypes) if (!above.has(dtype)) above.set(dtype, new Set([dtype]));
  return above;
}

const isDtype = (node) => !node.endsWith("*");
const isStrong = (x) => x.scalar === undefined;
/** Whether an operand is given as a dtype alone, an array of at least one dimension that is not weak. */
const isPlain = (x) => isStrong(x) && !x.zero && !x.weak && !x.cast;
const kindOf = (x) => (isStrong(x) ? DTYPES.get(x.dtype).kind : x.scalar);
const nodeOf = (x) => (isStrong(x) ? x.dtype : WEAK[x.scalar]);
const kindOfDtype = (name) => DTYPES.get(name).kind;
const complexOf = (name) => (kindOfDtype(name) === "c" ? name : name === "float64" ? "complex128" : "complex64");
const unique = (values) => [...new Set(values)];
/** Of some values the first with the greatest key, as Python's `max` has it. */
const greatest = (values, key) => values.reduce((best, v) => (key(v) > key(best) ? v : best));

function describe(x) {
  if (!isStrong(x)) return x.scalar === "b" ? "Python bool" : x.words;
  return `${x.weak ? "weak " : ""}${x.zero ? "0-d " : ""}${x.dtype}`;
}

// --- two nodes -------------------------------------------------------------------------------------------------------

function minimalBounds(rules, ...nodes) {
  const [first, ...others] = nodes.map((n) => rules.above.get(n));
  const common = [...first].filter((n) => others.every((set) => set.has(n)));
  return common.filter((n) => !common.some((m) => m !== n && rules.above.get(m).has(n))).sort();
}

/** The join of two nodes and what gave it, or null. */
function pair(rules, a, b) {
  const found = generalPair(rules, a, b);
  if (rules.how !== "NumPy" || !found || found[0] === a || found[0] === b) return found;
  const extensions = [a, b].filter((n) => rules.own.extensions.includes(n));
  return !extensions.length || (extensions.length === 1 && extensions[0] === "float8_e5m2") ? found : null;
}

function generalPair(rules, a, b) {
  if (!rules.above.has(a) || !rules.above.has(b)) return null;
  const exception = rules.pairs.get(`${a} ${b}`);
  if (exception !== undefined) return exception === null ? null : [exception, "exception"];
  if (a === b) return [a, "same"];
  const bounds = minimalBounds(rules, a, b);
  if (bounds.length !== 1 || (rules.upwards && bounds[0] !== a && bounds[0] !== b)) return null;
  return [bounds[0], "lattice"];
}

function join(rules, a, b) {
  const found = pair(rules, a, b);
  if (!found) throw new Refused(rules, whyNoJoin(rules, a, b));
  return found;
}

function whyNoJoin(rules, ...nodes) {
  const unknown = nodes.find((n) => !rules.above.has(n));
  if (unknown !== undefined) {
    if (!(unknown in KIND_OF)) return `${unknown} is not among their dtypes`;
    if (rules.weak === "kind") return "";
    return `the diagram has no node ${unknown} for a Python scalar. Add one, or make the rules with weak="kind"`;
  }
  if (nodes.length === 2 && rules.pairs.has(`${nodes[0]} ${nodes[1]}`)) return "";
  const bounds = minimalBounds(rules, ...nodes);
  return bounds.length > 1 && !rules.upwards ? `${bounds.join(", ")} would all do` : "";
}

/** The least node above all of these. */
function joinAll(rules, nodes) {
  const distinct = unique(nodes);
  if (distinct.length === 2) return join(rules, ...distinct);
  if (distinct.some((n) => !rules.above.has(n))) throw new Refused(rules, whyNoJoin(rules, ...distinct));
  if (distinct.length === 1) {
    const [only] = distinct;
    return rules.pairs.has(`${only} ${only}`) ? join(rules, only, only) : [only, "same"];
  }
  const bounds = minimalBounds(rules, ...distinct);
  if (bounds.length !== 1) throw new Refused(rules, whyNoJoin(rules, ...distinct));
  return [bounds[0], "lattice"];
}

const settle = (rules, node) =>
  isDtype(node) ? node : node in rules.becomes ? rules.becomes[node] : rules.defaults[KIND_OF[node]];

const answer = (dtype, weak, rule, node = "") => ({ dtype, weak, rule, node });

// --- any number of operands, for each class of rules -----------------------------------------------------------------

/** What some operands are brought to: {dtype, weak, rule, node}. Throws `Refused`. */
function result(rules, operands) {
  for (const x of operands) {
    if (!isStrong(x) || rules.above.has(x.dtype)) continue;
    const storage = DTYPES.get(x.dtype).use === "storage";
    if (storage && operands.every((other) => givesWay(other, x.dtype))) return answer(x.dtype, false, "same");
    throw new Refused(rules, `${x.dtype} is not among their dtypes`);
  }
  return RESOLVE[rules.how](rules, operands);
}

const givesWay = (x, storage) => (isStrong(x) ? x.dtype === storage : KIND_ORDER[x.scalar] <= KIND_ORDER[kindOfDtype(storage)]);

function fold(rules, nodes) {
  let [node, rule] = [nodes[0], "same"];
  for (const other of nodes.slice(1)) {
    const [next, found] = join(rules, node, other);
    [node, rule] = [next, found === "same" ? rule : found];
  }
  return [node, rule];
}

function resolveUsual(rules, operands) {
  if (rules.weak === "kind") return byKind(rules, operands);
  const nodes = operands.map(nodeOf).map((n) => (n === "bool*" && !rules.above.has(n) ? "bool" : n));
  let [node, rule] = rules.fold === "left" ? fold(rules, nodes) : joinAll(rules, nodes);
  if (!isDtype(node)) return answer(settle(rules, node), false, node in KIND_OF ? "default" : rule, node);
  const strong = nodes.filter(isDtype);
  if (strong.length < nodes.length && node === joinAll(rules, strong.length ? strong : nodes)[0]) rule = "weak";
  return answer(node, false, rule);
}

function byKind(rules, operands) {
  let strong = operands.filter(isStrong).map((x) => x.dtype);
  const scalars = operands.filter((x) => !isStrong(x)).map(kindOf);
  const scalar = scalars.length ? greatest(scalars, (k) => KIND_ORDER[k]) : "";
  const top = Math.max(-1, ...strong.map((d) => KIND_ORDER[kindOfDtype(d)]));
  let kept = scalar ? "weak" : "";
  if (scalar === "c" && top === KIND_ORDER.f) {
    strong = [...strong, ...strong.filter((d) => kindOfDtype(d) === "f").map(complexOf)];
    kept = "default";
  } else if (scalar && KIND_ORDER[scalar] > top) {
    strong.push(rules.defaults[scalar]);
    kept = "default";
  }
  if (rules.fold === "join") {
    const [node, rule] = joinAll(rules, strong);
    return answer(node, false, kept || rule);
  }
  if (rules.fold === "kind") {
    const peak = greatest(strong, (d) => KIND_ORDER[kindOfDtype(d)]);
    const other = (d) => kindOfDtype(d) !== kindOfDtype(peak);
    if (KIND_ORDER[kindOfDtype(peak)] >= KIND_ORDER.f && strong.some(other)) {
      strong = strong.map((d) => (other(d) ? join(rules, d, peak)[0] : d));
      kept ||= "lattice";
    }
  }
  const [first] = joinAll(rules, strong.slice(0, 1));
  const [node, rule] = fold(rules, [first, ...strong.slice(1)]);
  return answer(node, false, kept || rule);
}

// NumPy 2: the dtype that knows the most is found first, and meets each of the others.

function resolveNumPy(rules, operands) {
  const inOrder = [...operands.filter(isPlain), ...operands.filter((x) => !isPlain(x))];
  const nodes = inOrder.map(nodeOf).map((n) => (n === "bool*" ? "bool" : n));
  const [main, ...others] = knowing(rules, nodes);
  const results = others.length ? [] : [main];
  for (const other of others) {
    const met = ask(rules, main, other);
    if (met === null) throw new Refused(rules, whyNoJoin(rules, main, other));
    results.push(met);
  }
  let node = results[0];
  for (const other of results.slice(1)) {
    const common = node === other ? node : ask(rules, node, other) ?? ask(rules, other, node);
    if (common === null) throw new Refused(rules, whyNoJoin(rules, node, other));
    node = common;
  }
  if (!isDtype(node)) return answer(settle(rules, node), false, "default");
  return answer(node, false, ruleOfNumPy(rules, nodes, node));
}

function ruleOfNumPy(rules, nodes, node) {
  const strong = unique(nodes.filter(isDtype));
  if (strong.length === 1) return node !== strong[0] ? "default" : nodes.length > 1 ? "weak" : "same";
  const found = strong.length === 2 ? pair(rules, ...strong) : null;
  return found ? found[1] : "lattice";
}

/** The nodes without what cannot influence the result; the one that is asked about the others comes first. */
function knowing(rules, nodes) {
  const asked = [...nodes];
  const dropped = new Set();
  for (let left = nodes.length; left > 1; left -= left >> 1) {
    for (let low = 0; low < left >> 1; low++) {
      const high = left - 1 - low;
      const met = asked[low] === asked[high] ? asked[low] : ask(rules, asked[low], asked[high]);
      if (met === null) [asked[low], asked[high]] = [asked[high], asked[low]];
      else if (met === asked[low]) dropped.add(high);
    }
  }
  return asked.filter((_, i) => !dropped.has(i));
}

/** What `a` knows that it has in common with `b`; null where it does not know, but `b` may. */
function ask(rules, a, b) {
  const { extensions, numbers } = rules.own;
  if (!isDtype(a)) return askScalar(rules, a, b);
  if (!isDtype(b)) {
    const kind = kindOfDtype(a);
    const top = KIND_OF[b];
    if (extensions.includes(a) || kind === "b") return null;
    if (top === "c" && kind === "f") return a === "longdouble" ? "clongdouble" : complexOf(a);
    return KIND_ORDER[kind] >= KIND_ORDER[top] ? a : null;
  }
  if (numbers[b] > numbers[a]) return null;
  const found = pair(rules, a, b);
  return found ? found[0] : null;
}

function askScalar(rules, a, b) {
  const kind = KIND_OF[a];
  if (!isDtype(b)) return KIND_ORDER[KIND_OF[b]] <= KIND_ORDER[kind] ? a : null;
  if (rules.own.extensions.includes(b)) {
    return rules.own.stand_ins[kind].map((standIn) => ask(rules, b, standIn)).find((met) => met !== null) ?? null;
  }
  return KIND_ORDER[kindOfDtype(b)] < Math.min(KIND_ORDER[kind], KIND_ORDER.f) ? rules.defaults[kind] : null;
}

// NumPy 1: each scalar counts as the least dtype that holds its value.

const CATEGORY_1 = { b: 0, u: 1, i: 1, f: 2, c: 2 };
const LEAST = { b: 0, u: 0, i: 0, f: 0, c: 0 };
const LIMITS_1 = {
  f: [["float16", 65000], ["float32", 3.4e38], ["float64", 1.7e308]],
  c: [["complex64", 3.4e38], ["complex128", 1.7e308]],
};

function resolveNumPy1(rules, operands) {
  const hasDimensions = (x) => isStrong(x) && !x.zero;
  const top = Math.max(-1, ...operands.filter(hasDimensions).map((x) => CATEGORY_1[kindOf(x)]));
  const byValue = operands.every((x) => CATEGORY_1[kindOf(x)] <= top) && !operands.every(hasDimensions);
  if (!byValue) {
    return byKind(rules, operands.map((x) => ({ dtype: declared(rules, x), zero: false, weak: false })));
  }
  let node = null;
  let either = false;
  for (const x of operands) {
    const [dtype, small] = hasDimensions(x) ? [declared(rules, x), false] : least(rules, x);
    if (node === null) {
      [node, either] = [dtype, small];
      continue;
    }
    node = meetSmall(rules, node, either, dtype, small);
    either = either && small;
  }
  return answer(node, false, "value");
}

/** The join, where an integer that is small as a signed one too becomes signed beside what is no unsigned. */
function meetSmall(rules, a, aSmall, b, bSmall) {
  const signed = (name) => name.replace(/^u/, "");
  if (aSmall && !bSmall && !"bu".includes(kindOfDtype(b))) a = signed(a);
  else if (bSmall && !aSmall && !"bu".includes(kindOfDtype(a))) b = signed(b);
  return join(rules, a, b)[0];
}

const declared = (rules, x) => (isStrong(x) ? x.dtype : x.scalar === "b" ? "bool" : rules.defaults[x.scalar]);

/** The least dtype that holds a value, and whether it is an integer that the signed dtype holds too. */
function least(rules, x) {
  const kind = kindOf(x);
  const value = isStrong(x) ? LEAST[kind] : x.value; // the value of an array is not known here
  if (kind === "b") return ["bool", false];
  if (kind === "u" || kind === "i") {
    for (const bits of [8, 16, 32, 64]) {
      const [low, high] = value < 0 ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
      if (low <= value && value <= high) {
        return [`${value < 0 ? "int" : "uint"}${bits}`, value >= 0 && value <= Math.floor(high / 2)];
      }
    }
  }
  const own = declared(rules, x);
  for (const [name, limit] of LIMITS_1[kind]) {
    if (name === own || Math.abs(value) < limit) return [name, false];
  }
  return [own, false];
}

// JAX: weak arrays count as weak nodes.

const TRUNCATED = { int64: "int32", uint64: "uint32", float64: "float32", complex128: "complex64" };
const weakNode = (dtype) => {
  const kind = kindOfDtype(dtype);
  return kind === "b" ? dtype : WEAK[kind === "u" ? "i" : kind];
};

function readJax(rules, x) {
  const dtype = isStrong(x) ? x.dtype : rules.defaults[x.scalar];
  return [rules.own.x64 ? dtype : TRUNCATED[dtype] ?? dtype, isStrong(x) ? x.weak : x.scalar !== "b"];
}

function resolveJax(rules, operands) {
  const read = operands.map((x) => readJax(rules, x));
  const dtypes = unique(read.map(([d]) => d));
  const allWeak = read.every(([, w]) => w);
  if (dtypes.length === 1 && !(allWeak && read.length > 1)) {
    return answer(dtypes[0], read.length === 1 && read[0][1] && dtypes[0] !== "bool", "same");
  }
  if (allWeak && !rules.own.strict) {
    const [node, rule] = joinAll(rules, read.map(([d]) => d));
    return answer(settle(rules, node), node !== "bool", rule, node);
  }
  const [node, rule] = joinAll(rules, read.map(([d, w]) => (w ? weakNode(d) : d)));
  if (!isDtype(node)) return answer(settle(rules, node), true, "default", node);
  return answer(node, false, read.some(([, w]) => w) && dtypes.includes(node) ? "weak" : rule);
}

// Keras: a join of all operands, then the squash.

const nodeOfKeras = (rules, x) => (isStrong(x) || "if".includes(kindOf(x)) ? nodeOf(x) : rules.own.strong[x.scalar]);

function resolveKeras(rules, operands) {
  const squash = (dtype) => rules.own.squashed[dtype] ?? dtype;
  let nodes = operands.map((x) => nodeOfKeras(rules, x));
  const weak = nodes.filter((n) => !isDtype(n));
  if (weak.length === nodes.length) nodes = operands.map((x) => rules.own.strong[kindOf(x)]);
  let [node, rule] = joinAll(rules, nodes);
  if (weak.length === operands.length || !isDtype(node)) {
    const kind = node.includes("float") ? "float" : "int";
    return answer(squash(`${kind}${DTYPES.get(rules.defaults.f).bits}`), false, "default", `${kind}*`);
  }
  if (weak.length && rule === "lattice" && nodes.includes(node)) rule = "weak";
  return answer(squash(node), false, rule, node);
}

// TensorFlow: one dtype for all; and the two modes that have weak tensors.

function resolveTensorFlow(rules, operands) {
  const first = operands.find(isStrong);
  const dtype = first ? first.dtype : rules.defaults[operands[0].scalar];
  for (const x of operands) {
    const node = nodeOf(x);
    if (!rules.above.get(node)?.has(dtype)) {
      throw new Refused(rules, isDtype(node) ? "" : `a Python ${node.slice(0, -1)} does not become ${dtype}`);
    }
    if (x.scalar === "i" && !takesInt(dtype, x.value)) throw new Refused(rules, `the int does not become ${dtype}`);
  }
  return answer(dtype, false, operands.every(isStrong) ? "same" : "weak");
}

const takesInt = (dtype, value) => !(dtype === "uint64" && value < 0); // the page has no int beyond 64 bits

const WEAK_TENSORS = Object.fromEntries(
  ["int32", "int64", "float32", "float64", "complex128"].map((name) => [name, `${name}*`]),
);
const nodeOfTensor = (x) =>
  isStrong(x)
    ? (x.weak && WEAK_TENSORS[x.dtype]) || x.dtype
    : { b: "bool", i: "int32*", f: "float32*", c: "complex128*" }[x.scalar];

function resolveFlexible(rules, operands) {
  const nodes = operands.map(nodeOfTensor);
  const [node, rule] = fold(rules, nodes);
  if (!isDtype(node)) return answer(rules.becomes[node], true, "default", node);
  return answer(node, false, rule === "lattice" && nodes.some((n) => !isDtype(n)) ? "weak" : rule);
}

// MAX: exact casts of tensors, and weak values that are looked at.

function resolveMax(rules, operands) {
  const isWeak = (x) => !isStrong(x) || x.weak;
  const strong = operands.filter((x) => !isWeak(x)).map((x) => x.dtype);
  if (!strong.length) throw new Refused(rules, "at least one operand must be a tensor of MAX");
  let [node, rule] = joinAll(rules, strong.slice(0, 1));
  for (const other of strong.slice(1)) [node, rule] = join(rules, node, other);
  for (const x of operands.filter(isWeak)) {
    const why = unfit(rules, x, node);
    if (why) throw new Refused(rules, why);
  }
  return answer(node, false, strong.length === operands.length ? rule : "value");
}

/** Why a weak value does not become a dtype, or nothing. */
function unfit(rules, x, dtype) {
  const array = isStrong(x);
  const kind = kindOf(x);
  const target = DTYPES.get(dtype);
  if (kind === "c" || (kind === "f" && target.kind !== "f" && !(array && dtype === "bool"))) {
    return `${array ? "" : "a Python "}${kind === "c" ? "complex" : "float"} does not become ${dtype}`;
  }
  if (!array && target.bits < 8) return `MAX makes no ${dtype} of a Python value`;
  if (array || !"iub".includes(kind)) return ""; // the value of an array is not known here
  const [low, high] =
    target.kind === "u" ? [0, 2 ** target.bits - 1]
    : target.kind === "i" ? [-(2 ** (target.bits - 1)), 2 ** (target.bits - 1) - 1]
    : rules.own.ranges[dtype];
  const value = kind === "b" ? Number(x.value) : x.value;
  return low <= value && value <= high ? "" : `${x.text} is not exact as ${dtype}`;
}

// PyTorch: three tiers. Paddle: tiers too, and few pairs within the first.

const tierOf = (x) => (isStrong(x) ? (x.zero ? 1 : 0) : 2);

function resolveTorch(rules, operands) {
  const tiers = [null, null, null];
  let rule = "same";
  for (const x of operands) {
    const tier = tierOf(x);
    let dtype = isStrong(x) ? x.dtype : x.scalar === "c" ? rules.own.complex_of[rules.defaults.f] : rules.defaults[x.scalar];
    if (tiers[tier] !== null) {
      const [next, found] = join(rules, tiers[tier], dtype);
      [dtype, rule] = [next, found === "same" ? rule : found];
    }
    tiers[tier] = dtype;
  }
  const [dimensioned, zero, wrapped] = tiers;
  const found = combine(rules, dimensioned, combine(rules, zero, wrapped));
  if (tiers.filter((t) => t !== null).length > 1) {
    const ofArray = found === dimensioned || found === zero;
    rule = !ofArray ? "default" : wrapped === null ? "zero-dim" : "weak";
    if (ofArray && found !== (dimensioned ?? zero)) rule = "category";
  } else if (dimensioned === null && zero === null) {
    rule = "default";
  }
  return answer(found, false, rule);
}

/** PyTorch's `combine_categories`. */
function combine(rules, higher, lower) {
  if (higher === null || lower === null) return higher ?? lower;
  const [high, low] = [kindOfDtype(higher), kindOfDtype(lower)];
  if (high === "c") return higher;
  if (high === "f") {
    if (low !== "c") return higher;
    if (!(higher in rules.own.complex_of)) throw new Refused(rules, `${higher} has no complex partner`);
    return rules.own.complex_of[higher];
  }
  if (low === "c") return lower;
  return high === "b" || low === "f" ? join(rules, higher, lower)[0] : higher;
}

function resolvePaddle(rules, operands) {
  const [first, ...others] = operands;
  let [dtype, tier, rule] = [declared(rules, first), tierOf(first), "same"];
  for (const x of others) {
    const [other, lower] = [declared(rules, x), tierOf(x)];
    if (tier === lower) {
      const kinds = kindOfDtype(dtype) + kindOfDtype(other);
      if (tier === 0 && dtype !== other && kinds !== "ff" && !kinds.includes("c")) throw new Refused(rules);
      const [next, found] = join(rules, dtype, other);
      [dtype, rule] = [next, found === "same" ? rule : found];
      continue;
    }
    const [high, low] = tier < lower ? [dtype, other] : [other, dtype];
    [dtype, rule] = meetTier(rules, high, low);
    tier = Math.min(tier, lower);
  }
  return answer(dtype, false, tier === 2 ? "default" : rule);
}

function meetTier(rules, high, low) {
  const [a, b] = [kindOfDtype(high), kindOfDtype(low)];
  const joined = join(rules, high, low); // refuses what is alone in the diagram
  if ((a === "c") !== (b === "c")) return joined;
  return CATEGORY[b] > CATEGORY[a] ? [low, "category"] : [high, "zero-dim"];
}

const RESOLVE = {
  "": resolveUsual,
  NumPy: resolveNumPy,
  NumPy1: resolveNumPy1,
  Jax: resolveJax,
  Keras: resolveKeras,
  TensorFlow: resolveTensorFlow,
  Flexible: resolveFlexible,
  Max: resolveMax,
  Torch: resolveTorch,
  Paddle: resolvePaddle,
};

// --- the reason, the ways up and the way out -------------------------------------------------------------------------

const DECIDED = {
  same: "the operands have this dtype",
  lattice: "the least node of the diagram above all of them",
  exception: "a pair that does not follow the diagram",
  table: "the table of the rules",
  weak: "Python scalars and other weak operands give way",
  default: "a Python scalar brings the default dtype of its kind",
  "zero-dim": "arrays without dimensions, and scalars, give way",
  category: "what would give way is of a higher category",
  value: "the values of scalars were looked at",
};
const WEAK_NODES = {
  "int*": "the weak dtype of ints",
  "float*": "the weak dtype of floats",
  "complex*": "the weak dtype of complex numbers",
};
const WITHOUT_PATH = { weak: "gives way", "zero-dim": "gives way", operation: "gives way", value: "fits by its value" };

/** `latticework.explain` of operands without an operation: {dtype, weak, rule, node, why, out}. */
function explain(rules, operands) {
  try {
    const found = result(rules, operands);
    return { ...found, node: found.node || found.dtype, why: wordsOf(found, operands), out: "" };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { dtype: null, weak: false, rule: "refused", node: "", why: error.why, out: wayOut(rules, operands) };
  }
}

function wordsOf(found, operands) {
  const own = unique(operands.filter(isStrong).map((x) => x.dtype));
  const { node, rule, dtype } = found;
  if (rule === "same" && own.length && !own.includes(dtype)) {
    return `the operands have ${own[0]}, which these rules cut to ${dtype}`;
  }
  if (rule === "default" && node in WEAK_NODES) {
    return `the diagram joins them at ${node}, ${WEAK_NODES[node]}, which is ${dtype} by default`;
  }
  if (node.endsWith("*")) return `the diagram joins them at ${node}, a node that stands for ${dtype}`;
  if (node && node !== dtype) return `${DECIDED[rule]} is ${node}, which these rules cut to ${dtype}`;
  return DECIDED[rule];
}

/** The node of the diagram that an operand counts as. */
function nodeUnder(rules, x) {
  if (rules.how === "Flexible") return nodeOfTensor(x);
  if (rules.how === "Keras") return nodeOfKeras(rules, x);
  if (rules.how !== "Jax") return nodeOf(x);
  const [dtype, weak] = readJax(rules, x);
  return weak ? weakNode(dtype) : dtype;
}

/** For each operand, the way up the diagram from its node to the result's; empty where there is none. */
function paths(rules, operands, found) {
  if (found.dtype === null) return operands.map(() => []);
  return operands.map((x) => {
    const way = path(rules, nodeUnder(rules, x), found.node);
    return !way.length && found.rule === "default" && !isStrong(x) ? [found.node] : way;
  });
}

/** A shortest way up the diagram, by the executable dtypes if it can; empty if there is none. */
function path(rules, below, above) {
  if (below === "bool*" && !rules.above.has(below)) below = "bool";
  const usual = (node) => !isDtype(node) || DTYPES.get(node).use === "compute";
  for (const narrow of [true, false]) {
    let ways = new Map([[below, [below]]]);
    while (ways.size) {
      if (ways.has(above)) return ways.get(above);
      const next = new Map();
      for (const [node, way] of ways) {
        for (const [a, b] of rules.edges) {
          if (a === node && (!narrow || b === above || usual(b))) next.set(b, [...way, b]);
        }
      }
      ways = next;
    }
  }
  return [];
}

const width = (name) => [KIND_ORDER[kindOfDtype(name)] ?? 4, DTYPES.get(name).bits];
const compareWidth = (a, b) => {
  const [p, q] = [width(a), width(b)];
  return p[0] - q[0] || p[1] - q[1];
};

/** Whether a cast loses negative integers, or those that only an unsigned dtype of that width holds. */
function changesSign(own, target) {
  const [a, b] = [DTYPES.get(own), DTYPES.get(target)];
  return (a.kind === "i" && b.kind === "u") || (a.kind === "u" && b.kind === "i" && b.bits <= a.bits);
}

/** The cast of one operand that settles a refusal, in words; empty where no cast does. */
function wayOut(rules, operands) {
  const found = settling(rules, operands);
  if (!found) return "";
  const [i, target] = found;
  const loses = kindOf(operands[i]) === "i" && kindOfDtype(target) === "u" ? ", which loses negative numbers" : "";
  return `cast ${operands.length > 1 ? `x${i + 1}` : "x"} to ${target}${loses}`;
}

function settling(rules, operands) {
  const own = new Map(operands.map((x, i) => [i, x.dtype]).filter(([, d]) => d !== undefined));
  const present = unique(own.values()).sort((a, b) => compareWidth(b, a));
  const candidates = rules.dtypes.filter((d) => DTYPES.get(d).use === "compute" && !present.includes(d)).sort(compareWidth);
  const scalars = operands.filter((x) => !isStrong(x) && "fc".includes(x.scalar)).map(kindOf);
  if (scalars.length) {
    const usual = rules.usual[scalars.includes("c") ? "c" : "f"];
    candidates.sort((a, b) => (a !== usual) - (b !== usual));
  }
  const narrowFirst = [...own.keys()].sort((i, j) => compareWidth(own.get(i), own.get(j)));
  for (const [upwards, lossless] of [[true, true], [true, false], [false, false]]) {
    for (const target of [...present, ...(upwards ? candidates : [...candidates].reverse())]) {
      for (const i of narrowFirst) {
        const from = own.get(i);
        if (lossless && changesSign(from, target)) continue;
        if (from === target || compareWidth(target, from) >= 0 !== upwards) continue;
        if (kindOfDtype(from) === "c" && kindOfDtype(target) !== "c") continue;
        if (joins(rules, operands.map((x, j) => (j === i ? cast(x, target) : x)))) return [i, target];
      }
    }
  }
  return null;
}

/** An array in another dtype. What was weak or 0-d does not count as a dtype alone. */
const cast = (x, target) => ({ ...x, dtype: target, weak: false, cast: !isPlain(x) });

function joins(rules, operands) {
  try {
    result(rules, operands);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return false;
  }
}
