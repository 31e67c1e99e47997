"""A whole round at the queue by keyboard alone: ten mails, every kind of decision, the keys counted (P117, P118)."""

from typing import Any

from playwright.async_api import Page, expect

from tests.browser.test_review import at, drafted, next_after, statuses
from tests.browser.visitors import Visitors
from tests.integration.running import Running

MAILS = 10
FOCUS = """() => {
  const node = document.activeElement, box = node.getBoundingClientRect(), style = getComputedStyle(node);
  const marked = style.outlineStyle !== "none" || style.boxShadow !== "none" || node.matches("textarea, input");
  const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  return node.tagName !== "BODY" && seen && marked;
}"""

# Faster than any event that is told later could come between.
PRESSED_IN_ONE_TASK = """keys => keys.forEach(key => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))"""


class Keyboard:
    """Presses keys, counts them, and looks each time whether the focus is somewhere and can be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    async def press(self, *keys: str) -> None:
        """One after the other; text typed into a field is no key here."""
        for key in keys:
            self.pressed += 1
            await self.page.keyboard.press(key)
            await self.focused()

    async def focused(self) -> None:
        """Focus is on something that is on screen; a swap may take a moment to give it on."""
        await self.page.wait_for_function(FOCUS)

    async def decide(self, *keys: str) -> str:
        """Presses and waits for the next mail; the id of the one decided."""
        shown = await at(self.page)
        await self.press(*keys)
        await next_after(self.page, shown)
        await self.focused()
        return shown


async def test_ten_mails_and_never_a_mouse(pipeline: Running, visitors: Visitors) -> None:  # P117, P118
    """Opened from the rail; skip, approve, edit, reject, select, bulk and undo; under three keys a decision in all."""
    await pipeline.config(human_undo_ms=120_000)
    ids = {str(i) for i in await drafted(pipeline, MAILS, subject="a round of ten")}
    page = await visitors.arrive()
    asked: list[Any] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    await page.locator(".places a[href^='/dashboard/inbox/review']").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#work")
    keys = Keyboard(page)
    done = {await keys.decide("a"): "approved"}
    first = await at(page)
    await keys.press("s")
    await next_after(page, first)
    done[await keys.decide("a")] = "approved"
    shown = await at(page)
    await keys.press("e")
    await page.keyboard.type("Dear customer, ")
    await keys.press("Control+Enter")
    await next_after(page, shown)
    done[shown] = "approved"
    done[await keys.decide("#", "Enter")] = "rejected"
    undone = await keys.decide("a")
    await keys.press("Control+z")
    await expect(page.locator(".corner").get_by_text("1 taken back; nothing was sent.")).to_be_visible()
    await _pick_all(pipeline, keys, len(ids) - len(done))
    await keys.press("a")
    await expect(page.locator(".corner .note").first).to_contain_text(f"{len(ids) - len(done)} approved")
    left = ids - set(done)
    assert undone in left and first in left
    await keys.press("Control+z")
    await expect(page.locator(".corner").get_by_text(f"{len(left)} taken back; nothing was sent.")).to_be_visible()
    await _pick_all(pipeline, keys, len(left))
    await keys.press("#")
    await expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    decided = {**done, **dict.fromkeys(left, "rejected")}
    assert {str(i): s for i, s in (await statuses(pipeline, [*ids])).items()} == decided  # type: ignore[list-item]
    decisions = len(done) + 1 + 2 * len(left)
    print(f"keys_per_decision: {keys.pressed / decisions:.1f}")
    assert keys.pressed / decisions < 3 and asked == []


async def _pick_all(pipeline: Running, keys: Keyboard, many: int) -> None:
    """Looks at each from the top, as a bulk approval demands (HU9), and selects it on the way."""
    page = keys.page
    await expect(page.locator("[data-row]")).to_have_count(many)
    rows = await page.locator("[data-item]").evaluate_all("nodes => nodes.map(n => n.dataset.item)")
    while (shown := await at(page)) != rows[0]:
        await keys.press("k")
        await next_after(page, shown)
    for n, row in enumerate(rows):
        await expect(page.locator("#work")).to_have_attribute("data-message", row)
        await keys.press("x", *("j" if n < many - 1 else ""))
    await expect(page.locator("[data-tick]:checked")).to_have_count(many)
    await pipeline.eventually(lambda: _all_looked_at(pipeline, rows))


async def _all_looked_at(pipeline: Running, rows: list[str]) -> bool:
    """The pages told the server of every look; they do so a moment after they are drawn."""
    count = await pipeline.value(
        "SELECT count(DISTINCT m.id) FROM inbound_messages m JOIN thread_reads r USING (thread_id)"
        " WHERE m.id = ANY ($1) AND r.read_at >= m.changed_at", rows,
    )  # fmt: skip
    return bool(count == len(rows))


async def test_keys_pressed_faster_than_pages_come_all_count(pipeline: Running, visitors: Visitors) -> None:  # P117
    """Five times down without a pause shows the sixth mail, whatever the order in which the pages arrive."""
    await drafted(pipeline, 6, subject="in a hurry")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/review")
    await page.wait_for_selector("#work")
    rows = await page.locator("[data-item]").evaluate_all("nodes => nodes.map(n => n.dataset.item)")
    for _ in range(5):
        await page.keyboard.press("j")
    await expect(page.locator("#work")).to_have_attribute("data-message", rows[5])
    await expect(page.locator(f"#row-{rows[5]} a")).to_be_focused()


async def test_what_is_typed_after_a_key_is_text_from_the_first_letter(pipeline: Running, visitors: Visitors) -> None:
    """No letter of a reply typed at once after `r` or `e` acts as a key: an `a` among them would send something."""
    ids = await drafted(pipeline, 2, subject="typed at once")
    page = await visitors.arrive()
    for key, field in (("e", "textarea[data-agent]"), ("r", "form[action$=write_reply] textarea")):
        await page.goto(f"{pipeline.url}/dashboard/inbox/review?at={ids[0]}")
        await page.wait_for_selector("#work")
        before = await page.locator(field).input_value()
        await page.evaluate(PRESSED_IN_ONE_TASK, [key, *"asjk#"])
        assert await page.evaluate("() => document.activeElement.matches('textarea')")
        assert await page.locator(field).input_value() == before and await at(page) == str(ids[0])
    assert set((await statuses(pipeline, ids)).values()) == {"draft_ready"}
