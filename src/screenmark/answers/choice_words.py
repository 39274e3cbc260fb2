"""Where a reply declares a letter: the words before it, after it, and around it.

Everything here is matched against text that `clean` has rid of markup, and takes time linear
in it: every repetition is bounded.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

_INLINE_TAGS = re.compile(r"</?(?:b|strong|i|em|u|span|code|mark|sup|center)\s?/?>")
_BLOCK_TAGS = re.compile(r"</?(?:p|br|div|li|ul|ol|h[1-6])\s?/?>")
_LATEX = re.compile(r"\\(?:text(?:bf|it|rm)?|math(?:rm|bf|it|sf)|bf|rm)\s?(?=\{)|\\[()\[\],;! ]")
_SPECIAL_TOKEN = re.compile(
    r"<\|(?!begin_of_box\b)[^|<>\n]{1,40}\|>|</?(?:s|eos|bos|pad|unk|(?:start|end)_of_turn)>|"
    r"\[/?(?:INST|ANSWER)\]"
)
_EMPHASIS = re.compile(r"[*`]+|\$(?!\d)|\$(?=[^$\n]{1,40}\$)")  # "$4" is money, "$4$" is not
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\x00\r]")
_SIMPLER = str.maketrans("為選擇應該當項確對適錯誤屬", "为选择应该当项确对适错误属")
_LINE_START = re.compile(r"^(?:[ \t>#•]|-(?!\d)){1,20}(?=\S)", re.MULTILINE)

LONGEST_REPLY: Final = 100_000
"""Of a longer reply only so many characters at its end are read."""


def clean(text: str) -> str:
    """Text without HTML, Markdown, LaTeX fonts, special tokens and full-width forms."""
    if "&" in text:
        text = html.unescape(text)
    # A character has up to 18 in half-width forms.
    text = simple(_INVISIBLE.sub("", text))[-LONGEST_REPLY:]
    text = _SPECIAL_TOKEN.sub(" ", text)
    text = _BLOCK_TAGS.sub("\n", _INLINE_TAGS.sub("", text))
    text = _EMPHASIS.sub("", _LATEX.sub("", text))
    return _LINE_START.sub("", text).strip()


def simple(text: str) -> str:
    """Text in half-width forms, the characters that matter here in simplified Chinese."""
    return unicodedata.normalize("NFKC", text).translate(_SIMPLER)


_OPEN = r"[\s\"'\[({<「“‘【_|]{0,8}"
_CLOSE = r"[\"'\])}>」”’】_]{0,6}"
_WORD = r"(?:(?:the )?(?:option|choice|letter|选项)[\s_:-]{0,3})?"
# No letter of its own: "Bluetooth", "C'mon", "B-tree", "A/B testing", "C++", "C:\", "D3", "E.g."
_OWN = (
    r"(?![A-Za-z0-9]|['’][A-Za-z]|[/&-][A-Za-z0-9]|[+#]|:\\|\.[a-z0-9]|\.[A-Za-z]\.|"
    r"\s?(?:按[钮键]|键|图标|标签|页|区|栏|类|级|盘|座|组|面|列|行|点))"
)
_HANZI = "[一-鿿]"
_END = rf"{_CLOSE}(?:\s{{0,4}}$|[ \t]{{0,4}}[\n.,;:!?<|\-–—。、&/)]|[ \t]?{_HANZI}|\s\()"
_BECAUSE = (
    r"['\")\]]{0,3}\s(?:because|since|as|due|for|based|given|with|which|here|and|or|but|rather|"
    r"over|instead|not|it|this|that|while|although|though|if|so|when|is)\b"
)
_LETTER = rf"{_OPEN}{_WORD}{_OPEN}([A-Z]){_OWN}"

_BE = (
    r"(?:is|are|was|=|->|=>|[:→⇒|–—]|-(?!\d)|(?:should|must|would|will|has to|have to)"
    r"(?: most likely| probably| therefore| thus| then)? be)"
)
_SURELY = (
    r"(?:therefore|thus|then|clearly|indeed|(?:most |very )?likely|probably|definitely|obviously|"
    r"certainly|simply|just|hence|clear|as follows)"
)
_IS = rf"(?:[\s\"'_]{{0,4}}{_BE}){{1,2}}(?:\s{{0,3}}{_SURELY}[\s,:]{{0,3}})?"
_PICK = (
    r"(?:pick|choose|select|chose|selected|picked|go(?:ing)? with|opt(?:ing)? for|answer|say|"
    r"vote for|conclude)\b(?: with| that it is)?(?: the)?(?: answer| option)?:?"
)
_SELF = (
    r"(?:\b(?:i|we)(?:'d| would| will|'ll|'m| am| have to| must| should| can)?(?: (?:then|"
    r"therefore|thus|hence|have|rather))? ?|\blet's |\blet me |(?:^|[.!?\n] ?))"
)

_BOXED = r"\\f?box(?:ed)?\s?\{|<(?:final_)?(?:answer|choice|option)>|<\|begin_of_box\|>"

FIRM: Final = re.compile(
    rf"(?:{_BOXED}"
    rf"|\banswer(?: here| choice| (?:to|for) (?:this|the) question)?{_IS}"
    rf"|\b(?:choice|option|selection|letter|(?:correct|right|best|appropriate|suitable|selected|"
    rf"chosen) one)(?: here)?{_IS}"
    rf"|{_SELF}{_PICK}"
    rf"|\bnot (?:option )?\(?[A-Z]\)?,? but(?: rather)?|不是\s?[A-Z]\s?,\s?是"
    rf"|正确的\s?(?:是|为|:){{1,2}}"
    rf"|答案?[】)\]]?(?:应该|应当|应|就)?(?:\s?(?:是|为|选择?|:)){{0,2}}"
    rf"|(?:选项|选择)(?:应该|应当|应|就)?(?:\s?(?:是|为|:)){{1,2}}"
    rf"|(?:^|[\s,。;:!?、]|我[会想要]?|本题|应该?|应当|因此|所以|故|就|只能|最终|还是"
    rf"|当然|肯定|一定|也许|大概|不如)选(?:择|取|定|了)?:?"
    rf"|而(?:是|选):?)" + _LETTER,
    re.IGNORECASE | re.MULTILINE,
)
"""Words that announce an answer, and a letter in group 1."""

FAINT: Final = re.compile(
    r"(?:\banswer[\s_:.|]{0,6}|\bans[.:]{1,2}|\b(?:final|correct|response|result|output|decision|verdict|"
    r"solution|conclusion|pick|letter|prediction|selected)\s?:"
    r"|\b(?:probably|likely|definitely|guess(?: is)?|elimination|i think)[,:]?(?=\s)"
    r"|\b(?:correction|corrected to|on (?:reflection|second thoughts?)|no,? wait|wait,? no|"
    r"actually|i mean|scratch that)[\s,:.!–—-]{0,4}(?:it is |it's |it should be )?"
    r"|\b(?:so|thus|hence|therefore|conclusion|sure|okay)[,:!]?(?: (?:it is|it's|it must be))?"
    r"|\bit(?: must be| should be| would be| has to be| is|'s))" + _LETTER,
    re.IGNORECASE,
)
"""Words that announce an answer only if nothing but the letter follows."""

AFTER: Final = re.compile(
    r"(?:^|[.,;:!?(。、]\s?|\b(?:option|choice|so|thus|hence|therefore|only|but|think|believe|that|"
    r"then|while|whereas|both|either|neither)\s|认为|觉得|只有|所以|因此|其中)"
    r"(?:the )?(?:option |choice |选项\s?)?[(\[\"']{0,3}"
    r"((?-i:[A-Z])(?:[)\]\"']{0,3}\s?(?:[,/&、和及或与]|\band\b|\bor\b|\bnor\b)\s?[(\[\"']{0,3}"
    r"(?-i:[A-Z])){0,8})"
    r"(?:[)\]\"']{0,3} (?:is|are|would be|must be|should be|seems(?: to be)?|appears to be)"
    r"(?: the)?(?: most| only| best)? ?(?:correct|right|best|appropriate|accurate|answer|choice|"
    r"option|(?:real|true|actual)(?= answer| choice| option))"
    r"(?: answer| choice| option| one| description| match)?(?=$|[\n.,;:!)]|\s(?:because|since|as|"
    r"here|given|and|but)\b)"
    r"|[)\]\"']{0,3}\s?(?:选项|项)?\s?(?:都|均|才)?(?:是|为|最)?(?:唯一)?(?:正确|对的|正解|合适|符合))",
    re.IGNORECASE | re.MULTILINE,
)
"""Letters in group 1 that are then called correct."""

FOLLOWED: Final = re.compile(rf"(?:{_END}|{_BECAUSE})", re.IGNORECASE)
"""What may follow a letter that is an answer."""

ENDED: Final = re.compile(
    rf"{_END}|['\")\]]{{0,3}} (?:because|since|as|due|it is)\b", re.IGNORECASE
)
"""What may follow one that only `FAINT` words announce."""

DENIED: Final = re.compile(
    r"[\"'\])]{0,4}(?:,? (?:which )?(?:is|are|was|would be|seems|looks|can|could|does|do|has|must)"
    r"(?:n't|(?: \w{1,20}){0,2}? (?:not|wrong|incorrect|false|out|eliminated|excluded|never|no|"
    r"unlikely|discarded|irrelevant))\b"
    r"| (?:cannot|can't|won't|isn't|doesn't)\b"
    r"| ?[.:)、-]{0,2} ?(?:wrong|incorrect|no|not|false)\b(?! \w{1,20} )"
    r"|\s?\?\s{0,2}(?:no|nope|wrong|not|不)\b"
    r"|\s?(?:选项|项)?\s?(?:是|为|显然|明显|也|都|均)?(?:不(?!选|是\s?[A-Z])|错|误|有误|可?排除|可以排除))",
    re.IGNORECASE,
)
"""What takes a letter back on the spot."""

NEGATED: Final = re.compile(
    r"(?:n't|\b(?:not|never|cannot|doubt))(?: (?:think|believe|say|that|the|my|a|correct|right|"
    r"best|final|most|likely|sure|if|whether|certain|necessarily)){0,6} ?$"
    r"|\b(?:wrong|incorrect|false|worst|bad|unlikely|impossible|invalid|"
    r"(?:least|less)(?: \w{1,15})?|second(?:[ -]best)?|next[ -]best|other|another|alternative|"
    r"(?<!only )(?<!most )(?<!more )(?<!best )(?:possible|potential|plausible|tempting)) ?$"
    r"|(?:不|别|勿|非|没有?|未|并不|不能|不会|不可|不宜)$"
    r"|(?:错误?|有误|干扰|不(?:太|够|大)?(?:正确|对|合适|恰当|适合|适当|符合|可能)|次[优佳]|备选|"
    r"另一?个?|其[他它]|(?<!唯一)可能)的?\s?$",
    re.IGNORECASE,
)
"""What stands before an announcement that denies it, or says that it is not the answer's."""

IMAGINED: Final = re.compile(
    r"\b(?:you|one|some(?:one|body)?|people|others|many|they|he|she|users?)(?: \w{1,12}){0,2}"
    r" (?:might|may|could|would)\b(?: \w{1,12}){0,5} ?$"
    r"|\bit (?:might|may|could)\b(?: \w{1,12}){0,5} ?$"
    r"|\b(?:initially|originally|at first|first thought|almost)\b(?: \w{1,12}){0,5} ?$",
    re.IGNORECASE,
)
"""What stands before an answer that somebody else would give, or that was given up."""

SUPPOSED: Final = re.compile(
    r"(?<!\beven )(?<!\bas )\b(?:if|unless|suppose|supposing)\b(?! (?:i|we|you|one|forced|asked|"
    r"pressed|required|needed|necessary|possible|anything|so|only)\b)|(?:如果|假如|假设|要是|若)(?!必须|非要)",
    re.IGNORECASE,
)
"""What makes the rest of a sentence a case that need not hold."""

TURN: Final = re.compile(
    r"\b(?:but|however|so|since|because|therefore|hence|thus|anyway)\b|但|不过|所以|因此",
    re.IGNORECASE,
)
"""Where a sentence goes on to what does hold."""

MORE: Final = re.compile(
    r"[\"')\]]{0,3}(?:[ \t]{0,3}(?:,|/|&|\+|;|、|\.)[ \t]{0,3}|[ \t]{1,3})[\"'(\[]{0,3}"
    rf"([A-Z]){_OWN}"
    rf"(?={_CLOSE}(?:\s{{0,4}}$|[ \t]{{0,4}}[\n.,;:!?/&+、。]|{_HANZI}"
    r"|[ \t](?:and|or)[ \t]\(?[A-Z]\b(?! (?:is|are|was|were|can|could|do|does)\b)))"
    rf"|[\"')\]]{{0,3}},?(?:[ \t]{{0,2}}\(?\b(?:or|and/or)\b(?: possibly| maybe| perhaps| even)?|"
    rf"或者?|还是|[ \t](?:and|&))[ \t]{{0,2}}(?:option )?[\"'(\[]{{0,3}}([A-Z]){_OWN}"
    r"(?! (?:is|are|was|shows|seems|does|would|looks|has|can|could|describes|refers)\b)"
    rf"|[\s\"')\]]{{0,3}}(?:和|及|与)[\s\"'(\[]{{0,3}}([A-Z]){_OWN}"
)
"""A further letter of a list, in one of three groups."""

ALONE: Final = re.compile(
    rf"(?:\d{{1,2}}[.)][ \t])?{_OPEN}(?:(?:option|choice|选项|选)[\s_:-]{{0,3}})?{_OPEN}([A-Za-z])"
    rf"{_CLOSE}\s?(?:选项|项)?[\s\"'\])}}>」”’.,:;!。、|_]{{0,8}}",
    re.IGNORECASE,
)
"""A letter and nothing else."""

SEVERAL: Final = re.compile(
    r"[(\[\"']{0,3}[A-Z][)\]\"']{0,3}(?:(?:\s?[,/&;+、\n]\s?|\s(?:and|or)\s|\s?[和或及与]\s?| )"
    r"[(\[\"']{0,3}[A-Z][)\]\"'.]{0,3}){1,25}"
)
"""Letters and nothing else."""

LABEL: Final = re.compile(
    rf"^[ \t]{{0,8}}(?:(?:option |选项\s?)?[\"']?([A-Z]){_OWN}[\"']?"
    r"(?:[.:)\]】、]|[ \t][–—-](?=\s)|,?[ \t](?=because\b|since\b|it is\b)|,[ \t](?=final\b)"
    r"|(?<![AI])[ \t](?=\())"
    r"|[(\[【]([A-Za-z])[)\]】][.:]?|([a-z])\)|([A-Z])[.:)]?[ \t]{1,8}(?=[^\n]))"
    r"[ \t]{0,4}([^\n]{0,400})",
    re.MULTILINE,
)
"""A line that begins with a letter as options do: the letter in one of four groups, the text in
the fifth. The fourth is a letter with nothing but a space behind it."""

LABEL_INSIDE: Final = re.compile(r"(?<![\w'])(?:[A-Z][.:)]|[a-z]\))[ \t]|\A[A-Z](?![A-Za-z0-9' ])")
"""Another letter in the text behind a label."""

TEXT: Final = re.compile(
    rf"(?:\banswer{_IS}|\b(?:choice|option){_IS}|答案?(?:应该|应)?(?:\s?(?:是|为|:)){{1,2}})\s{{0,4}}"
    r"([^\n]{1,400})",
    re.IGNORECASE,
)
"""An announcement with an option's text, to the end of its line, in group 1."""

BOXED_TEXT: Final = re.compile(rf"(?:{_BOXED})[\s{{]{{0,4}}([^\n{{}}<]{{1,400}})", re.IGNORECASE)
"""What stands in a box or between tags for the answer, in group 1."""

WITH_LETTER: Final = re.compile(r"(.{1,400}?)\s{0,3}[(\[](?:option |选项)?([A-Z])[)\]][.。\s]{0,3}")
"""A text in group 1 and a letter in brackets behind it in group 2."""
