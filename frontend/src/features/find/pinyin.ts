/** The letters with which pinyin begins, and for each the first character that Unicode sorts under it. */
const LETTERS = 'abcdefghjklmnopqrstwxyz';
const FIRSTS = [...'阿八嚓哒妸发旮哈讥咔垃妈拏噢妑七呥仨它穵夕丫帀'];

const HAN = /\p{Script=Han}/u;

// The browser sorts Chinese by pinyin, so it needs no table of characters: a library for this has 40 to 300 KB. A
// character with several readings has the most common one. Null: this browser does not know Chinese.
let collator: Intl.Collator | null | undefined;

function pinyinOrder(): Intl.Collator | null {
  collator ??= Intl.Collator.supportedLocalesOf(['zh']).length > 0 ? new Intl.Collator('zh-u-co-pinyin') : null;
  return collator;
}

/** Whether a text has Chinese characters. */
export function hasHan(text: string): boolean {
  return HAN.test(text);
}

/**
 * A text with the first letter of its pinyin for each Chinese character, as people type it: `cktb` for 仓库同步. Other
 * letters and digits stay, the rest is left out.
 */
export function initials(text: string): string {
  const order = pinyinOrder();
  if (!order) return '';
  return [...text.toLowerCase()]
    .map((char) => (HAN.test(char) ? letterOf(char, order) : /[\p{L}\p{N}]/u.test(char) ? char : ''))
    .join('');
}

function letterOf(char: string, order: Intl.Collator): string {
  let [low, high] = [0, FIRSTS.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order.compare(FIRSTS[middle] ?? '', char) <= 0) low = middle + 1;
    else high = middle;
  }
  return LETTERS[low - 1] ?? '';
}
