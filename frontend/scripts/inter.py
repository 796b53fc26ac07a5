#!/usr/bin/env python3
"""Makes the two font files of the pages from Inter 4.1, the font of the package inter-ui.

Run it again only to add letters or to take a newer Inter; the files are committed. In frontend:

    npm pack inter-ui@4.1.1 && tar xzf inter-ui-4.1.1.tgz
    pip install fonttools==4.68.0 brotli
    python3 scripts/inter.py package/variable/InterVariable.woff2 src/ui/fonts

Both files have weights from 400 to 700, figures of one width in place of the others, and neither hints nor kerning.
`inter.woff2` has what the texts of HiveGo need, `inter-more.woff2` the other letters of Latin languages: the browser
loads it only if a page shows one of them. `src/ui/fonts.css` says which letters are in which file.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

# ASCII; no-break space, plus-minus, micro, middle dot, times; dashes, quotes, bullet, ellipsis; arrows, minus
CORE = [
    *range(0x20, 0x7F),
    *(0xA0, 0xB1, 0xB5, 0xB7, 0xD7),
    *(0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2026),
    *(0x2039, 0x203A, 0x2190, 0x2191, 0x2192, 0x2193, 0x2194, 0x2212),
]
MORE = sorted({*range(0xA1, 0x180), 0x1E9E, 0x20AC, 0x2122} - set(CORE))


def tabular(font: TTFont) -> None:
    """Makes the figures of one width the usual ones."""
    for table in font["cmap"].tables:
        for figure in range(ord("0"), ord("9") + 1):
            name = table.cmap[figure]
            table.cmap[figure] = name if name.endswith(".tf") else f"{name}.tf"


def write(source: Path, letters: list[int], target: Path) -> None:
    """Writes the part of a font with these letters."""
    font = instancer.instantiateVariableFont(TTFont(source), {"opsz": 14, "wght": (400, 700)})
    tabular(font)
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.glyph_names = False
    options.name_IDs = [1, 2, 5, 13]
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "MVAR", "STAT"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(target)
    print(target, target.stat().st_size)


def main() -> None:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    write(source, CORE, folder / "inter.woff2")
    write(source, MORE, folder / "inter-more.woff2")


main()
