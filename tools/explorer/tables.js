"use strict";
/* The tables that the library wrote: every answer for one or two operands that a rule set knows.
 *
 * An operand is written as the command line has it: `int8`, `0d:int8`, `weak:int8`, `300`. A question is a rule set, an
 * operation ("" for promotion alone) and operands; an answer is {dtype, weak, rule, node, why, out}.
 */

class Answers {
  constructor(data) {
    prepare(data);
    this.data = data;
    this.rules = new Map(data.rules.map((rules) => [rules.name, rules]));
    this.executable = data.dtypes.filter(([, , , use]) => use === "compute").map(([name]) => name);
    this.scalars = new Map(
      data.scalars.map(([text, words, kind, value]) => [text, { text, words, scalar: kind, value }]),
    );
    /** How many operands each operation takes here; "" takes any number. */
    this.counts = new Map(data.operations.flatMap(([, names]) => names));
    this.digit = new Map([...data.digits].map((c, i) => [c, i]));
    this.read = new Map();
  }

  /** An operand from its text, or null if it is none. */
  operand(text) {
    if (this.scalars.has(text)) return this.scalars.get(text);
    const [form, dtype] = text.includes(":") ? text.split(":") : ["", text];
    if (!DTYPES.has(dtype) || !["", "0d", "weak"].includes(form)) return null;
    return { text, dtype, zero: form === "0d", weak: form === "weak" };
  }

  /** The dtypes that the tables of a rule set and an operation have. */
  dtypesOf(rules, operation) {
    return operation ? this.executable : rules.dtypes;
  }

  /** Where an operand stands in the rows and columns of a table; -1 if it has no place there. */
  position(rules, operation, x) {
    const dtypes = this.dtypesOf(rules, operation);
    const forms = rules.forms[operation];
    if (!isStrong(x)) return dtypes.length * (1 + forms.length) + [...this.scalars.keys()].indexOf(x.text);
    const place = dtypes.indexOf(x.dtype);
    if (place < 0) return -1;
    const form = x.zero ? "z" : x.weak ? "w" : "";
    return place + (form && forms.includes(form) ? dtypes.length * (1 + forms.indexOf(form)) : 0);
  }

  /** The cells of a table: positions in the list of answers, row by row. */
  table(rules, operation) {
    const number = this.data.table_of[rules.name][operation];
    if (!this.read.has(number)) {
      const [, wide, own, cells] = this.data.tables[number].match(/^(\d)([\d,]+) (.*)$/s);
      const positions = own.split(",").map(Number);
      const found = [];
      for (let i = 0; i < cells.length; i += Number(wide)) {
        let place = this.digit.get(cells[i]);
        if (wide === "2") place = place * this.digit.size + this.digit.get(cells[i + 1]);
        found.push(positions[place]);
      }
      this.read.set(number, found);
    }
    return this.read.get(number);
  }

  /** One answer of the list. */
  listed(position) {
    const [dtype, weak, ...texts] = this.data.answers[position];
    const [rule, node, why, out] = texts.map((i) => this.data.texts[i]);
    return { dtype: dtype < 0 ? null : this.data.dtypes[dtype][0], weak: Boolean(weak), rule, node, why, out };
  }

  /** What a rule set answers. */
  ask(rules, operation, operands) {
    const places = operands.map((x) => this.position(rules, operation, x));
    const count = operation ? this.counts.get(operation) : 2;
    if (places.length !== count || places.includes(-1)) return explain(rules, operands);
    const size = this.dtypesOf(rules, operation).length * (1 + rules.forms[operation].length) + this.scalars.size;
    const cell = count === 1 ? places[0] : places[0] * size + places[1];
    return this.listed(this.table(rules, operation)[cell]);
  }

  /** For each operand the way up the diagram, as `latticework.explain` has it. */
  paths(rules, operation, operands, found) {
    if (found.dtype === null) return operands.map(() => []);
    return paths(rules, operands, operation ? this.ask(rules, "", operands) : found);
  }
}
