/** A page waits at most this long for its font, in milliseconds. It looks almost the same without it. */
const LONGEST_WAIT = 300;

/**
 * Waits until the font of the pages is loaded, so that the first names are measured in it. It is loaded along with the
 * scripts: see index.html.
 */
export async function fontReady(): Promise<void> {
  await Promise.race([
    document.fonts.load("13px 'Inter'").catch(() => undefined),
    new Promise((done) => {
      setTimeout(done, LONGEST_WAIT);
    }),
  ]);
}
