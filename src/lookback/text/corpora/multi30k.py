"""Multi30k: captions of photographs, translated by people."""

from pathlib import Path

from lookback.text.corpora.archives import lines
from lookback.text.corpora.files import Content, DataError, DataFile, read
from lookback.text.corpus import Pair, PairCorpus
from lookback.text.tokens import tokenize, tokenize_french

COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
URL = f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}/data/task1/raw/"
TOKENIZERS = {"en": tokenize, "fr": tokenize_french, "de": tokenize}
TESTS = ("test_2016_flickr", "test_2017_flickr")
PACKED = ("as published", "packed anew")

# SHA-256 of each file: as the repository holds it, and of a copy of the same text that
# was packed anew.
HASHES = {
    "train.en": (
        "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
        "e1d89f49b9f003db6bb35c24382eb56531fec4e3840cb704cf36f0c0e192b62d",
    ),
    "train.fr": (
        "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
        "41e4a42abcf242f69c88814fe0f8df106d877f0b07482c841f6063e3ed739039",
    ),
    "train.de": (
        "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
        "d71259ddb13479e1c9cac315c123493b7e97d2c996465b76d885a80a9e8daccd",
    ),
    "val.en": (
        "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
        "0a9a01b4fd231cafeebea18983300016112dc919d3b26c5c74f6d6f388936aeb",
    ),
    "val.fr": (
        "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
        "9ccb4038b407530093f76c4aa5e955842303e96b0bdef3c626a0c8320d450f36",
    ),
    "val.de": (
        "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
        "c7c5fd8dde71846406de776f1c342f0c1e95e1c375e3bea7d52a77faec72e965",
    ),
    "test_2016_flickr.en": (
        "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
        "4f32cb8118b90cd5189d141e34791f70c245315e17065ecf9b2af6ab57e747cf",
    ),
    "test_2016_flickr.fr": (
        "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
        "aaa466eae473f1807a1b4a1683e18b6bba1234aee4ebf70e04bbc11d1e87d2be",
    ),
    "test_2016_flickr.de": (
        "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
        "d9747e9ef1c1bf36bf4a0e43c0d0fba58cc55d6b2b8e388cc863cba02b043fea",
    ),
    "test_2017_flickr.en": (
        "76a444ee25172e72695cddb13ae4a3bda59430617be88e0bb46b60504f054074",
        "cb8c9ecb19ab3ae6d318e2c1aa36e4380261cb55fdad6c243f570e18c3a686bc",
    ),
    "test_2017_flickr.fr": (
        "3ba671ceb2299f3304ffafefea7a833d08632fbaf0ba18546f8a2ec2391af496",
        "04017db93b4451188c0e4cfe217d986831b84e159251ec17642a13839df54c57",
    ),
    "test_2017_flickr.de": (
        "a2c89666db00c495cd8513b9d708d5a3acc205d7de312ef2bf5fb7ebc1540aee",
        "6e64fad935924a74fbe5c3de6ee532e4e2ab12eaebe85f9a5d082cec9281a6b0",
    ),
}
FILES = {
    name: DataFile(
        name=f"{name}.gz",
        corpus="multi30k",
        url=f"{URL}{name}.gz",
        editions=dict(zip(hashes, PACKED, strict=True)),
    )
    for name, hashes in HASHES.items()
}


def multi30k(
    path: str | Path | None = None,
    *,
    language: str = "fr",
    test: str = "test_2016_flickr",
    download: bool = False,
) -> PairCorpus:
    """English captions with their French or German translations, task 1.

    path      the folder of train.en.gz and its like; without it LOOKBACK_DATA or
              its folder multi30k, then the cache
    language  of the targets: "fr" or "de"
    test      which test set: "test_2016_flickr" or "test_2017_flickr"
    download  fetch what is missing
    →  a `PairCorpus` without links, in its standard splits: 29 000 pairs of train,
       1 014 of validation, 1 000 of test. They are left as published, although, once
       lower-cased, one English sentence of validation is in train too

    Elliott et al. 2016 (German), Elliott et al. 2017 (French and the test set of 2017),
    https://github.com/multi30k/dataset, which states no licence for the sentences. They
    describe images of Flickr30k, which are given out for research and teaching that is
    not commercial. Raises `DataError` where a file is missing, incomplete or altered.
    """
    if language not in ("fr", "de"):
        raise ValueError(f"language must be 'fr' or 'de', got {language!r}")
    if test not in TESTS:
        raise ValueError(f"test must be one of {TESTS}, got {test!r}")
    splits, editions = [], dict[str, None]()
    for name in ("train", "val", test):
        source, target = (
            read(FILES[f"{name}.{side}"], "multi30k", path, download=download)
            for side in ("en", language)
        )
        splits.append(together(source, target, language))
        editions |= dict.fromkeys(c.edition.partition(",")[0] for c in (source, target))
    version = f"task 1, en-{language}, {test}, {' and '.join(editions)}"
    return PairCorpus("multi30k", version, splits[0], splits[1], splits[2])


def together(source: Content, target: Content, language: str) -> tuple[Pair, ...]:
    """The lines of two files, one translating the other."""
    left, right = lines(source), lines(target)
    if len(left) != len(right):
        raise DataError(
            f"{source.path} and {target.path} are not used: they have {len(left)} and "
            f"{len(right)} lines"
        )
    cut = TOKENIZERS[language]
    return tuple(Pair(tokenize(s), cut(t)) for s, t in zip(left, right, strict=True))
