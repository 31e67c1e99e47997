/* A mission's page follows the mission, part by part; what somebody types in or reads stays as it is. */
"use strict";
(() => {
  const all = (q, from = document) => [...from.querySelectorAll(q)];
  const typed = (part) => all("textarea, input:not([type=hidden])", part).some((n) => n.value !== n.defaultValue);
  const busy = (part) => typed(part) || (part.contains(document.activeElement) && document.activeElement.matches("textarea, input, select, button"));
  /* Tokens of forms differ on every look and say nothing. */
  const shape = (part) => part.innerHTML.replace(/name="request_id" value="[^"]*"/g, "");
  const renew = (old, next) => {
    if (shape(old) === shape(next) || busy(old)) return;
    const open = all("details[open][id]", old).map((n) => n.id);
    const focus = old.contains(document.activeElement) && document.activeElement.id;
    all("details[id]", next).forEach((n) => { n.open = n.open || open.includes(n.id); });
    old.replaceChildren(...next.childNodes);
    htmx.process(old);
    if (focus && document.getElementById(focus)) document.getElementById(focus).focus({ preventScroll: true });
    const asked = old.id === "gate" && old.querySelector(".question");
    if (asked) document.querySelector("#spoken").textContent = asked.textContent.trim();
  };
  document.addEventListener("deskhand:fresh", (event) => {
    all("[data-part]").forEach((old) => {
      const next = event.detail.getElementById(old.id);
      if (next) renew(old, next);
    });
  });
})();
