"use strict";
/* The search: each page once, with its first sentence. Sphinx's index says which words are where. `found.js`, which is
 * written with the site, has the first sentence of each page, and the words that it is found by: the names that other
 * libraries have for a function, and what people ask that the page answers in other words.
 *
 * This takes the place of Sphinx's own `Search.query`, which lists a page once for each way in which it was found, and
 * fetches each page for a summary.
 */

const SiteSearch = {
  /** Of each page its first sentence, the names that it is found by, the function that it is another name of, and its
   * answers: what is asked, and the section that answers. */
  pages: {},
  /** How long a list of results is at most. */
  most: 40,
  /** Pages of many words, which come after those that are about one of them. */
  long: /^(changes|functions|support|operators|dialects|conformance|contributing|port\/|reference\/index$)/,
  /** Modules by the names that people import them under: entries of the index have these. */
  short: [
    [/^(torch\.nn\.functional|nn\.functional)\./, "f."],
    [/^jax\.numpy\./, "jnp."],
    [/^numpy\./, "np."],
    [/^tensorflow\./, "tf."],
    [/^latticework\./, "lw."],
  ],

  /** What was asked, in one form: in lower case, modules by their short names, and without what follows a bracket. */
  asked(query) {
    let text = query.toLowerCase().trim().replace(/\s+/g, " ");
    if (/^[\w.]+\(.*\)?$/.test(text)) text = text.replace(/\(.*$/, "");
    for (const [long, short] of SiteSearch.short) text = text.replace(long, short);
    return text;
  },

  /** The names of functions among the words: those with a dot, as `torch.cat`, and what an error says is not there. */
  names(text) {
    const found = (text.match(/[a-z_]\w*(?:\.\w+)+/g) ?? []).map(SiteSearch.asked);
    return found.concat(text.match(/(?<=has no attribute ['"])\w+/) ?? []);
  },

  /** The pages for a query, the best first: name, title, anchor, first sentence and score of each. */
  found(query) {
    const index = Search._index;
    const asked = SiteSearch.asked(query);
    const best = new Map(); // the number of a page -> its score, and where on it to look
    const give = (page, score, anchor = "", title = "") => {
      const known = best.get(page) ?? { score: 0, section: 0, anchor: "", title: "" };
      known.score = Math.max(known.score, score);
      if (title && score > known.section) Object.assign(known, { section: score, anchor, title });
      best.set(page, known);
    };
    SiteSearch.byName(index, asked, SiteSearch.names(query.toLowerCase()), give);
    SiteSearch.byAnswer(index, asked, give);
    SiteSearch.byTitle(index, asked, give);
    SiteSearch.bySentence(index, asked, give);
    for (const [page, score] of SiteSearch.byWords(index, query)) {
      give(page, 0);
      best.get(page).score += score;
    }
    const results = [...best].map(([page, { score, anchor, title }]) => {
      const name = index.docnames[page];
      const own = index.titles[page];
      const [says, , other] = SiteSearch.pages[name] ?? ["", [], ""];
      return {
        page: name,
        title: title && title !== own ? `${own} › ${title}` : own,
        anchor,
        says: other ? `Another name of ${other}. ${says}` : says,
        score: score * (SiteSearch.long.test(name) ? 0.25 : 1),
        of: other || own,
      };
    });
    results.sort((a, b) => b.score - a.score || a.title.length - b.title.length || (a.title < b.title ? -1 : 1));
    const seen = new Set(); // a function has one line, under the name that fits best
    const least = results.length ? results[0].score / 50 : 0;
    return results
      .filter(({ of, score }) => score >= least && (!of.startsWith("lw.") || (!seen.has(of) && seen.add(of))))
      .slice(0, SiteSearch.most);
  },

  /** Pages of functions, by our name or by that of another library: whole, or without its module. */
  byName(index, asked, names, give) {
    const last = (name) => name.slice(name.lastIndexOf(".") + 1);
    const method = /^(?:\w+\.)?(?:tensor|ndarray|array|x)\.\w+$/.test(asked); // tensor.view, np.ndarray.astype
    const numbers = new Map(index.docnames.map((name, page) => [name, page]));
    if (method) {
      asked = last(asked);
      if (numbers.has("reference/lw.Array-class")) give(numbers.get("reference/lw.Array-class"), 70);
    }
    index.titles.forEach((title, page) => {
      const name = title.toLowerCase();
      if (!name.startsWith("lw.")) return;
      if (name === asked || name === `lw.${asked}`) give(page, 120);
      else if (last(name) === asked) give(page, 110);
      else if (asked.includes(".") && !asked.startsWith("lw.") && last(name) === last(asked)) give(page, 80); // tf.linalg.eig
      else if (names.includes(name)) give(page, 60);
    });
    for (const [name, [, words]] of Object.entries(SiteSearch.pages)) {
      for (const word of words) {
        const value = word.startsWith("lw.") && last(word) === last(asked); // a constant, which has no page of its own
        const exact = word === asked ? 115 : last(word) === asked && asked.length > 1 ? 90 : value ? 85 : 0;
        const within = asked.length > 2 && word.includes(asked) && asked.length >= word.length / 2;
        const score = exact || (names.includes(word) ? 70 : within ? (50 * asked.length) / word.length : 0);
        if (score) give(numbers.get(name), score);
      }
    }
  },

  /** Pages and sections by what they answer: the whole of what was asked, or a part of it, such as that part of an error
   * which is always the same. The longer the part, the better. */
  byAnswer(index, asked, give) {
    const titles = new Map(); // page and anchor -> the title of a section
    for (const [title, places] of Object.entries(index.alltitles))
      for (const [page, id] of places) titles.set(`${page}#${id}`, title);
    const text = ` ${asked.replace(/[^\w.]+/g, " ").trim()} `;
    index.docnames.forEach((name, page) => {
      for (const [answer, section] of Object.entries(SiteSearch.pages[name]?.[3] ?? {})) {
        const words = answer.replace(/[^\w.]+/g, " ").trim();
        const many = words.includes(" ");
        const share = words.length / text.trim().length;
        const part = answer === asked || words === text.trim() ? 115 : text.includes(` ${words} `) ? (many ? 75 : 30) + 35 * share : 0;
        const begun = asked.length > 2 && answer.includes(asked) && asked.length >= answer.length / 2;
        const score = part || (begun ? (50 * asked.length) / answer.length : 0);
        if (score) give(page, score, section, section ? titles.get(page + section) ?? "" : "");
      }
    });
  },

  /** Pages and sections by their titles. */
  byTitle(index, asked, give) {
    for (const [title, places] of Object.entries(index.alltitles)) {
      const lower = title.toLowerCase();
      if (asked.length < 3 || !lower.includes(asked)) continue;
      const score = lower === asked ? 100 : 40 + (40 * asked.length) / lower.length;
      for (const [page, id] of places) give(page, score, id ? `#${id}` : "", id ? title : "");
    }
  },

  /** Pages whose first sentence has what was asked. */
  bySentence(index, asked, give) {
    if (asked.length < 3) return;
    index.docnames.forEach((name, page) => {
      const says = SiteSearch.pages[name]?.[0].toLowerCase() ?? "";
      if (says.includes(asked)) give(page, 30 + (30 * asked.length) / says.length);
    });
  },

  /** Pages by their words: a rare word counts more than a common one, and pages without one of the words come last. */
  byWords(index, query) {
    const [, words, excluded] = Search._parseQuery(query);
    const scores = new Map();
    const has = new Map();
    const wanted = [...words].filter((word) => word.length > 1);
    for (const word of wanted) {
      const pages = SiteSearch.pagesWith(index, word);
      const rare = Math.log(1 + index.docnames.length / (1 + pages.size));
      for (const [page, weight] of pages) {
        scores.set(page, (scores.get(page) ?? 0) + rare * weight);
        has.set(page, (has.get(page) ?? 0) + 1);
      }
    }
    for (const word of excluded) for (const page of SiteSearch.pagesWith(index, word).keys()) scores.delete(page);
    for (const [page, score] of scores) scores.set(page, score * (has.get(page) / wanted.length) ** 2);
    return scores;
  },

  /** The pages that have a word in their text or in a title, or, where none has it, one that begins with it. */
  pagesWith(index, word) {
    const pages = new Map();
    const add = (found, weight) => {
      for (const page of [found ?? []].flat()) pages.set(page, Math.max(pages.get(page) ?? 0, weight));
    };
    const own = (table) => (Object.hasOwn(table, word) ? table[word] : undefined);
    add(own(index.terms), 1);
    add(own(index.titleterms), 3);
    if (pages.size || word.length < 3) return pages;
    for (const [table, weight] of [[index.terms, 0.4], [index.titleterms, 1.5]])
      for (const [term, found] of Object.entries(table)) if (term.startsWith(word)) add(found, weight);
    return pages;
  },

  /** Show the results. */
  show(query) {
    const results = SiteSearch.found(query);
    for (const { page, title, anchor, says, score } of results) {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = `${document.documentElement.dataset.content_root}${page}.html${anchor}`;
      link.textContent = title;
      link.dataset.score = score.toFixed(1);
      if (says) {
        const line = item.appendChild(document.createElement("p"));
        line.className = "context";
        line.textContent = says;
      }
      Search.output.appendChild(item);
    }
    Search.stopPulse();
    Search.title.textContent = "Search results";
    const pages = results.length === 1 ? "One page." : `${results.length} pages, the best first.`;
    Search.status.textContent = results.length
      ? pages
      : "No page has these words. A shorter word may find more.";
  },
};

if (new URLSearchParams(location.search).has("q") && document.currentScript) {
  const own = new URL(document.currentScript.src);
  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined") return;
    let query = null;
    let ready = false;
    Search.query = (asked) => {
      query = asked;
      if (ready) SiteSearch.show(query);
    };
    const script = document.createElement("script");
    script.src = new URL("found.js", own);
    script.onload = script.onerror = () => {
      ready = true;
      if (query !== null) SiteSearch.show(query);
    };
    document.head.appendChild(script);
  });
}
