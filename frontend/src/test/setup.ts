import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, vi } from 'vitest';
import { startI18n } from '@/i18n';

// What jsdom lacks and the components ask for.
window.matchMedia ??= (query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  dispatchEvent: () => false,
});
window.scrollTo = () => undefined;
globalThis.ResizeObserver ??= class {
  observe() {
    /* nothing has a size here */
  }
  unobserve() {
    /* nothing has a size here */
  }
  disconnect() {
    /* nothing has a size here */
  }
};

// Node's requests want whole addresses and signals of their own kind; in a browser there is but one kind of either.
const NodeRequest = globalThis.Request;
globalThis.Request = class extends NodeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, location.href) : input, { ...init, signal: undefined });
  }
};
window.scrollTo = () => undefined;
Element.prototype.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

// How fast the machine is decides nothing.
configure({ asyncUtilTimeout: 20_000 });

beforeAll(startI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
