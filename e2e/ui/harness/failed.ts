import { afterEach } from 'vitest';
import { picture, present } from './browser';

/** Characters of a page's text that a failure prints. */
const TEXT = 1500;

// When a test fails, this takes a picture of every open page, and notes the text of the last one for the summary.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const name = `failed/${task.name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}`;
  const pages = [...present].flatMap((person) => person.context.pages());
  for (const [i, page] of pages.entries()) {
    await picture(page, `${name}-${String(i + 1)}`).catch(() => undefined);
    const texts = await page
      .locator('[role=dialog], main')
      .allInnerTexts()
      .catch(() => []);
    Object.assign(task.meta, { page: texts.reverse().join(' | ').replace(/\s+/g, ' ').slice(0, TEXT) });
  }
});
