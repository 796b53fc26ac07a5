import type { Page } from 'playwright-core';
import { expect } from 'vitest';

// Names that try to become markup or to change the direction of the text. Each script sets `window.owned`.

export const IMAGE = '<img src=x onerror="window.owned = 1">';
export const SCRIPT = '"><script>window.owned = 2</script>';
export const REVERSED = '\u202Egnp.exe\u202C \u2067abc';

/** Reports each violation of the content security policy as an error of the page. Call it before the page is opened. */
export async function reportPolicyViolations(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.addEventListener('securitypolicyviolation', (e) => {
      console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`);
    });
  });
}

/** Fails if a hostile name has run a script on the page. */
export async function ranNoScript(page: Page, what: string): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { owned?: number }).owned), what).toBeUndefined();
}
