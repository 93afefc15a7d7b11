"""How wide letters are, in thousandths of their size, and which ones there are.

Roboto writes words, STIX Two Math symbols: what the site's fonts hold, each width
rounded up to 20. A test compares this table with the font files.
"""

import unicodedata

WORDS = {
    180: "'′",
    200: ",‘’",
    220: ";",
    240: "j¦",
    260: " !:il|\xa0¡¸ìíîï",
    280: "-.I[]·ÌÍÎÏ",
    320: '"`´',
    340: "rt{}",
    360: "()f“”",
    380: "°²³¹",
    420: "/\\^¨",
    440: "*",
    460: "_ª¯º",
    480: "?y«»¿ýÿ",
    500: "vxz¶",
    520: "<ksγ≤",
    540: ">Lce¥±×çèéêëετ≥",
    560: "=FJahnu¢¬àáâãäåñùúûüλ≠",
    580: "$+0123456789EbdgopqµÈÉÊËòóôõö÷øþΣαδθμσ−≈",
    600: "STZ£Þßðβπ√",
    620: "#RY§Ý",
    640: "&BKPVX",
    660: "ACDUÀÁÂÃÄÅÇÙÚÛÜ–",
    680: "~Ð…",
    700: "GOQÒÓÔÕÖØ",
    720: "HN¤ÑΔφ",
    740: "%¼",
    760: "w",
    780: "½¾",
    800: "©®—",
    840: "ω",
    860: "æ",
    880: "Mm",
    900: "@W",
    920: "œ",
    940: "Æ",
    960: "Œ",
    1040: "∞",
}
SYMBOLS = {
    200: "'",
    240: " ",
    260: ",.:;𝜄",
    280: "j|𝑖𝑙",
    300: "il·′⋅",
    320: "-ft",
    340: "{}𝑡",
    360: "()I[]𝐼",
    380: "r",
    400: "/Js𝐽𝑠𝜀",
    420: "𝑐𝑟𝜍",
    440: "𝑒𝑗",
    460: "cz",
    480: "aex𝜁𝜊𝜏",
    500: "0123456789gvy𝑜𝑧𝛾𝜈𝜉",
    520: "So⋮𝑏𝑔𝑞𝑣𝑦𝛿𝜂𝜃𝜅𝜐",
    540: "bdpq↑↓𝑆𝑘𝜆",
    560: "k𝑎𝑑𝑥𝛽𝜌",
    580: "PhnuΓℎ𝐿𝑃𝑓𝑛𝑢𝜎",
    600: "FLZ𝐵𝐹𝑝𝛼𝜇",
    620: "BTΣ𝐸𝑅𝑇𝑌𝑍𝜑",
    640: "E𝑉𝑋𝜋𝜓",
    660: "RY×Ξ𝐶𝐾𝜒𝜔",
    680: "CVXΔ",
    700: "𝐴𝐺",
    720: "+<=>AGKΛΦΨ−∼≈≠≤≥𝐷𝑁𝑂𝑄",
    740: "DOQΘ𝑈𝑤",
    760: "NUwΠ𝐻",
    780: "HΩ",
    800: "√",
    840: "𝑚",
    860: "m",
    880: "⊕⊗⊙𝑀",
    900: "M…",
    920: "𝑊",
    940: "∑",
    960: "W←→∞⋯",
    1140: "∏",
}
BOLD = 1.05  # a bold word is so much wider, at most
_WIDTHS = {
    font: {letter: width for width, letters in table.items() for letter in letters}
    for font, table in (("words", WORDS), ("symbols", SYMBOLS))
}


def width(text: str, size: float, font: str = "words") -> float:
    """How wide a text is in pixels; font is "words" or "symbols".

    Raises ValueError for a character that the font lacks.
    """
    letters = _WIDTHS[font]
    lacking = [letter for letter in text if letter not in letters]
    if lacking:
        name = unicodedata.name(lacking[0], "unnamed")
        other = "words" if font == "symbols" else "symbols"
        hint = "write it between $ signs" if font == "words" else "write it without $"
        raise ValueError(
            f"the font of {font} has no {lacking[0]!r} ({name}), in {text!r}: "
            + (hint if lacking[0] in _WIDTHS[other] else "choose another")
        )
    return sum(letters[letter] for letter in text) * size / 1000


def italic(letter: str) -> str:
    """A letter as formulas have it: a → 𝑎, α → 𝛼; anything else as it is."""
    if letter == "h":
        return "ℎ"
    for first, last, start in (
        ("a", "z", 0x1D44E),
        ("A", "Z", 0x1D434),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter
