/* The palette (Ctrl/Cmd-K), and small comforts of the bar above a conversation. Both only press what is on the page. */
"use strict";
(() => {
  const all = (q, from = document) => [...from.querySelectorAll(q)];
  const one = (q, from = document) => from.querySelector(q);
  const palette = () => one("#palette");
  let asked = 0, timer = 0, at = 0, before = null, waiting = false, entered = false;

  /* ---- what can be done here: the page's own buttons, named by their words */
  const words = (node) => {
    const copy = node.cloneNode(true);
    all("kbd, svg, .aside", copy).forEach((n) => n.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const seen = (node) => node.getClientRects().length > 0;
  const acts = () => all(".talk [data-key], .side [data-key], .talk [data-do], .work summary.button, .work .acts > form > button")
    .filter((node, place, list) => list.indexOf(node) === place && !node.disabled && !node.matches("input") && (node.dataset.do || seen(node)))
    .map((node) => ({ label: node.dataset.do || words(node), detail: node.dataset.key || "", node }))
    .filter((item) => item.label);
  const fits = (label, text) => text.toLowerCase().split(/\s+/).every((word) => label.toLowerCase().includes(word));

  /* ---- what is shown */
  const options = () => all('#palette [role="option"]');
  const mark = (place) => {
    const list = options();
    at = !list.length || place === null ? -1 : (place + list.length) % list.length;
    list.forEach((node, n) => node.setAttribute("aria-selected", String(n === at)));
    const input = one("#palette-ask");
    if (list[at]) { input.setAttribute("aria-activedescendant", list[at].id); list[at].scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  };
  const span = (name, text) => {
    const node = document.createElement("span");
    node.className = name;
    node.textContent = text;
    return node;
  };
  const option = (item, n) => {
    const node = document.createElement(item.href ? "a" : "div");
    node.id = `palette-${n}`;
    node.className = "option";
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", "false");
    node.tabIndex = -1;
    if (item.href) node.href = item.href;
    const name = span("name", item.label);
    name.dir = "auto";
    node.append(name);
    if (item.detail) node.append(item.node ? Object.assign(document.createElement("kbd"), { textContent: item.detail }) : span("detail", item.detail));
    node.act = item.node;
    return node;
  };
  const show = (groups, done) => {
    let n = 0;
    waiting = !done;
    const nodes = groups.filter((g) => g.items.length).map((group, place) => {
      const box = document.createElement("div"), head = document.createElement("div");
      head.className = "group";
      head.textContent = group.name;
      box.setAttribute("role", "group");
      head.id = `palette-group-${place}`;
      box.setAttribute("aria-labelledby", head.id);
      box.append(head, ...group.items.map((item) => option(item, n++)));
      return box;
    });
    const found = one("#palette-found");
    found.replaceChildren(...nodes);
    htmx.process(found);
    one("#palette-said").textContent = waiting ? "" : n ? palette().dataset.found.replace("{n}", n) : palette().dataset.none;
    mark(done && at > 0 ? at : one("#palette-ask").value.trim() ? 0 : null);
    if (done && entered && at >= 0) { entered = false; choose(options()[at]); }
  };
  const here = (text) => ({ name: palette().dataset.acts, items: acts().filter((item) => fits(item.label, text)) });
  /* What the page offers fits at once, so that Enter never presses something from before the last letter. */
  const typed = () => {
    asked++;
    entered = false;
    at = -1;
    show([here(one("#palette-ask").value.trim())]);
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  };
  const look = async () => {
    const text = one("#palette-ask").value.trim(), mine = ++asked;
    const url = new URL("/dashboard/palette", location.href);
    const mailbox = new URL(location.href).searchParams.get("mailbox");
    url.searchParams.set("q", text);
    if (mailbox) url.searchParams.set("mailbox", mailbox);
    try {
      const answer = await fetch(url, { headers: { "x-look": "yes" } });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const found = await answer.json();
      if (mine === asked && palette().open) show([here(text), ...found.groups], "more");
    } catch {
      if (mine !== asked || !palette().open) return;
      show([here(text)], "more");
      one("#palette-said").textContent = palette().dataset.lost;
    }
  };
  const open = () => {
    before = document.activeElement;
    one("#palette-ask").value = "";
    palette().showModal();
    one("#palette-ask").focus();
    entered = false;
    at = -1;
    show([here("")]);
    look();
  };
  const close = (focus = true) => {
    asked++;
    clearTimeout(timer);
    palette().close();
    if (focus && before && before.isConnected) before.focus({ preventScroll: true });
  };
  const choose = (node) => {
    if (!node) return;
    close(Boolean(node.act));
    (node.act || node).click();
  };

  document.addEventListener("keydown", (event) => {
    const box = palette();
    if (!box) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      event.stopPropagation();
      if (box.open) close();
      else if (!one("dialog[open]")) open();
      return;
    }
    if (box.open) {
      const moves = { ArrowDown: 1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 };
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key in moves) { event.preventDefault(); mark(at < 0 && moves[event.key] < 0 ? -1 : at + moves[event.key]); }
      else if (event.key === "Home" && event.ctrlKey) { event.preventDefault(); mark(0); }
      else if (event.key === "End" && event.ctrlKey) { event.preventDefault(); mark(-1); }
      else if (event.key === "Enter") {
        event.preventDefault();
        if (options().length) choose(options()[at]);
        else entered = waiting;
      }
      else if (event.key === "Escape") { event.preventDefault(); close(); }
      return;
    }
    const menu = event.key === "Escape" && document.activeElement && document.activeElement.closest("details.talk-menu[open]");
    if (menu) {
      event.preventDefault();
      event.stopPropagation();
      menu.open = false;
      one("summary", menu).focus();
    }
  }, true);
  document.addEventListener("input", (event) => {
    if (event.target.id === "palette-ask") typed();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette]")) { open(); return; }
    const box = palette();
    if (!box || !box.open) return;
    const chosen = event.target.closest('#palette [role="option"]');
    if (chosen && chosen.act) choose(chosen);
    else if (chosen) close(false);
    else if (event.target === box) close();
  });
  document.addEventListener("toggle", (event) => {
    const menu = event.target;
    if (!menu.matches || !menu.matches("details.talk-menu") || !menu.open) return;
    all("details.talk-menu[open]").forEach((other) => { if (other !== menu) other.open = false; });
    const field = one("textarea, button:not(:disabled)", menu);
    if (field) field.focus({ preventScroll: true });
  }, true);
  /* An address holds only what was chosen. */
  document.addEventListener("submit", (event) => {
    if (event.target.matches("form.sieve")) all("select", event.target).forEach((n) => { n.disabled = !n.value; });
  }, true);

  const ready = () => all("[data-palette]").forEach((n) => { n.hidden = false; });
  document.addEventListener("htmx:afterSettle", ready);
  addEventListener("DOMContentLoaded", ready);
})();
