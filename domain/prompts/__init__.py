"""What we say to a model, as pure builders: our words in the trusted voice, everyone else's in named untrusted blocks.

One module per task, so that a change of wording is a change of one file, and so that the outgoing scan can compare a
draft with the very sentences a model was given (HW5).
"""

from domain.prompts import classify, draft, guard, options, rules, self_check

OUR_TEXTS: tuple[str, ...] = (
    rules.DATA_RULE,
    rules.GROUNDING_RULE,
    classify.TRUSTED,
    draft.PURPOSE,
    draft.VOICE_RULE,
    guard.PURPOSE,
    guard.ABOUT_HIDDEN,
    options.PURPOSE,
    self_check.PURPOSE,
)
"""Every fixed text of ours that can reach a model; an answer that repeats eight words of one leaks a prompt (HW5)."""
