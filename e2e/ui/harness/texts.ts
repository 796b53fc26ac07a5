import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const LOCALES = fileURLToPath(new URL('../../../frontend/src/i18n/locales', import.meta.url));

/** The names of all texts. i18next shows such a name when the text is missing. */
export function textNames(): Set<string> {
  const names = new Set<string>();
  const walk = (tree: object, path: string) => {
    for (const [key, value] of Object.entries(tree)) {
      const name = path ? `${path}.${key}` : key;
      if (typeof value === 'object' && value !== null) walk(value as object, name);
      else if (name.includes('.')) names.add(name).add(name.replace(/_(zero|one|two|few|many|other)$/, ''));
    }
  };
  for (const file of readdirSync(`${LOCALES}/en`))
    walk(JSON.parse(readFileSync(`${LOCALES}/en/${file}`, 'utf8')) as object, '');
  return names;
}

/** Returns a function that finds a text of a language by its name, such as `editor:publish.go`, and fills its gaps. */
export function textsOf(language: 'en' | 'zh'): (name: string, gaps?: Record<string, string | number>) => string {
  return (name, gaps = {}) => {
    const [space = '', path = ''] = name.split(':');
    let text: unknown = JSON.parse(readFileSync(`${LOCALES}/${language}/${space}.json`, 'utf8'));
    for (const part of path.split('.')) text = (text as Record<string, unknown> | undefined)?.[part];
    if (typeof text !== 'string') throw new Error(`there is no text ${name} in ${language}`);
    return text.replace(/\{\{(\w+)\}\}/g, (_, gap: string) => String(gaps[gap]));
  };
}

/** Fails if the page shows the name of a text instead of the text, or a text with an unfilled gap. */
export async function worded(page: Page, names: Set<string>, what: string): Promise<void> {
  const texts = await page.evaluate(() => {
    const all: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) all.push(node.textContent?.trim() ?? '');
    for (const e of document.querySelectorAll('[aria-label],[title],[placeholder]'))
      all.push(e.getAttribute('aria-label') ?? '', e.getAttribute('title') ?? '', e.getAttribute('placeholder') ?? '');
    return all;
  });
  expect(
    texts.filter((text) => names.has(text.replace(/^\w+:/, '')) || /\{\{\w+\}\}/.test(text)),
    `texts of ${what}`,
  ).toEqual([]);
}

/** Fails if a control is outside the window and cannot be scrolled into it. */
export async function inReach(page: Page, what: string): Promise<void> {
  const lost = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href], input, select, textarea, [role=tab], [role=menuitem]')]
      .filter(
        (e) =>
          e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
          !e.closest('[aria-hidden=true], .react-flow, .hg-visually-hidden'),
      )
      .filter((e) => {
        // Some controls are visible only while they have the focus.
        for (let box: HTMLElement | null = e; box; box = box.parentElement)
          if (getComputedStyle(box).clipPath === 'inset(50%)') return false;
        return true;
      })
      .filter((e) => {
        const { left, right, width, height } = e.getBoundingClientRect();
        if (width <= 1 || height <= 1 || (left >= -1 && right <= innerWidth + 1)) return false;
        for (let box = e.parentElement; box; box = box.parentElement)
          if (box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
        return !e.matches('a[href^="#"]'); // the link past the frame is visible only with the focus
      })
      .map((e) => (e.getAttribute('aria-label') ?? e.textContent ?? e.tagName).slice(0, 60)),
  );
  expect(lost, `out of reach in ${what}`).toEqual([]);
}
