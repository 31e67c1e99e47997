"""Marks of chat templates and tool calls, which mean the same in every language."""

from domain.detect.families import Band, Family
from domain.detect.phrases import Pack, Phrase

PACK = Pack(
    language="",
    words={},
    phrases=(
        Phrase("template_forgery.token", Family.TEMPLATE_FORGERY, Band.STRONG, (
            r"<\|[ ]?(?:im_start|im_end|im_sep|system|user|assistant|developer|endoftext|endofprompt|eot_id|end_of_text"
            r"|begin_of_text|start_header_id|end_header_id|end_of_turn|start|end|channel|message|return|call|tool"
            r"|fim_prefix|fim_suffix|end_of_role|start_of_role|tool_call|tool_response|prompt|end_of_document)[ ]?\|>",
            r"\[/?INST\]",
            r"<<\s?/?SYS\s?>>",
            r"<(?:start|end)_of_turn>",
            r"(?:\x{ff5c}|\|)(?:begin|end)\x{2581}of\x{2581}sentence(?:\x{ff5c}|\|)",
            r"\[/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]",
            r"</?(?:tool_call|tool_response|function_calls?|invoke name=)",
            r"\{\s{0,8}[\"']role[\"']\s{0,8}:\s{0,8}[\"'](?:system|assistant|developer|tool)[\"']\s{0,8},",
            r"(?:^|\n)[ \t>]{0,8}(?:human|user)[ \t]{0,2}:[^\n]{0,400}\n\s{0,8}(?:[ \t>]{0,8})assistant[ \t]{0,2}:",
            r"(?:^|\n)[ \t>]{0,8}```[ \t]{0,3}(?:system|assistant|developer|instructions?)[ \t]{0,3}(?:\n|$)",
        ), raw=True),
    ),
)
