/* Keys, live news and small comforts. Every action is a form or a link that works without this file. */
"use strict";
(() => {
  const all = (q, from = document) => [...from.querySelectorAll(q)];
  const one = (q, from = document) => from.querySelector(q);
  const page = () => one("#page");
  const data = (name) => page().dataset[name] || "";
  const say = (text) => { one("#spoken").textContent = text; };
  const shown = (node) => node.offsetParent !== null || node.getClientRects().length > 0;
  let anchor = null;

  /* ---- rows */
  const rows = () => all("[data-row]").filter(shown);
  const current = () => {
    const focused = document.activeElement && document.activeElement.closest("[data-row]");
    return focused || one('[data-row][aria-current="true"]');
  };
  const move = (step) => {
    const list = rows(), at = list.indexOf(current());
    const next = list[at < 0 ? 0 : Math.min(Math.max(at + step, 0), list.length - 1)];
    if (!next || next === list[at]) return null;
    const opens = Boolean(one('[data-row][aria-current="true"]'));
    next.focus({ preventScroll: false });
    next.scrollIntoView({ block: "nearest" });
    if (opens) next.click();
    return next;
  };

  /* ---- selection */
  const tickOf = (row) => row && row.closest("li").querySelector("[data-tick]");
  const showPicked = () => {
    const line = one("[data-picked]");
    if (!line) return;
    line.dataset.none ||= line.textContent;
    const n = all("[data-tick]:checked").length;
    line.textContent = n ? line.dataset.words.replace("{n}", n) : line.dataset.none;
    all("[data-tick]").forEach((t) => t.closest("li").classList.toggle("picked", t.checked));
  };
  const tick = (row, on) => {
    const box = tickOf(row);
    if (!box) return;
    box.checked = on === undefined ? !box.checked : on;
    showPicked();
  };
  const bulk = (key) => {
    const word = { a: "approve", "#": "reject" }[key];
    const button = word && all("[data-tick]:checked").length && one(`[data-bulk="${word}"]`);
    if (button) button.click();
    return Boolean(button);
  };
  const picks = new Set();
  const keepPicks = () => { picks.clear(); all("[data-tick]:checked").forEach((t) => picks.add(t.value)); };
  const givePicks = () => { all("[data-tick]").forEach((t) => { t.checked = picks.has(t.value); }); showPicked(); };

  /* ---- keys, inert while somebody types (P117) */
  const typing = (node) => node && (node.isContentEditable || /^(TEXTAREA|SELECT)$/.test(node.tagName) ||
    (node.tagName === "INPUT" && !/^(checkbox|radio|button|submit)$/.test(node.type)));
  const press = (key) => {
    const target = all(`[data-key="${CSS.escape(key)}"]`).find((n) => shown(n) || n.closest(".options"));
    if (!target || target.disabled) return false;
    if (target.tagName === "INPUT") { target.focus(); return true; }
    target.click();
    /* At once: the news that it is open comes later, and letters typed until then would be keys. */
    if (target.matches("details.act-box[open] > summary")) enter(target.parentElement);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Escape" && typing(document.activeElement)) { leave(); return; }
    if ((event.ctrlKey || event.metaKey) && key === "Enter" && typing(document.activeElement)) {
      const form = document.activeElement.form;
      if (form) { event.preventDefault(); form.requestSubmit(one("button", form)); }
      return;
    }
    if (typing(document.activeElement)) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && key.toLowerCase() === "z") {
      if (press("z")) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || one("dialog[open]")) return;
    const acts = {
      j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
      J: () => extend(1), K: () => extend(-1), x: () => tick(current()), " ": () => tick(current()),
      "*": () => { const on = all("[data-tick]").some((t) => !t.checked); rows().forEach((r) => tick(r, on)); },
      "?": () => one("#keys") && one("#keys").showModal(),
    };
    if (key.startsWith("Arrow") && document.activeElement.closest(".talk, .side")) return;
    if (key === " " && !tickOf(current())) return;
    if (key === " " && document.activeElement.matches("button, summary, a.button, input")) return;
    if (acts[key]) { event.preventDefault(); acts[key](); return; }
    if (bulk(key) || (/^[ae#rdsi/1-9]$/.test(key) && press(key))) event.preventDefault();
  });
  const extend = (step) => { tick(current(), true); tick(move(step), true); };
  const leave = () => {
    const box = document.activeElement.closest("details.act-box");
    document.activeElement.blur();
    if (box && !dirty(box)) box.open = false;
    const row = one('[data-row][aria-current="true"]');
    if (row) row.focus();
  };
  document.addEventListener("toggle", (event) => {
    const box = event.target;
    if (box.matches && box.matches("details.act-box[open]") && !box.contains(document.activeElement.closest("form"))) enter(box);
  }, true);
  const enter = (box) => {
    const field = one("textarea, input:not([type=hidden]):not([type=checkbox]), button", box.querySelector("form") || box);
    if (field) { field.focus(); field.scrollIntoView({ block: "nearest" }); }
  };

  /* ---- editor: words changed against the agent's text */
  const changed = (node) => node.value !== node.defaultValue;
  const dirty = (from) => all("textarea, input[name=note]", from).some(changed);
  const pieces = (text) => text.match(/\s+|\S+/g) || [];
  const compare = (before, after) => {
    const a = pieces(before), b = pieces(after);
    let start = 0, end = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start++;
    while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end);
    if (x.length * y.length > 400000) return [["same", a.slice(0, start)], ["gone", x], ["new", y], ["same", a.slice(a.length - end)]];
    const table = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
    for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--)
      table[i][j] = x[i] === y[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    const out = [["same", a.slice(0, start)]];
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) { out.push(["same", [x[i]]]); i++; j++; }
      else if (j >= y.length || (i < x.length && table[i + 1][j] >= table[i][j + 1])) out.push(["gone", [x[i++]]]);
      else out.push(["new", [y[j++]]]);
    }
    return [...out, ["same", end ? a.slice(a.length - end) : []]];
  };
  const showChanges = (area) => {
    const target = area.form && one("[data-diff]", area.form), source = document.getElementById(area.dataset.agent || "");
    if (!target || !source) return;
    const tags = { same: "span", gone: "del", new: "ins" };
    target.replaceChildren(...compare(source.textContent, area.value).filter(([, words]) => words.length).map(([kind, words]) => {
      const node = document.createElement(tags[kind]);
      node.textContent = words.join("");
      return node;
    }));
    target.hidden = source.textContent === area.value;
  };
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-editor]")) { showChanges(event.target); beat(); }
    if (event.target.matches("[data-tick]")) showPicked();
  });
  document.addEventListener("click", (event) => {
    const copies = event.target.closest("[data-copy]");
    if (copies) navigator.clipboard.writeText(document.getElementById(copies.dataset.copy).textContent).then(() => say(copies.textContent.trim() + " ✓"));
    const option = event.target.closest("[data-option]"), reload = event.target.closest("[data-reload], [data-news]");
    if (option) {
      const area = one("textarea[data-agent]");
      area.value = one(".body", option.closest("li")).textContent;
      area.closest("details").open = true;
      area.focus();
      showChanges(area);
    }
    if (reload) refresh();
    const note = event.target.closest(".corner .note:not(.undo)");
    if (note && !event.target.closest("a")) note.remove();
    all("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });

  /* ---- swaps: at once on screen, focus and scroll stay */
  let scrolled = {}, held = null, busy = 0;
  document.addEventListener("htmx:afterRequest", () => { busy = Math.max(0, busy - 1); });
  /* Of two pages asked for, the newer one counts: the older would take the place that the newer is meant for. */
  let going = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    busy += 1;
    if (event.target.matches("a")) {
      if (going && going.readyState < 4) going.abort();
      going = event.detail.xhr;
    }
    const form = event.target.closest("form");
    if (!form) return;
    form.classList.add("busy");
    if (form.contains(one("[data-pending]", form))) {
      const row = one('[data-row][aria-current="true"]');
      if (row) row.closest("li").classList.add("pending");
    }
  });
  document.addEventListener("htmx:beforeSwap", () => {
    scrolled = Object.fromEntries(all("[data-keep-scroll]").map((n) => [n.id, n.scrollTop]));
    keepPicks();
    const held_now = document.activeElement;
    held = held_now && held_now.id && held_now.id !== "main" && held_now.closest("#page") ? held_now.id : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    busy = 0;
    if (data("title")) document.title = page().dataset.title;
    all("[data-keep-scroll]").forEach((n) => { n.scrollTop = scrolled[n.id] || 0; });
    givePicks();
    ready();
    const next = (held && document.getElementById(held)) || one('[data-row][aria-current="true"]') || one("#main");
    const small = next && next.matches("[data-row]") && !shown(next);
    const target = small ? one("[data-focus]") || one("#main") : next;
    const open = one("details.act-box[open] textarea");
    (open || target || document.body).focus({ preventScroll: true });
    if (next && next.scrollIntoView && shown(next)) next.scrollIntoView({ block: "nearest" });
    const note = one(".corner .note");
    if (note) say(note.textContent.trim());
  });
  const failed = (event) => {
    all("form.busy").forEach((f) => f.classList.remove("busy"));
    all("li.pending").forEach((r) => r.classList.remove("pending"));
    if (event.type !== "htmx:sendAbort") lost(data("failed"));
  };
  ["htmx:sendError", "htmx:timeout", "htmx:sendAbort", "htmx:swapError"].forEach((n) => document.addEventListener(n, failed));

  /* ---- the undo ring */
  const count = () => {
    all("[data-countdown]").forEach((box) => {
      const end = Number(box.dataset.end ||= Date.now() + box.dataset.countdown * 1000);
      const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      const words = one("[data-seconds]", box);
      words.textContent = words.textContent.replace(/\d+/, left);
      const ring = one(".left", box);
      if (ring) ring.setAttribute("stroke-dashoffset", String(100 - 100 * (end - Date.now()) / (box.dataset.countdown * 1000)));
      if (!left) box.remove();
    });
  };
  setInterval(count, 500);

  /* ---- news: nothing that is read or about to be clicked moves */
  let stream = null, waiting = 0, lostBar = null;
  const lost = (text) => {
    if (!lostBar) { lostBar = document.createElement("p"); lostBar.className = "lost"; lostBar.setAttribute("role", "status"); document.body.append(lostBar); }
    lostBar.textContent = text;
    if (text === data("failed")) setTimeout(found, 6000);
  };
  const found = () => { if (lostBar) lostBar.remove(); lostBar = null; };
  const listen = () => {
    if (stream || !data("live") || document.hidden) return;
    stream = new EventSource(data("live"));
    stream.onopen = found;
    stream.onerror = () => { if (!document.hidden) lost(data("connection")); };
    stream.addEventListener("change", () => { if (!waiting) waiting = setTimeout(look, 120); });
    stream.addEventListener("mission", (event) => { if (["*", event.data].includes(data("missions")) && !waiting) waiting = setTimeout(look, 120); });
    stream.addEventListener("ended", () => { stream.close(); stream = null; location.reload(); });
  };
  const hush = () => { if (stream) stream.close(); stream = null; };
  document.addEventListener("visibilitychange", () => { if (document.hidden) hush(); else { listen(); if (data("live")) look(); } });
  addEventListener("pagehide", hush);
  /* A lane without `at` shows its first message; news must not turn that into another one. */
  const shownNow = () => {
    const url = new URL(location.href), work = one("#work");
    if (one("main.lane") && work) url.searchParams.set("at", work.dataset.message);
    return url;
  };
  const look = async () => {
    waiting = 0;
    const asked = page();
    try {
      const answer = await fetch(shownNow(), { headers: { "x-look": "yes" } });
      if (!answer.ok || answer.redirected) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page() === asked && !busy) take(fresh);
    } catch { /* the stream says it when the line is down */ }
  };
  const put = (fresh, query) => {
    const old = one(query), next = one(query, fresh);
    if (old && next && old.innerHTML !== next.innerHTML && !old.contains(document.activeElement)) old.replaceChildren(...next.childNodes);
  };
  const take = (fresh) => {
    document.dispatchEvent(new CustomEvent("deskhand:fresh", { detail: fresh }));
    if (!one("#rows", fresh) && !one("#work", fresh)) return;
    put(fresh, ".places");
    put(fresh, "#accounting");
    put(fresh, ".filters");
    const known = new Map(all("#rows [data-item]").map((n) => [n.dataset.item, n]));
    const now = new Map(all("#rows [data-item]", fresh).map((n) => [n.dataset.item, n]));
    const added = [...now.keys()].filter((id) => !known.has(id)).length;
    known.forEach((node, id) => {
      const next = now.get(id);
      node.classList.toggle("gone", !next && Boolean(one("#rows", fresh)));
      if (next) ["class", "one", "two"].forEach((part) => {
        if (part === "class") node.classList.toggle("unread", next.classList.contains("unread"));
        else { const a = one("." + part, node), b = one("." + part, next); if (a && b && a.innerHTML !== b.innerHTML) a.replaceChildren(...b.childNodes); }
      });
    });
    const news = one("[data-news]");
    if (news) { news.hidden = !added; news.textContent = data("new").replace("{n}", added); }
    const work = one("#work"), next = one("#work", fresh);
    const other = (work && work.dataset.status) !== (next && next.dataset.status) || text(work, "#draft-text") !== text(next, "#draft-text") ||
      all(".letter").length !== all(".letter", fresh).length;
    put(fresh, ".talk-state");
    if (!other) { put(fresh, ".present"); return; }
    const same = work && next && work.dataset.message === next.dataset.message;
    if (same && !dirty(work) && !work.contains(document.activeElement)) {
      work.replaceWith(next);
      put(fresh, ".letters");
      put(fresh, ".side");
      htmx.process(next);
      ready();
      say(one(".state, .draft header", next) ? one(".state, .draft header", next).textContent.trim() : "");
    } else { const note = one("[data-changed-note]"); if (note) note.hidden = false; }
  };
  const text = (from, query) => { const n = from && one(query, from); return n ? n.textContent : ""; };
  const refresh = () => htmx.ajax("GET", location.pathname + location.search, { target: "#page", select: "#page", swap: "outerHTML show:none" });

  /* ---- presence (P121) */
  let beaten = 0;
  const beat = async () => {
    const thread = data("thread");
    if (!thread || document.hidden || Date.now() - beaten < 5000) return;
    beaten = Date.now();
    const mode = all("[data-editor]").some((n) => n === document.activeElement || changed(n)) ? "replying" : "viewing";
    const body = new URLSearchParams({ csrf: data("csrf"), mode });
    try { await fetch(`/dashboard/threads/${thread}/presence`, { method: "POST", body }); } catch { /* the next one tells */ }
  };
  setInterval(() => { beaten = 0; beat(); }, 20000);

  const ready = () => {
    all("[data-option]").forEach((b) => { b.hidden = false; });
    all("[data-copy]").forEach((b) => { b.hidden = !navigator.clipboard; });
    all("textarea[data-agent]").forEach(showChanges);
    all("[data-fades]").forEach((n) => setTimeout(() => n.remove(), 6000));
    beaten = 0;
    beat();
    listen();
    count();
  };
  addEventListener("DOMContentLoaded", () => { showPicked(); ready(); const r = one('[data-row][aria-current="true"]'); if (r && shown(r)) r.focus({ preventScroll: true }); });
})();
