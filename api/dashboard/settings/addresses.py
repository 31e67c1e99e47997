"""Every address of the settings in one table: path, page, and what a form there does."""

from api.dashboard.settings import agent, autonomy, history, mailbox, mailboxes, model, preview, sources
from api.dashboard.visit import Page

ROOT = "/dashboard/settings"
BOX = ROOT + "/mailboxes/{mailbox_id}"
SOURCE = ROOT + "/sources/{name}"

PAGES: tuple[tuple[str, Page], ...] = (
    (ROOT, mailboxes.mailboxes_page),
    (f"{ROOT}/sources", sources.sources_page),
    (f"{SOURCE}/rotate", sources.sources_page),
    (f"{ROOT}/model", model.model_page),
    (f"{ROOT}/history", history.history_page),
    (autonomy.ROOT, autonomy.autonomy_page),
    (f"{autonomy.ROOT}/{{category}}", autonomy.rule_page),
    (BOX, mailbox.mailbox_page),
    (f"{BOX}/addresses/{{change}}", mailbox.mailbox_page),
    (f"{BOX}/flags", mailbox.flags_page),
    (f"{BOX}/{{section}}", agent.agent_page),
)
FORMS: tuple[tuple[str, Page], ...] = (
    (ROOT, mailboxes.add),
    (f"{ROOT}/sources", sources.add),
    (f"{SOURCE}/rotate", sources.rotate),
    (f"{SOURCE}/pause", sources.pause),
    (f"{SOURCE}/secrets/{{secret_id}}/revoke", sources.revoke),
    (f"{ROOT}/model", model.try_it),
    (f"{autonomy.ROOT}/handling", autonomy.forbid),
    (f"{autonomy.ROOT}/handling/{{rule_id}}/remove", autonomy.allow),
    (f"{autonomy.ROOT}/{{category}}", autonomy.save),
    (f"{autonomy.ROOT}/{{category}}/accept", autonomy.accept),
    (BOX, mailbox.change),
    (f"{BOX}/addresses/add", mailbox.add_address),
    (f"{BOX}/addresses/remove", mailbox.remove_address),
    (f"{BOX}/pause", mailbox.pause),
    (f"{BOX}/flags/{{flag}}", mailbox.switch_flag),
    (f"{BOX}/replies/preview", preview.preview_page),
    (f"{BOX}/{{section}}", agent.save),
)
