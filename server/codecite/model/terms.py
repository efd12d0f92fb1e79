"""The words of code and of questions about it: what keyword search and the built-in embedder count.

A word of text is a run of letters, digits and underscores. It gives

- the stem of each of its sub-words (`parseHTTPRequest2` -> pars, http, request, 2);
- where there is more than one sub-word, the compound of them all, unstemmed (`parsehttprequest2`), so that
  `from_json`, `fromJson` and `FromJSON` are one word and a rare one;
- for Chinese, Japanese and Korean: each pair of neighbouring characters, a lone one by itself, since these scripts
  put no space between words.

Index and query go through the same functions, so what is asked meets what is stored.
"""

import re

import Stemmer

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
# Blanks for all that is in no word: in ASCII text this finds the same words, eight times as fast.
_ASCII_BLANKED = "".join(chr(code) if chr(code).isalnum() or code == ord("_") else " " for code in range(128))
_IS_CJK = re.compile(rf"[{_CJK}]")
# Boundaries inside an identifier: aB, ABc, a1 and 1a are boundaries, underscores are dropped.
_SUBWORD = re.compile(r"[^\W\d_a-z]+(?=[^\W\d_a-z][a-z])|[^\W\d_a-z]?[a-z]+|[^\W\d_a-z]+|\d+")

LONGEST_WORD = 64  # characters: longer runs are data (hashes, base64), not words
_CACHE_LIMIT = 50_000  # words remembered before the memory is given back: about 20 MB

_stem = Stemmer.Stemmer("english", 0).stemWord


def subwords(word: str) -> list[str]:
    """Split an identifier at case, digits and underscores, lower-cased: `parseHTTPRequest` -> parse, http, request."""
    return [part.lower() for part in _SUBWORD.findall(word)]


def stem(word: str) -> str:
    """Return the stem of a lower-case English word (Snowball's English stemmer, "Porter 2")."""
    return _stem(word) if len(word) > 2 else word


def _terms_of_word(word: str) -> list[str]:
    if _IS_CJK.match(word):
        return [word] if len(word) == 1 else [word[i : i + 2] for i in range(len(word) - 1)]
    if len(word) > LONGEST_WORD:
        return []
    parts = subwords(word)
    found = [stem(part) for part in parts]
    if len(parts) > 1:
        found.append("".join(parts))
    return found


class _Known(dict[str, str]):
    """The terms of each word that was met, joined by blanks."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        found = self[word] = " ".join(_terms_of_word(word))
        return found


_known = _Known()


def joined_terms(text: str) -> str:
    """Return the terms of a text in order, joined by blanks, the way the full-text index stores them."""
    # Everything here runs in C but for a word that was not met before: a first index looks at millions.
    return " ".join(map(_known.__getitem__, words(text)))


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repeats kept."""
    return joined_terms(text).split()


def words(text: str) -> list[str]:
    """Return the words of a text as they stand, in order: identifiers whole, runs of CJK characters whole."""
    return text.translate(_ASCII_BLANKED).split() if text.isascii() else _WORD.findall(text)


def is_cjk(word: str) -> bool:
    """Say whether a word of `words` is in a script that puts no space between words."""
    return bool(_IS_CJK.match(word))
