"use strict";
// The table of calls and the reasoning behind each. Recorded text only ever becomes text.
(() => {
  const byId = (id) => document.getElementById(id);

  const island = byId("data");
  if (!island) return;
  const data = JSON.parse(island.textContent);

  const el = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const words = (name) => name.replaceAll("_", " ");
  const grouped = (number) => number.toLocaleString("en-US");
  const counted = (number, thing) => `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
  const short = (number) => String(Math.round(number * 1e4) / 1e4);
  const classMark = (name) => el("i", { class: `k${data.classes.indexOf(name)}`, "aria-hidden": "true" });

  const rows = data.rows.map(([key, number, server, tool, file, line, found, texts], at) => {
    const verdict = data.verdicts[number];
    const by = data.filters[verdict.filters];
    const issues = found.map((number) => data.issues[number]);
    const [text, input] = texts || [null, null];
    return { key, verdict, by, server, tool, file, line, issues, text, input, at };
  });
  const reply = (verdict) => words(verdict.reply) + (verdict.error_code ? ` ${verdict.error_code}` : "");
  const textOf = (text) => (text ? text.map(([part]) => part).join("") : "");
  // The worst issue of a call; its reply if there is no issue.
  const wrong = ({ issues, by, verdict }) => {
    const found = [
      ...issues.map(({ severity, kind, message }) => [severity, `${words(kind)}: ${message}`]),
      ...by.issues.map((type) => type.split(/ (.*)/s)).map(([severity, kind]) => [severity, words(kind)]),
    ];
    for (const severity of ["error", "warning", "info"]) {
      const worst = found.find(([of]) => of === severity);
      if (worst) return worst[1];
    }
    return by.trouble ? reply(verdict) : "";
  };
  for (const row of rows) {
    row.snip = (textOf(row.text).trim() || wrong(row)).replace(/\s+/g, " ").trim().slice(0, 120);
    row.sought = [
      row.key, data.names[row.server], data.names[row.tool], `${row.file}:${row.line}`, row.snip,
      textOf(row.text), textOf(row.input), ...row.issues.map((issue) => issue.message),
    ].join("\n").toLowerCase();
  }

  // What can be filtered by: the name in the address, its label, its values, and whether a call has one.
  const seen = (names, has) => names.filter((name) => data.filters.some((by) => has(by, name)));
  const known = (of) => [...new Set(data.filters.flatMap(of))].filter(Boolean).sort();
  const named = (at, part) => {
    const numbers = new Set([...rows.map((row) => row[part]), ...data.cells.map((cell) => cell[at])]);
    numbers.delete(null);
    return [...numbers].map((number) => data.names[number]).sort((a, b) => a.localeCompare(b));
  };
  const is = (part) => (by, name) => by[part] === name;
  const filters = [
    { name: "outcome", label: "Outcome", values: seen(data.outcomes, is("outcome")), has: is("outcome") },
    { name: "class", label: "Class", values: seen(data.classes, is("class")), has: is("class"), more: true },
    { name: "answer", label: "Answer", values: seen(data.answers, is("answer")), has: is("answer"), more: true },
    { name: "who", label: "Who must act", values: known((by) => by.who), has: is("who") },
    { name: "kind", label: "Kind", values: known((by) => by.kind), has: is("kind") },
    { name: "issue", label: "Issue type", values: known((by) => by.issues), has: (by, name) => by.issues.includes(name) },
    { name: "server", label: "Server", values: named(0, "server"), has: (by, name, server) => data.names[server] === name },
    { name: "tool", label: "Tool", values: named(1, "tool"), has: (by, name, server, tool) => data.names[tool] === name },
  ].filter((filter) => filter.values.length > 0);

  const orders = {
    tool: (row) => data.names[row.tool].toLowerCase(),
    server: (row) => data.names[row.server].toLowerCase(),
    outcome: (row) => -data.outcomes.indexOf(row.by.outcome),
    class: (row) => -data.classes.indexOf(row.by.class),
    answer: (row) => -data.answers.indexOf(row.by.answer),
    kind: (row) => row.by.kind ?? "\uffff",
    score: (row) => row.verdict.score ?? Infinity,
    certainty: (row) => row.verdict.certainty ?? Infinity,
  };
  const certainty = ({ certainty }) =>
    (certainty === undefined ? "" : `${certainty < data.doubtful ? "doubtful: " : ""}about ${Math.round(certainty * 100)} in 100 like this are right`);
  const PAGE = 50;
  let limit = PAGE;

  // The address matched what is shown: #exchanges?class=broken&q=... or #exchange/KEY?...
  const state = () => {
    const [place, query] = location.hash.slice(1).split(/\?(.*)/s);
    const wanted = new URLSearchParams(query || "");
    const key = place.startsWith("exchange/") ? place.slice("exchange/".length) : null;
    return { place, key, wanted };
  };
  const address = (place, wanted) => {
    const query = wanted.toString();
    return query ? `#${place}?${query}` : `#${place}`;
  };

  const form = byId("filters");
  const controls = new Map();
  const search = el("input", { type: "search", id: "q", placeholder: "text, name, key", autocomplete: "off", spellcheck: "false" });
  const trouble = el("input", { type: "checkbox", id: "trouble" });
  const detailed = el("input", { type: "checkbox", id: "detailed" });
  detailed.addEventListener("change", () => document.body.classList.toggle("detailed", detailed.checked));
  const clear = el("button", { type: "button", id: "clear" }, "Clear");
  const selects = el("div", { class: "selects" });
  form.append(el("label", { class: "wide" }, "Search", search),
    el("label", { class: "check" }, trouble, "only trouble"),
    el("label", { class: "check" }, detailed, "class, answer, score and rules"), clear, selects);
  for (const filter of filters) {
    const select = el("select", { id: `by-${filter.name}` }, el("option", { value: "" }, "all"));
    const is_recorded = ["server", "tool"].includes(filter.name);
    for (const name of filter.values) {
      select.append(el("option", { value: name }, is_recorded ? name : words(name)));
    }
    controls.set(filter.name, select);
    selects.append(el("label", { class: filter.more ? "detail" : null }, filter.label, select));
  }
  form.hidden = false;

  const collected = () => {
    const wanted = new URLSearchParams();
    for (const [name, select] of controls) if (select.value) wanted.set(name, select.value);
    if (trouble.checked) wanted.set("trouble", "1");
    if (search.value) wanted.set("q", search.value);
    const sort = state().wanted.get("sort");
    if (sort) wanted.set("sort", sort);
    return wanted;
  };
  const go = (wanted) => {
    limit = PAGE;
    // Typing and choosing do not fill the history; opening a call does.
    history.replaceState(null, "", address("exchanges", wanted));
    show();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => go(collected()));
  clear.addEventListener("click", () => { go(new URLSearchParams()); search.focus(); });

  const active = (wanted) => filters.filter((filter) => wanted.get(filter.name));
  const matches = (chosen, wanted, by, server, tool) =>
    chosen.every((filter) => filter.has(by, wanted.get(filter.name), server, tool))
    && (!wanted.get("trouble") || by.trouble);

  // Exact numbers come from the counts of all calls, not from the rows on this page.
  const total = (chosen, wanted) => {
    const untold = ["server", "tool"].filter((name) => !data.by.includes(name));
    if (chosen.some(({ name }) => untold.includes(name))) return null;
    let sum = 0;
    for (const [server, tool, number, count] of data.cells) {
      if (matches(chosen, wanted, data.filters[number], server, tool)) sum += count;
    }
    return sum;
  };

  const table = byId("rows");
  for (const [key, name] of [["class", "Class"], ["answer", "Answer"], ["score", "Score"]]) {
    table.tHead.rows[0].append(el("th", { scope: "col", class: "detail", "data-sort": key }, name));
  }
  const heads = [...table.querySelectorAll("thead th")];
  for (const head of heads) {
    const button = el("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const wanted = state().wanted;
      const by = head.dataset.sort;
      const sort = wanted.get("sort");
      // Up, down, and back to the order that the page came in.
      if (sort === `-${by}`) wanted.delete("sort");
      else wanted.set("sort", sort === by ? `-${by}` : by);
      go(wanted);
    });
  }

  // Filters count all calls; a search looks only at those on this page.
  const one = data.classified === "documents" ? "document" : "call";
  const shownWords = ({ shown, found, here, exact, isFiltered, isSearch }) => [
    found ? `${grouped(shown)} of ${grouped(found)} shown` : "Nothing found",
    ` among the ${grouped(here)} on this page`,
    ...(exact === null ? [] : [", of ", el("strong", { id: "exact" }, grouped(exact)), " ", exact === 1 ? one : data.classified]),
    isFiltered ? " with these filters" : "",
    isSearch && here !== exact ? "; the others are not searched" : "",
  ];

  const show = () => {
    const { wanted } = state();
    for (const [name, select] of controls) {
      const value = wanted.get(name) || "";
      if (value && ![...select.options].some((option) => option.value === value)) {
        select.append(el("option", { value }, words(value)));
      }
      select.value = value;
      // Where there is one thing to choose, nothing can be chosen.
      select.parentNode.hidden = select.options.length < 3 && !value;
    }
    selects.hidden = [...selects.children].every((label) => label.hidden);
    trouble.checked = wanted.get("trouble") === "1";
    if (document.activeElement !== search) search.value = wanted.get("q") || "";
    const chosen = active(wanted);
    const sought = (wanted.get("q") || "").toLowerCase();
    const here = rows.filter((row) => matches(chosen, wanted, row.by, row.server, row.tool));
    const found = here.filter((row) => row.sought.includes(sought));
    const sort = wanted.get("sort") || "";
    const column = sort.replace(/^-/, "");
    const order = orders[column];
    if (order) {
      const sign = sort.startsWith("-") ? -1 : 1;
      found.sort((a, b) => {
        const [x, y] = [order(a), order(b)];
        return sign * (x < y ? -1 : x > y ? 1 : 0) || a.at - b.at;
      });
    }
    for (const head of heads) {
      if (head.dataset.sort === column) head.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const query = wanted.toString();
    table.tBodies[0].replaceChildren(...found.slice(0, limit).map((row) => {
      const { by, verdict } = row;
      const href = query ? `#exchange/${row.key}?${query}` : `#exchange/${row.key}`;
      const left = (...parts) => el("td", { class: "left whole-words" }, ...parts);
      const cells = {
        outcome: () => left(words(by.outcome)),
        class: () => el("td", { class: "left detail" }, classMark(by.class), words(by.class)),
        answer: () => el("td", { class: "left detail" }, by.answer === "not_asked" ? "" : words(by.answer)),
        kind: () => left(words(by.kind ?? "")),
        score: () => el("td", { class: "right detail" }, verdict.score?.toFixed(2) ?? ""),
        certainty: () => left(certainty(verdict)),
        server: () => el("td", { class: "left" }, data.names[row.server]),
        tool: () => el("th", { scope: "row" },
          el("a", { href, "data-key": row.key }, data.names[row.tool]),
          row.snip ? el("span", { class: "of snip" }, row.snip) : null),
      };
      return el("tr", {}, ...heads.map((head) => cells[head.dataset.sort]()));
    }));
    table.parentNode.hidden = found.length === 0;
    byId("shown").replaceChildren(...shownWords({
      shown: Math.min(limit, found.length),
      found: found.length,
      here: here.length,
      exact: total(chosen, wanted),
      isFiltered: chosen.length > 0 || Boolean(wanted.get("trouble")),
      isSearch: sought !== "",
    }));
    byId("more").hidden = found.length <= limit;
  };
  byId("more").addEventListener("click", () => {
    const first = limit;
    limit += 4 * PAGE;
    show();
    table.tBodies[0].rows[first]?.querySelector("a")?.focus();
  });

  // The reasoning.
  const dialog = byId("exchange");
  let opener = null;
  const part = (title, ...children) => el("section", {}, el("h3", {}, title), ...children);
  const pieces = (text) => text.map((piece) => typeof piece === "string" ? piece
    : el("mark", { title: piece[1].map((hit) => data.names[hit]).join(", ") }, piece[0]));
  const signals = ({ verdict }) => {
    const { signals: matched = [], hits: all = [] } = verdict;
    const observed = data.rulebook.signals.filter(({ name, of }) => matched.includes(name) || of[verdict.is_error ? 0 : 1]);
    const says_nothing = !matched.length && !all.length && verdict.score === undefined && verdict.hidden_failure === undefined;
    if (!observed.length || says_nothing) return null;
    const about = (pattern) => (data.patterns[pattern] ? ` (${data.patterns[pattern]})` : "");
    const one = ({ name, about: says, definition, patterns }) => {
      const hits = matched.includes(name) ? patterns.filter((pattern) => all.includes(pattern)) : [];
      return el("div", { class: matched.includes(name) ? "signal" : "signal off" },
        el("p", {}, el("strong", {}, words(name)), says ? el("span", { class: "of" }, ` ${says}`) : null),
        hits.length
          ? el("p", { class: "of" }, "hit by ", ...hits.flatMap((hit, at) => [at ? ", " : "", el("code", {}, hit), about(hit)]))
          : el("p", { class: "of" }, definition));
    };
    const matching = observed.filter(({ name }) => matched.includes(name));
    const others = observed.filter(({ name }) => !matched.includes(name));
    return part("Matched signals",
      ...(matching.length ? matching.map(one) : [el("p", { class: "note" }, "none")]),
      others.length ? el("details", {}, el("summary", {}, `${counted(others.length, "signal")} not matched`), ...others.map(one)) : null);
  };
  const scored = ({ verdict }) => {
    if (verdict.business_logic === undefined || verdict.score === undefined) return [];
    const { factors, denominator, decide } = data.rulebook;
    const holds = (signal) => (verdict.signals ?? []).includes(signal);
    const line = decide.find(([name]) => name === verdict.decided_by);
    const outright = Boolean(line) && !line[1].startsWith("threshold");
    let sum = 0;
    const weighed = factors.map(([name, signal, weight]) => {
      const matched = holds(signal);
      if (matched) sum += weight;
      return el("tr", { class: matched ? "" : "off" },
        el("th", { scope: "row" }, matched ? "✓ " : "· ", words(name)),
        el("td", { class: "right" }, String(weight)),
        el("td", { class: "right" }, matched ? short(sum) : ""));
    });
    const head = el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, "factor"), el("th", { scope: "col", class: "right" }, "weight"), el("th", { scope: "col", class: "right" }, "sum")));
    const score = factors.length ? part("Score",
      el("p", {}, "score ", el("strong", {}, short(verdict.score)), ` = ${short(sum)} / ${short(denominator)}`,
        el("span", { class: "of" }, ` (weights of the matched signals, divided by ${short(denominator)}${data.rulebook.clamp ? "; at most 1" : ""})`),
        verdict.threshold !== undefined && !outright
          ? `, ${short(Math.abs(verdict.score - verdict.threshold))} ${verdict.score >= verdict.threshold ? "above" : "below"} the threshold of ${short(verdict.threshold)}` : ""),
      el("table", {}, el("caption", { class: "unseen" }, "Factors"), head, el("tbody", {}, ...weighed))) : null;
    const flips = verdict.flips.map((at) => data.rulebook.signals[at].name).map((signal) => `${holds(signal) ? "without" : "with"} ${words(signal)}`);
    const decision = part("Decision",
      el("ol", { class: "decide" }, ...decide.map((one) =>
        el("li", { class: one === line ? "chosen" : null, "aria-current": one === line ? "true" : null },
          one === line ? "→ " : "", one.join(": ")))),
      el("p", { class: "note" }, outright ? "This rule decides; the score is ignored." : null,
        outright ? " " : null,
        flips.length ? `The answer would change ${flips.join(", or ")}.` : "No single signal would change the answer."));
    for (const one of [score, decision]) one?.classList.add("detail");
    return [score, decision];
  };
  const more = () => {
    const button = el("button", { type: "button" }, "Class, score and rules");
    button.addEventListener("click", () => detailed.click());
    return button;
  };
  const reasoning = (row) => {
    const { verdict, by } = row;
    const [works, fails] = verdict.kind ? ["accepted", "refused"] : ["the tool works", "the tool failed"];
    const said = [by.who ? `who must act: ${words(by.who)}` : "", certainty(verdict),
      `${counted(verdict.exchanges, "call")} with this verdict`];
    const told = [verdict.is_valid ? works : fails, `confidence ${short(verdict.confidence_percent)}`];
    const { outcome: schema, keyword } = verdict.schema ?? {};
    const bad = ["failed", "invalid"].includes(by.outcome);
    const good = ["worked", "refused"].includes(by.outcome);
    const failing = ["tool_failure", "hidden_failure"].includes(by.answer);
    const [met, unmet] = verdict.criteria ?? [[], []];
    const list = (pairs) => el("dl", {}, ...pairs.filter(([, value]) => value)
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    const issues = row.issues.length
      ? row.issues.map((issue) => el("div", { class: "issue" },
        el("p", {}, el("span", { class: `tag ${issue.severity === "error" ? "worse" : ""}` }, issue.severity), " ",
          el("strong", {}, words(issue.kind)), issue.location ? el("span", { class: "of" }, ` at ${issue.location}`) : null),
        el("p", {}, issue.message),
        issue.suggestion ? el("p", { class: "of" }, issue.suggestion) : null))
      : by.issues.map((type) => el("p", { class: "issue" }, words(type)));
    const children = [
      el("p", { class: "verdictline" },
        el("span", { class: `tag ${bad ? "worse" : good ? "better" : ""}` }, words(by.outcome)),
        by.kind ? `${words(by.kind)}: ${data.kinds[by.kind]}` : null),
      el("p", { class: "note" }, said.filter(Boolean).join(" · ")),
      el("p", { class: "note detail" }, classMark(by.class), words(by.class),
        by.answer === "not_asked" ? null : el("span", { class: `tag ${failing ? "worse" : "better"}` }, words(by.answer)),
        told.filter(Boolean).join(" · ")),
      list([
        ["Server", data.names[row.server]],
        ["Recording", `${row.file}:${row.line}`],
        ["Reply", reply(verdict)],
        ["Output schema", schema && schema + (keyword ? `, at ${keyword}` : "")],
        ["Criteria met", met.join(", ")],
        ["Criteria failed", unmet.join(", ")],
        ["Key", row.key],
      ]),
      row.text === null ? el("p", { class: "note" }, data.without_texts) : null,
      row.input && row.input.length ? part("Input",
        el("pre", { class: "text", tabindex: "0" }, ...pieces(row.input))) : null,
      row.text && row.text.length ? part("Evaluated text",
        el("pre", { class: "text", tabindex: "0" }, ...pieces(row.text))) : null,
      signals(row),
      ...scored(row),
      more(),
      issues.length ? part("Issues", ...issues) : null,
      part("Full reasoning", el("pre", { class: "command", tabindex: "0" }, `${data.explain[0]}${row.key}${data.explain[1]}`)),
    ];
    return children.filter(Boolean);
  };

  const close = () => {
    if (dialog.open) dialog.close();
  };
  // Closings that the address asked for. The event of one may come when the address has changed again.
  let following = 0;
  const follow = () => {
    if (dialog.open) following += 1;
    close();
  };
  dialog.addEventListener("close", () => {
    if (following > 0) {
      following -= 1;
      return;
    }
    // Closed by a key or a button: the address follows.
    if (opener) history.back();
    else history.replaceState(null, "", address("exchanges", state().wanted));
  });
  byId("close").addEventListener("click", close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });

  let last = null;
  const arrive = () => {
    const { place, key } = state();
    if (key !== null) {
      const row = rows.find((one) => one.key === key);
      if (!row) {
        follow();
        byId("shown").prepend(`The call ${key} is not in this table: ${data.explain[0]}${key}${data.explain[1]} shows it. `);
        byId("exchanges").scrollIntoView();
        return;
      }
      byId("exchange-title").textContent = data.names[row.tool];
      byId("reasoning").replaceChildren(...reasoning(row));
      if (!dialog.open) dialog.showModal();
      dialog.scrollTop = 0;
      byId("exchange-title").focus();
      last = key;
      return;
    }
    follow();
    limit = Math.max(limit, PAGE);
    show();
    if (last !== null) {
      // Back from a call: the keyboard goes on where it was.
      const from = opener && opener.isConnected ? opener : table.querySelector(`[data-key="${CSS.escape(last)}"]`);
      from?.focus();
      last = null;
      opener = null;
    } else if (place === "exchanges" && location.hash.includes("?")) {
      byId("exchanges").scrollIntoView();
      byId("shown").setAttribute("tabindex", "-1");
      byId("shown").focus({ preventScroll: true });
    }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#exchange/']");
    if (link) opener = link;
  });
  window.addEventListener("hashchange", arrive);
  show();
  arrive();
})();
