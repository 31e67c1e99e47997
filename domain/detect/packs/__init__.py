"""Phrases of manipulation by language, as data; a language is covered once its pack stands in PACKS (HD2)."""

from domain.detect.packs import any as any_language
from domain.detect.packs import de, en, es, fr
from domain.detect.phrases import Pack

PACKS: tuple[Pack, ...] = (any_language.PACK, en.PACK, de.PACK, fr.PACK, es.PACK)
LANGUAGES = frozenset(pack.language for pack in PACKS if pack.language)
