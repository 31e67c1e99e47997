"""What a customer's own words say about a reply that no person had looked at (P89)."""

from activities.lifecycle.work import Work
from contracts.classification import Category, Classification, Sentiment
from contracts.mail import AutomaticClass

NEGATIVE_ANSWER = "negative_answer"


async def judge_answer(work: Work, said: Classification) -> None:
    """An angry mail or a complaint that answers an automatic reply: incident, outcome row, the sender's rule off."""
    angry = said.sentiment is Sentiment.NEGATIVE or said.category is Category.COMPLAINT
    if not angry or work.message["automatic_class"] == AutomaticClass.A:
        return
    answered = await work.tx.value("outcome_answered", work.id)
    if answered is not None:
        await work.tx.run("outcome_rejected", answered, NEGATIVE_ANSWER, work.id)
