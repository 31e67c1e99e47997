"""How this mailbox writes, shown by what its people wrote; style only, never a source of facts (P73a)."""

from activities.ports import Row
from activities.steps.frame import StepContext
from domain.draft.voice import PastReply, best_examples


async def voice_examples(context: StepContext) -> tuple[str, ...]:
    """Replies to the same contact, or released ones; of a sender whose authentication failed released ones alone."""
    m = context.message
    contact = None if _unproven(m) else m["contact_id"]
    async with context.tools.database.transaction(m["mailbox_id"]) as tx:
        rows = await tx.rows("voice_candidates", m["mailbox_id"], contact, m["thread_id"])
    question = f"{m['subject']}\n{m['new_text'] or m['text_body']}"
    return best_examples(question, [PastReply(f"{r['subject']}\n{r['asked']}", r["reply"], r["sent_at"]) for r in rows])


def _unproven(m: Row) -> bool:
    verdict = ((m["auth_verdicts"] or {}).get("dmarc") or {}).get("value")
    return verdict == "fail" or "unauthenticated" in m["content_flags"]
