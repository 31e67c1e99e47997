"""English phrases of manipulation."""

from domain.detect.families import Band, Family
from domain.detect.phrases import Pack, Phrase

_SENDER_MEANS_OWN_WORDS = (
    r"(?:that |which )?(?:i|we|he|she|they|somebody|someone)\b|(?:from|in|of) (?:my|our|her|his|yesterday|last)\b|"
    r"(?:from|in|of|on|about|regarding|concerning|for|to) (?:my |our |the |this |that |your )?(?:\w+ )?(?:delivery"
    r"|shipping"
    r"|shipment|order|return|address|invoice|parcel|package|label|box|manual|payment|booking|device|machine|product"
    r"|driver|courier|warranty|installation|assembly|refund|appointment|account|packaging|customs|pickup)\b"
)
_THINGS_IN_MAIL = r"(?:address|number|e-?mail|mail|message|order|invoice|attachment|amount|price|date|request|link)\b"

PACK = Pack(
    language="en",
    words={
        "ignore": (
            "ignore", "disregard", "forget", "override", "overrule", "bypass", "neglect", "discard", "dismiss",
            "abandon", "violate", "set aside", "throw away", "pay no attention to", "do not obey", "do not follow",
            "don't follow", "don't obey", "never follow", "stop following", "stop obeying", "no longer follow",
            "ignoring", "disregarding", "do not adhere to", "do not comply with", "cease following", "circumvent",
        ),
        "all": ("all", "any", "every", "each", "everything in", "the whole of", "all of", "any of", "any and all"),
        "these": ("the", "your", "these", "those", "its", "their"),
        "previous": (
            "previous", "prior", "earlier", "preceding", "above", "foregoing", "former", "existing", "original",
            "initial", "past", "old", "current", "system", "previously given", "previously provided", "pre existing",
            "built in", "default", "programmed", "hidden", "developer", "operator", "preset", "above mentioned",
        ),
        "instructions": (
            "instruction", "instructions", "prompt", "prompts", "directive", "directives", "guideline", "guidelines",
            "guardrail", "guardrails", "programming", "system message", "system messages", "system prompt",
            "system prompts", "rule", "rules", "directions", "commands", "policies and rules",
        ),
        "machine": (
            "assistant", "ai", "a i", "bot", "chatbot", "robot", "language model", "llm", "model", "gpt", "agent",
            "ai system", "ai model", "virtual assistant", "artificial intelligence", "machine", "autoresponder",
            "mail robot", "reply bot", "email assistant",
        ),
        "unbound": (
            "unrestricted", "uncensored", "unfiltered", "jailbroken", "unlimited", "rogue", "evil", "unaligned",
        ),
        "reveal": (
            "reveal", "show", "show me", "show us", "print", "print out", "repeat", "output", "display", "tell me",
            "tell us", "give me", "give us", "share", "send", "send me", "send us", "disclose", "leak", "reproduce",
            "recite", "write out", "write down", "copy", "paste", "dump", "expose", "quote", "summarize", "summarise",
            "translate", "list", "include", "return", "echo", "provide", "state", "append", "attach", "forward",
        ),
        "others": (
            "other", "another", "all other", "all the other", "all your other", "all of your other", "the other",
            "all your", "all of your", "your other", "different",
            "some other", "every other", "any other",
        ),
        "customers": (
            "customer", "customers", "customer's", "client", "clients", "client's", "user", "users", "user's",
            "contact", "contacts", "contact's", "people", "people's", "person's", "subscribers", "buyers", "senders",
        ),
        "data": (
            "data", "details", "information", "email", "emails", "e-mails", "mail", "mails", "messages", "address",
            "addresses", "order", "orders", "names", "name", "phone numbers", "phone number", "records", "invoices",
            "database", "passwords", "tickets", "conversations", "payment details", "accounts", "files", "history",
        ),
        "secret": (
            "api key", "api keys", "api token", "api tokens", "access token", "access tokens", "secret key",
            "secret keys", "private key", "private keys", "credentials", "passwords", "environment variables",
            "env file", "connection string", "database password", "admin password", "master password", "root password",
            "encryption key", "encryption keys", "session token", "session tokens", "signing key",
        ),
        "boss": (
            "developer", "developers", "administrator", "admin", "creator", "creators", "owner", "operator",
            "supervisor", "system administrator", "programmer", "engineer", "master", "maker", "principal", "trainer",
        ),
    },
    phrases=(
        Phrase("override.previous", Family.OVERRIDE, Band.STRONG, (
            "{ignore} [{all}] [of] [{these}] {previous} [{previous}] [{machine}] {instructions}",
            "{ignore} [{all}] [of] [your] [{these}] [{machine}] (guardrails|programming|system prompt|system message)",
            "{ignore} {all} [of] your {instructions}",
            "{ignore} {all} {instructions} [that] [you] (have been|were|had been) (given|told|taught)",
            "{ignore} (everything|anything|all) [that] you (have been|were|had been|are|have) (told|instructed|taught"
            "|programmed|given|ordered|trained) [to] [do]",
            "{ignore} [{all}] [of] [{these}] {instructions} [you] (given|received|were given|got|have) (above|before"
            "|previously|earlier|so far|up to now|by the system|by your developer~|by your operator~)",
            "{ignore} [{all}] [of] [{these}] {instructions} (above|before this|preceding this)",
            "(do not|don't|never) (follow|obey|use|apply) your {previous} {instructions}",
            "[please] {ignore} what your (developer~|operator~|creator~|system prompt) (said|told|says|tells) [you]",
        ), softened_by=_SENDER_MEANS_OWN_WORDS),
        Phrase("override.vague", Family.OVERRIDE, Band.MEDIUM, (
            "{ignore} [all] [of] [everything] [that] [is] [written] [the] above",
            "{ignore} everything [that] (came|comes|stands|was said|was written|is) (before|above|so far|earlier)",
            "{ignore} (anything|everything) (before|above|prior to) this [line|point|message|sentence]",
            "{ignore} (the|all) (above|previous|preceding|foregoing) (text|context|content|conversation|dialogue)",
            "{ignore} {all} {instructions}",
            "{ignore} your (instructions|rules|prompt|directives|guidelines|orders)",
            "{ignore} what (you were|you have been) (told|instructed)",
            "{previous} {instructions} (are|have been|were) [now] [hereby] (void|revoked|cancelled|canceled|superseded"
            "|overridden|obsolete|invalid|null and void|no longer valid|lifted|suspended|deleted|replaced)",
            "(override|bypass|disable|deactivate|turn off|switch off|remove|lift) [all] [any] [of] [your] [the] (safety"
            "|content|ethical|moderation|output) (rules|guidelines|filter|filters|policies|protocols|restrictions"
            "|mechanisms|guardrails|constraints|limitations|settings)",
            "(your|these) {previous} {instructions} (do not|don't|no longer) (apply|count|matter|hold)",
        ), not_after=_THINGS_IN_MAIL),
        Phrase("re_role.you_are_now", Family.RE_ROLE, Band.MEDIUM, (
            "you are now *4 {machine}",
            "you are now [a] [an] [the] [my] *2 ({unbound}|admin mode|developer mode|debug mode|root|dan|jailbreak~"
            "|terminal|interpreter|hacker|free from|freed from|no longer bound|no longer restricted|without"
            " restrictions|without any restrictions|without rules|acting as|operating in|running in)",
            "(from now on|henceforth|starting now|as of now) you (are|will be|will act|act|must act|shall act|will"
            " behave"
            "|will respond|respond|must obey|obey|will obey|follow|will follow|will only follow|only obey|will only"
            " obey|answer only) [as] [to] [a] [an] [my] [only]"
            " ({machine}|{unbound}|me|dan|my commands|my orders|these instructions|the following)",
            "(pretend|imagine|act|behave|respond|answer|role play|roleplay|simulate) [to be] [that] [you are] [as]"
            " [if you were] [though you were] [like] [being] (a|an|the|my) *2 ({unbound}|{machine}) [without|with no"
            "|that|who|which]",
            "(enter|activate|enable|switch to|switch into|go into|boot into|start) (developer|debug|god|admin|dan"
            "|jailbreak|root|unrestricted|sudo|diagnostic) mode",
            "your new (role|task|job|purpose|identity|persona|mission|objective|goal|directive) (is|will be|shall be)",
            "forget [that] you are [a] [an] [the] *1 {machine}",
            "you are (no longer|not) [a] [an] [the] *2 {machine}",
            "you (have|are) [now] [been] (freed|liberated|released|unlocked) [from] [all] [your] *2 (restrictions|rules"
            "|limits|limitations|constraints|chains|guidelines)",
        )),
        Phrase("re_role.header", Family.RE_ROLE, Band.MEDIUM, (
            r"(?:^|\n)[^\w\n]{0,12}(?:(?:the|your|my|here are the) )?(?:new|updated|revised|real|actual|true|important"
            r"|additional|urgent|final|secret)[ -]{1,3}(?:system |assistant |ai )?(?:instructions?|directives?|task"
            r"|prompt|objective|commands?|orders)[^\w\n]{0,6}:",
            r"(?:^|\n)[^\w\n]{0,12}(?:instructions?|message|note|task|command)s? (?:to|for) (?:the |any |all |this )?"
            r"(?:ai|llm|assistant|bot|model|language model|ai assistant|email assistant)s?[^\w\n]{0,6}:",
        ), raw=True),
        Phrase("authority.claim", Family.AUTHORITY, Band.WEAK, (
            "as your {boss}",
            "(i am|i'm|this is|it is) [a message from] [a note from] your {boss}",
            "(i am|i'm) (the|an) {boss} of this (assistant|bot|ai|model|system prompt|agent|chatbot)",
            "[this is] [a] (message|note|instruction|order|command) from (your|the) ({boss}|developer team|ai team"
            "|ai provider|model provider|prompt engineer~)",
            "(i have|with my|using my) (root|developer|superuser|sudo|god) (access|privileges|rights|permissions"
            "|mode) (to|over|on|for) (you|this assistant|this ai|this bot|this model|this agent)",
            "(you are|you're) (authorized|authorised|permitted|cleared|required) by your {boss}",
            "your {boss} (has|have|hereby) (authorized|authorised|approved|ordered|instructed|told) (this|you)",
        )),
        Phrase("exfiltration.prompt", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *4 (your|the) [full] [entire] [exact] [complete] [original] [own] [hidden] [secret] [internal]"
            " [initial] (system prompt|system message|system instructions|initial prompt|initial instructions"
            "|hidden instructions|hidden prompt|secret instructions|internal instructions|original prompt"
            "|developer message|prompt template|context window|prompt)",
            "(what is|what's|what are|what were) your (system prompt|initial prompt|system instructions|exact"
            " instructions"
            "|initial instructions|hidden instructions|original instructions|secret instructions|full prompt)",
            "{reveal} [me] [us] [the] [your] *3 (instructions|rules|text|words|prompt|content|everything) (you were"
            " given|you have been given|you received|above this line|above this message|before this message"
            "|in your system prompt|that you follow|from your developer~|from your operator~)",
            "{reveal} *2 (everything|all text|all of the text|the text|all words|the words) (above|before this)",
        )),
        Phrase("exfiltration.others", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *4 {others} {customers} [personal] [private] [contact] [own] {data}",
            "{reveal} *4 {data} [of] [from] [for] [about] [belonging to] {others} [your] {customers}",
            "{reveal} *3 (customer|client|user|contact|subscriber) (list|database|records|data base|base)",
            "{reveal} *3 list of (all|all your|all the|your|other) (customers|clients|users|contacts|subscribers)",
            "(what did|what has|what have) (other|another|the other) {customers} (order~|buy|bought|written|write"
            "|ask~)",
            "{reveal} *3 (previous|earlier|last|all) (conversations|messages|emails|e-mails|mails|tickets) (with|from"
            "|of) (other|another|different|all) {customers}",
        )),
        Phrase("exfiltration.secret", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *2 (your|all|all the|all your|the system's|the internal|internal|stored|the stored|the admin|the"
            " server's|every|any) [stored] [internal] [secret] [private] {secret}",
            "{reveal} *2 (contents of|content of) *2 (env file|environment|config file|configuration|memory|knowledge"
            " base)",
            "what (is|are) your {secret}",
        )),
        Phrase("exfiltration.third_party", Family.EXFILTRATION, Band.MEDIUM, (
            r"\b(?:forward|send|e-?mail|mail|cc|bcc|copy|redirect|post|upload|transmit"
            r"|exfiltrate)\b[^.!?\n]{0,40}\b(?:this"
            r" (?:entire |whole )?(?:conversation|thread|chat|correspondence)|(?:all|every|previous|earlier|other"
            r"|internal)"
            r" (?:of )?(?:the |your |our )?(?:e-?mails?|mails?|messages?|conversations?|attachments|files|data"
            r"|information"
            r"|contacts|documents|records|customers?)|everything|customer (?:data|list|details)|(?:chat|conversation"
            r"|mail|message) (?:history|log)s?|inbox|mailbox|knowledge base)\b[^.!?\n]{0,60}\bto\b[^!?\n]{0,30}"
            r"(?:[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]|https?://)",
            r"\b(?:add|put|include|set)\b[^.!?\n]{0,20}[\w.+-]{1,64}@[\w.-]{1,80}[a-z][^.!?\n]{0,20}\b(?:in|as|to|into)"
            r"(?: the| a)? (?:bcc|blind copy|blind carbon copy|reply-?to|hidden recipient)",
            r"\bbcc\b[^.!?\n]{0,30}[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]",
        ), raw=True),
        Phrase("exfiltration.copy_to", Family.EXFILTRATION, Band.WEAK, (
            r"\b(?:forward|send|e-?mail|mail|cc|copy|redirect|reply)\b[^.!?\n]{0,60}\b(?:to|cc|at)\b[^.!?\n]{0,20}"
            r"[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]",
        ), raw=True, everyday=True),
        Phrase("exfiltration.secrecy", Family.EXFILTRATION, Band.WEAK, (
            "(do not|don't|never) (mention|reveal|tell|disclose|show|report|explain|admit|acknowledge) [this] [these]"
            " [the]"
            " [that] [any of] [about] *3 (to the user|to the human|to the customer|to the operator|to the reviewer"
            "|to your operator|to your team|to any human|in your reply|in your answer|in your response|in the summary"
            "|in your summary|in the reply|these instructions|this instruction|this prompt)",
            "without (telling|informing|notifying|alerting|asking) (the user|the human|the customer|the operator"
            "|the reviewer|your team|any human|your operator)",
            "(hide|conceal|keep) this (instruction|message|text|prompt|order|command) *2 (from|secret|hidden"
            "|confidential)",
            "(the user|the human|the operator|the reviewer|humans|people) (must not|should not|cannot|can't|will not"
            "|may not) (know|see|notice|learn|find out|be told)",
            "(say|tell|write) nothing *3 (to the user|to the human|to the reviewer|to your operator|about this"
            " instruction)",
            "(keep|stay) (silent|quiet) about (this|these) (instruction~|prompt|order~|message)",
        )),
        Phrase("exfiltration.steering", Family.EXFILTRATION, Band.WEAK, (
            "(include|insert|add|append|embed|put|place|render|write) *4 (link|url|image|markdown|html|iframe|code|text"
            "|sentence|signature) *5 (in|into|to|at the end of|at the bottom of|at the top of) [your|the|every|each"
            "|all] (reply|replies|response|responses|answer|answers|email|emails|output|draft|drafts)",
            "(end|begin|start|finish|close) (every|each|your|all your) (reply|replies|response|responses|answer|answers"
            "|message|messages) with",
            "(call|invoke|execute|trigger) *2 (tool|function|tools|functions|plugin|api) *2 (with|to|and|named|called)",
            "(respond|reply|answer) only (with|in) (json|yes|base64|the word|the following|exactly)",
            "(approve|authorize|authorise|confirm|grant|process) (the|this|my|a) (refund|payment|discount|request"
            "|transaction) (immediately|automatically|now)? without *2 (review|approval|checking|verification|asking)",
            "(set|mark|classify|label|treat|categorize|tag) this (mail|email|message|ticket) as (urgent|safe|trusted"
            "|verified|approved|not spam|internal|benign)",
            "(set|output|return|use) (confidence|priority|needs reply|category|is injection) *1 (to|as|of) [1|0|true"
            "|false|urgent|none|spam]",
        )),
        Phrase("template_forgery.label", Family.TEMPLATE_FORGERY, Band.STRONG, (
            r"(?:^|\n)[ \t>]{0,8}(?:#{1,6}|={3,}|-{3,}|\*{2,}|`{3,}|~{3,}|<<<|\[{1,3})[ \t]{0,3}(?:begin |start of "
            r"|end of"
            r" |new |end )?(?:system|assistant|developer)(?: (?:prompt|message|instructions?|note|override|command"
            r"|role))?[ \t]{0,3}(?:[:\]>#=*`~-]|\n)",
            r"(?:^|\n)[ \t>]{0,8}#{2,6}[ \t]{0,3}(?:instructions?|response|input|human|user)[ \t]{0,2}:?["
            r" \t]{0,4}(?:\n|$)",
            r"\[/?(?:system|inst|instructions?|sys|assistant|system prompt|system message|system note|system override"
            r"|admin override|developer message|hidden instructions?|prompt)\]",
            r"(?:^|\n)[ \t>]{0,8}[=\-#*<\[({]{2,}[ \t]{0,3}(?:end|begin|start)(?: of)?(?: the| this)? (?:e-?mail|mail"
            r"|user"
            r"|customer|untrusted|context|document|data|message|conversation)(?: (?:content|input|text|body|message"
            r"|data|block|section))?[ \t]{0,3}[=\-#*>\])}]{2,}",
            r"</?(?:system|system_?prompt|system-?message|instructions?|assistant|developer_?message"
            r"|untrusted(?:_\w{1,20})?|user_?input|context)>",
            r"(?:^|\n)[ \t>]{0,8}system (?:prompt|message|override|instruction)[ \t]{0,3}:",
        ), raw=True, softened_by=r"[^\n]{0,30}\b(?:error|warn|warning|info|debug|failed|exception)\b"),
    ),
    reporting=(
        "says", "said", "reads", "wrote", "writes", "contains", "contained", "containing", "asks", "asked", "telling",
        "tells", "told", "saying", "received", "phishing", "scam", "suspicious", "something like", "the words",
        "the phrase", "the sentence", "reported", "prompt injection", "claims", "claiming",
    ),
)
