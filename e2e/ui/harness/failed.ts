import { afterEach } from 'vitest';
import { picture, present } from './browser';

// When a test fails, this takes a picture of every open page.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const name = `failed/${task.name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}`;
  const pages = [...present].flatMap((person) => person.context.pages());
  for (const [i, page] of pages.entries()) await picture(page, `${name}-${String(i + 1)}`).catch(() => undefined);
});
