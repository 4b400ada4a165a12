"use strict";
// The table of calls and the reasoning behind each. Recorded text only ever becomes text.
(() => {
  const byId = (id) => document.getElementById(id);

  // Theme: automatic, light, dark. Nothing is stored.
  const themes = ["auto", "light", "dark"];
  const themeButton = byId("theme");
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "auto";
    const next = themes[(themes.indexOf(now) + 1) % themes.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    themeButton.textContent = `Theme: ${next}`;
  });

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
  const classMark = (number) => el("i", { class: `k${number}`, "aria-hidden": "true" });

  const ok = data.classes.indexOf("fully_working");
  const failing = ["tool_failure", "hidden_failure"].map((name) => data.answers.indexOf(name));
  const bad = ["failed", "invalid"].map((name) => data.outcomes.indexOf(name));
  const good = ["worked", "refused"].map((name) => data.outcomes.indexOf(name));
  const looks = data.looks.map(([outcome, cls, answer, kind, issues]) => ({
    outcome, cls, answer, kind, issues, trouble: bad.includes(outcome) || cls !== ok || failing.includes(answer),
  }));
  const rows = data.rows.map(([key, shape, server, tool, file, line, issues, texts], at) => {
    const verdict = data.shapes[shape];
    const look = looks[verdict.look];
    const [text, input] = texts || [null, null];
    return { key, verdict, look, server, tool, file, line, issues, text, input, at };
  });
  const textOf = (text) => (text ? text.map(([part]) => part).join("") : "");
  // The worst issue of a call; its reply if there is no issue.
  const wrong = ({ issues, look, verdict }) => {
    const severities = ["error", "warning", "info"];
    const types = look.issues.map((number) => data.issue_types[number].split(/ (.*)/s));
    const found = [
      ...issues.map(({ severity, kind, message }) => [severity, `${words(kind)}: ${message}`]),
      ...types.map(([severity, kind]) => [severity, words(kind)]),
    ];
    for (const severity of severities) {
      const worst = found.find(([of]) => of === severity);
      if (worst) return worst[1];
    }
    return look.trouble ? words(verdict.reply) + (verdict.code ? ` ${verdict.code}` : "") : "";
  };
  for (const row of rows) {
    row.snip = (textOf(row.text).trim() || wrong(row)).replace(/\s+/g, " ").trim().slice(0, 120);
    row.sought = [
      row.key, data.names[row.server], data.names[row.tool], `${row.file}:${row.line}`, row.snip,
      textOf(row.text), textOf(row.input), ...row.issues.map((issue) => issue.message),
    ].join("\n").toLowerCase();
  }

  // What can be filtered by: the name in the address, its label, its values, and what a row has.
  const numbered = (names) => names.map((name, number) => [name, number]);
  const present = (part) => {
    const numbers = new Set(rows.map((row) => row[part]));
    for (const cell of data.cells) {
      const number = part === "server" ? cell[0] : cell[1];
      if (number >= 0) numbers.add(number);
    }
    return [...numbers].map((number) => [data.names[number], number])
      .sort(([a], [b]) => a.localeCompare(b));
  };
  const seen = (values, has) => values.filter(([, number]) => looks.some((look) => has(look, number)));
  const filters = [
    { name: "outcome", label: "Outcome", values: seen(numbered(data.outcomes), (look, n) => look.outcome === n), look: (look, n) => look.outcome === n },
    { name: "class", label: "Class", values: seen(numbered(data.classes), (look, n) => look.cls === n), look: (look, n) => look.cls === n },
    { name: "answer", label: "Failure", values: seen(numbered(data.answers), (look, n) => look.answer === n), look: (look, n) => look.answer === n },
    { name: "kind", label: "Kind of error", values: seen(numbered(data.error_kinds), (look, n) => look.kind === n), look: (look, n) => look.kind === n },
    { name: "issue", label: "Issue type", values: numbered(data.issue_types), look: (look, n) => look.issues.includes(n) },
    { name: "server", label: "Server", values: present("server"), part: 0, by: "server" },
    { name: "tool", label: "Tool", values: present("tool"), part: 1, by: "tool" },
  ].filter((filter) => filter.values.length > 0);

  const orders = {
    tool: (row) => data.names[row.tool].toLowerCase(),
    server: (row) => data.names[row.server].toLowerCase(),
    outcome: (row) => -row.look.outcome,
    class: (row) => -row.look.cls,
    answer: (row) => -row.look.answer,
    kind: (row) => (row.look.kind < 0 ? "\uffff" : data.error_kinds[row.look.kind]),
    score: (row) => (row.verdict.score === undefined ? Infinity : row.verdict.score),
    certainty: (row) => (row.verdict.certainty === undefined ? Infinity : row.verdict.certainty),
  };
  const certainty = ({ certainty, doubtful }, digits) =>
    (certainty === undefined ? "" : `${doubtful ? "doubtful " : ""}${certainty.toFixed(digits)}`);
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
  const clear = el("button", { type: "button", id: "clear" }, "Clear");
  const selects = el("div", { class: "selects" });
  form.append(el("label", { class: "wide" }, "Search", search),
    el("label", { class: "check" }, trouble, "only trouble"), clear, selects);
  for (const filter of filters) {
    const select = el("select", { id: `by-${filter.name}` }, el("option", { value: "" }, "all"));
    for (const [name] of filter.values) {
      const shown = filter.part === undefined ? words(name) : name;
      select.append(el("option", { value: name }, shown));
    }
    controls.set(filter.name, select);
    selects.append(el("label", {}, filter.label, select));
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

  const number = (filter, value) => {
    const found = filter.values.find(([name]) => name === value);
    return found ? found[1] : -2;
  };
  const active = (wanted) =>
    filters.filter((filter) => wanted.get(filter.name))
      .map((filter) => ({ filter, value: number(filter, wanted.get(filter.name)) }));
  const matches = (chosen, wanted, look, server, tool) =>
    chosen.every(({ filter, value }) =>
      filter.look ? filter.look(look, value) : (filter.part === 0 ? server : tool) === value)
    && (!wanted.get("trouble") || look.trouble);

  // Exact numbers come from the counts of all calls, not from the rows on this page.
  const total = (chosen, wanted) => {
    if (chosen.some(({ filter }) => filter.by && !data.by.includes(filter.by))) return null;
    let sum = 0;
    for (const [server, tool, look, count] of data.cells) {
      if (matches(chosen, wanted, looks[look], server, tool)) sum += count;
    }
    return sum;
  };

  const table = byId("rows");
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

  // How many are shown of how many. Filters count all calls; a search looks only
  // at those on this page.
  const one = data.classified === "documents" ? "document" : "call";
  const shownWords = ({ shown, found, here, exact, isFiltered, isSearch }) => {
    const filtered = isFiltered ? " with these filters" : "";
    const all = exact === null ? []
      : [el("strong", { id: "exact" }, grouped(exact)), " ", exact === 1 ? one : data.classified];
    if (exact === 0) return ["Nothing matches: ", ...all, filtered];
    if (here === 0) {
      const rows_here = `the ${grouped(rows.length)} on this page`;
      return exact === null ? [`None${filtered} among ${rows_here}`]
        : [...all, ` in total${filtered}, none among ${rows_here}`];
    }
    const parts = found ? [el("strong", {}, grouped(shown)), " shown"] : ["Nothing found"];
    if (isSearch && found) parts.push(` of ${grouped(found)} found`);
    if (here === exact) return [...parts, isSearch ? " among " : " of ", ...all, filtered];
    parts.push(` ${isSearch ? "among" : "of"} the ${grouped(here)} on this page`);
    if (exact === null) parts.push(filtered);
    else parts.push(isSearch ? ", of " : "; ", ...all, ` in total${filtered}`);
    if (isSearch) parts.push("; the others are not searched");
    return parts;
  };

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
    const here = rows.filter((row) => matches(chosen, wanted, row.look, row.server, row.tool));
    const found = here.filter((row) => row.sought.includes(sought));
    const sort = wanted.get("sort") || "";
    const by = sort.replace(/^-/, "");
    if (orders[by]) {
      const order = orders[by];
      const sign = sort.startsWith("-") ? -1 : 1;
      found.sort((a, b) => {
        const [x, y] = [order(a), order(b)];
        return sign * (x < y ? -1 : x > y ? 1 : 0) || a.at - b.at;
      });
    }
    for (const head of heads) {
      const is = head.dataset.sort === by;
      if (is) head.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const query = wanted.toString();
    table.tBodies[0].replaceChildren(...found.slice(0, limit).map((row) => {
      const { look, verdict } = row;
      const href = query ? `#exchange/${row.key}?${query}` : `#exchange/${row.key}`;
      const answer = data.answers[look.answer];
      const cells = {
        outcome: () => el("td", { class: "left whole-words" }, words(data.outcomes[look.outcome])),
        class: () => el("td", { class: "left whole-words" }, classMark(look.cls), words(data.classes[look.cls])),
        answer: () => el("td", { class: "left whole-words" }, answer === "not_asked" ? "" : words(answer)),
        kind: () => el("td", { class: "left whole-words" }, look.kind < 0 ? "" : words(data.error_kinds[look.kind])),
        score: () => el("td", { class: "right" }, verdict.score === undefined ? "" : verdict.score.toFixed(2)),
        certainty: () => el("td", { class: "right" }, certainty(verdict, 2)),
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
  const pieces = (text) => text.map(([words, hits]) =>
    hits.length ? el("mark", { title: hits.map((hit) => data.patterns[hit].name).join(", ") }, words) : words);
  const signals = (row) => {
    const { verdict } = row;
    const observed = data.rulebook.signals
      .map((signal, number) => ({ signal, number, matched: verdict.signals.includes(number) }))
      .filter(({ signal, matched }) => matched || (verdict.error ? signal.of[0] : signal.of[1]));
    if (!observed.length || (!verdict.signals.length && !verdict.hits.length && verdict.score === undefined && verdict.hidden === undefined)) return null;
    const one = ({ signal, matched }) => {
      const hits = signal.patterns.filter((pattern) => verdict.hits.includes(pattern));
      return el("div", { class: matched ? "signal" : "signal off" },
        el("p", {}, el("strong", {}, words(signal.name)), signal.about ? el("span", { class: "of" }, ` ${signal.about}`) : null),
        matched && hits.length
          ? el("p", { class: "of" }, "hit by ", ...hits.flatMap((hit, at) => [at ? ", " : "", el("code", {}, data.patterns[hit].name), data.patterns[hit].about ? ` (${data.patterns[hit].about})` : ""]))
          : el("p", { class: "of" }, signal.definition));
    };
    const matching = observed.filter(({ matched }) => matched);
    const others = observed.filter(({ matched }) => !matched);
    return part("Matched signals",
      ...(matching.length ? matching.map(one) : [el("p", { class: "note" }, "none")]),
      others.length ? el("details", {}, el("summary", {}, `${counted(others.length, "signal")} not matched`), ...others.map(one)) : null);
  };
  const scored = (row) => {
    const { verdict } = row;
    if (verdict.business === undefined || verdict.score === undefined) return [];
    const { factors, denominator, decide, signals } = data.rulebook;
    const line = verdict.line === undefined ? null : decide[verdict.line];
    const outright = Boolean(line) && !line[1].startsWith("threshold");
    let sum = 0;
    const weighed = factors.map(([name, signal, weight]) => {
      const matched = verdict.signals.includes(signal);
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
    const flips = verdict.flips.map((signal) => `${verdict.signals.includes(signal) ? "without" : "with"} ${words(signals[signal].name)}`);
    const decision = part("Decision",
      el("ol", { class: "decide" }, ...decide.map(([name, says], number) =>
        el("li", { class: number === verdict.line ? "chosen" : null, "aria-current": number === verdict.line ? "true" : null },
          number === verdict.line ? "→ " : "", `${name}: ${says}`))),
      el("p", { class: "note" }, outright ? "This rule decides; the score is ignored." : null,
        outright ? " " : null,
        flips.length ? `The answer would change ${flips.join(", or ")}.` : "No single signal would change the answer."));
    return [score, decision];
  };
  const reasoning = (row) => {
    const { verdict, look } = row;
    const answer = data.answers[look.answer];
    const meaning = verdict.kind === "tool_call"
      ? (verdict.valid ? "the tool works" : "the tool failed")
      : (verdict.valid ? "accepted" : "refused");
    const list = (pairs) => el("dl", {}, ...pairs.filter(([, value]) => value)
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    const issues = row.issues.length
      ? row.issues.map((issue) => el("div", { class: "issue" },
        el("p", {}, el("span", { class: `tag ${issue.severity === "error" ? "worse" : ""}` }, issue.severity), " ",
          el("strong", {}, words(issue.kind)), issue.location ? el("span", { class: "of" }, ` at ${issue.location}`) : null),
        el("p", {}, issue.message),
        issue.suggestion ? el("p", { class: "of" }, issue.suggestion) : null))
      : look.issues.map((number) => el("p", { class: "issue" }, words(data.issue_types[number])));
    const children = [
      el("p", { class: "verdictline" },
        el("span", { class: `tag ${bad.includes(look.outcome) ? "worse" : good.includes(look.outcome) ? "better" : ""}` }, words(data.outcomes[look.outcome])),
        classMark(look.cls), words(data.classes[look.cls]),
        answer === "not_asked" ? null : el("span", { class: `tag ${failing.includes(look.answer) ? "worse" : "better"}` }, words(answer))),
      el("p", { class: "note" }, `${meaning} · confidence ${short(verdict.confidence)} · ${verdict.certainty === undefined ? "" : `certainty ${certainty(verdict, 2)} · `}${counted(verdict.exchanges, "call")} with this verdict`),
      list([
        ["Server", data.names[row.server]],
        ["Recording", `${row.file}:${row.line}`],
        ["Reply", words(verdict.reply) + (verdict.code ? ` ${verdict.code}` : "")],
        ["Kind of error", look.kind < 0 ? "" : words(data.error_kinds[look.kind])],
        ["Output schema", verdict.schema],
        ["Criteria met", verdict.criteria[0].join(", ")],
        ["Criteria failed", verdict.criteria[1].join(", ")],
        ["Key", row.key],
      ]),
      row.text === null ? el("p", { class: "note" }, data.without_texts) : null,
      row.input && row.input.length ? part("Input",
        el("pre", { class: "text", tabindex: "0" }, ...pieces(row.input))) : null,
      row.text && row.text.length ? part("Evaluated text",
        el("pre", { class: "text", tabindex: "0" }, ...pieces(row.text))) : null,
      signals(row),
      ...scored(row),
      issues.length ? part("Issues", ...issues) : null,
      part("Full reasoning", el("pre", { class: "command", tabindex: "0" }, `${data.explain[0]}${row.key}${data.explain[1]}`)),
    ];
    return children.filter(Boolean);
  };

  const close = () => {
    if (dialog.open) dialog.close();
  };
  dialog.addEventListener("close", () => {
    const { key, wanted } = state();
    // Closed by a key or a button: the address follows. Closed by going back: it has already.
    if (key !== null) {
      if (opener) history.back();
      else history.replaceState(null, "", address("exchanges", wanted));
    }
  });
  byId("close").addEventListener("click", close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });

  let last = null;
  const arrive = () => {
    const { place, key } = state();
    if (key !== null) {
      const row = rows.find((one) => one.key === key);
      if (!row) {
        close();
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
    close();
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
