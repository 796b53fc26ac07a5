import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastOverwrite, markHits, plainText, showHidden, spansOf } from './text';

const E = '\u001b[';

describe('spansOf', () => {
  it.each([
    ['plain', [{ text: 'plain' }]],
    [`${E}31mred${E}0m no`, [{ text: 'red', color: 'red' }, { text: ' no' }]],
    [
      `${E}1;92mok${E}22m ok${E}39m`,
      [
        { text: 'ok', color: 'green', bold: true },
        { text: ' ok', color: 'green' },
      ],
    ],
    [
      `${E}38;5;196ma${E}38;2;10;20;250mb${E}48;5;226mc`,
      [
        { text: 'a', color: 'red' },
        { text: 'b', color: 'blue' },
        { text: 'c', color: 'blue', background: 'yellow' },
      ],
    ],
    [`${E}mx${E}3;4my`, [{ text: 'x' }, { text: 'y', italic: true, underline: true }]],
    [`a${E}2Jb${E}10;3Hc${E}?25ld`, [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }]],
    ['\u001b]0;a title\u0007after', [{ text: 'after' }]],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', [{ text: 'link' }]],
    ['\u001b(Bx\u001b7y\u001b', [{ text: 'x' }, { text: 'y' }]],
    ['10%\r40%\r100%', [{ text: '100%' }]],
    [
      'see https://a.example/b?c=d, or',
      [{ text: 'see ' }, { text: 'https://a.example/b?c=d', href: 'https://a.example/b?c=d' }, { text: ', or' }],
    ],
    [
      'javascript://x.example/%0aalert(1) http://user:pass@x.example',
      [{ text: 'javascript://x.example/%0aalert(1) http://user:pass@x.example' }],
    ],
  ])('%j', (line, want) => {
    expect(spansOf(line).spans.map((s) => JSON.parse(JSON.stringify(s)) as unknown)).toEqual(want);
  });

  it('never returns a control character or a character that reverses text', () => {
    const nasty = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom(E, '31m', '\u202e', '\u0000', '\u009b', '\r', '\u001b]', 'https://x.example/'),
        ),
        { maxLength: 20 },
      )
      .map((p) => p.join(''));
    fc.assert(
      fc.property(nasty, (line) => {
        const text = spansOf(line)
          .spans.map((s) => s.text)
          .join('');
        // eslint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        for (const s of spansOf(line).spans) if (s.href) expect(s.href).toMatch(/^https?:\/\//);
        expect(text).toBe(plainText(line));
      }),
      { numRuns: 200 },
    );
  }, 60_000);

  it('cuts a long line, and counts the characters that are left out', () => {
    const { spans, cut } = spansOf(`${E}31m${'x'.repeat(1000)}${E}0m${'y'.repeat(1000)}`, 1200);
    expect(spans.map((s) => s.text.length)).toEqual([1000, 200]);
    expect(cut).toBe(800);
    expect(spansOf('👍'.repeat(10), 3).spans).toEqual([{ text: '👍' }]);
  });
});

describe('showHidden', () => {
  it('names invisible characters', () => {
    expect(showHidden('a\u0000b\u202ec\u200bd\u007f\te\ud800')).toBe('a␀b‹U+202E›c‹U+200B›d␡\te\ufffd');
    expect(showHidden('👩‍👩‍👧 中文')).toBe('👩‍👩‍👧 中文');
  });
});

describe('lastOverwrite', () => {
  it.each([
    ['a\rb', 'b'],
    ['a\rb\r', 'b'],
    ['a\r \r', 'a'],
    ['\r', ''],
    [`a\r${E}K`, 'a'],
    ['a', 'a'],
  ])('%j is %j', (text, want) => {
    expect(lastOverwrite(text)).toBe(want);
  });
});

describe('markHits', () => {
  it('marks occurrences across colours, ignoring case', () => {
    const { spans } = spansOf(`an Er${E}31mror: ERROR${E}0m.`);
    const got = markHits(spans, 'error');
    expect(got.filter((s) => s.hit).map((s) => s.text)).toEqual(['Er', 'ror', 'ERROR']);
    expect(got.map((s) => s.text).join('')).toBe('an Error: ERROR.');
  });
  it('changes no character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.string({ maxLength: 6 }) }), { maxLength: 8 }),
        fc.string({ maxLength: 3 }),
        (spans, searched) => {
          expect(
            markHits(spans, searched)
              .map((s) => s.text)
              .join(''),
          ).toBe(spans.map((s) => s.text).join(''));
        },
      ),
    );
  });
});
