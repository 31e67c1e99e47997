"""The style rules of one document, found by the rightmost part of their selectors and matched within a step budget."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.text.css import Declaration, StyleRule
from domain.text.geometry import OFF_SCREEN_PX
from domain.text.lengths import Length
from domain.text.selectors import Compound, Element, NotUnderstood, Selector, parse_selector, split_list

STEPS_MAX = 400_000
SELECTORS_MAX = 40_000


@dataclass(slots=True)
class RuleIndex:
    """The rules of a document by the id, class or tag of their rightmost compound; `unsure` if one was beyond us."""

    quirks: bool = False
    unsure: bool = False
    exhausted: bool = False
    steps: int = 0
    count: int = 0
    by_key: dict[str, list[tuple[Selector, int, tuple[Declaration, ...]]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, rule: StyleRule) -> None:
        """Takes in one rule; a condition or selector we cannot judge only marks the document, if the rule hides."""
        for text in split_list(rule.selectors):
            if self.exhausted:
                return
            try:
                selector = parse_selector(text, quirks=self.quirks)
            except NotUnderstood:
                selector, rule = None, StyleRule(rule.selectors, rule.declarations, None)
            self.unsure = self.unsure or (rule.applies is None and any(may_hide(item) for item in rule.declarations))
            if selector is not None and rule.applies:
                self.count += 1
                self.exhausted = self.count >= SELECTORS_MAX
                self.by_key[_key(selector.compounds[0])].append((selector, self.count, rule.declarations))

    def matching(self, element: Element) -> Iterable[tuple[tuple[int, int, int, int], tuple[Declaration, ...]]]:
        """The declarations of the rules that match, each with its (specificity, order)."""
        keys = ["*", element.tag, *(f".{name}" for name in element.classes)]
        keys += [f"#{element.id}"] if element.id else []
        for selector, order, found in (rule for key in keys for rule in self.by_key.get(key, ())):
            if self.exhausted:
                return
            if self._matches(selector, 0, element):
                yield (*selector.specificity, order), found

    def _matches(self, selector: Selector, index: int, element: Element) -> bool:
        self.steps += 1
        if self.steps > STEPS_MAX:
            self.exhausted = True
            return False
        if not selector.compounds[index].matches(element):
            return False
        if index == len(selector.combinators):
            return True
        return self._rest_matches(selector, index, element)

    def _rest_matches(self, selector: Selector, index: int, element: Element) -> bool:
        combinator = selector.combinators[index]
        other = element.parent if combinator in " >" else element.previous
        while other is not None and not self.exhausted:
            if self._matches(selector, index + 1, other):
                return True
            if combinator in ">+":
                return False
            other = other.parent if combinator == " " else other.previous
        return False


def _key(compound: Compound) -> str:
    if compound.id:
        return f"#{compound.id}"
    if compound.classes:
        return f".{min(compound.classes)}"
    return compound.tag or "*"


def may_hide(declaration: Declaration) -> bool:
    """Whether a declaration could hide text; colours alone are left out, else every theme would be suspect."""
    name, value, _ = declaration
    if name in ("display", "visibility"):
        return value in ("none", "hidden", "collapse") or not isinstance(value, str)
    if name in ("opacity", "filter", "scale", "own-scale"):
        return not isinstance(value, float) or value <= 0.1
    if name in ("mso-hide", "content-visibility", "clip", "clip-path", "translate", "own-translate", "doubt"):
        return bool(value)
    limit = {"font-size": 2.0, "text-indent": OFF_SCREEN_PX}.get(name)
    return limit is not None and (not isinstance(value, Length) or value.pixels() <= limit)
