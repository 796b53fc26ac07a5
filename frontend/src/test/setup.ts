import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, vi } from 'vitest';
import { loadTexts, ON_DEMAND, startI18n } from '@/i18n';

// Parts of the browser that jsdom does not have.
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
globalThis.PointerEvent ??= class extends MouseEvent {
  readonly pointerId: number;
  readonly pointerType: string;
  constructor(type: string, init: PointerEventInit = {}) {
    super(type, init);
    this.pointerId = init.pointerId ?? 0;
    this.pointerType = init.pointerType ?? '';
  }
} as typeof PointerEvent;
globalThis.ResizeObserver ??= class {
  observe() {
    /* jsdom has no layout */
  }
  unobserve() {
    /* jsdom has no layout */
  }
  disconnect() {
    /* jsdom has no layout */
  }
};

// The Request of Node.js needs absolute URLs, and does not accept the signals of jsdom.
const NodeRequest = globalThis.Request;
globalThis.Request = class extends NodeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, location.href) : input, { ...init, signal: undefined });
  }
};
window.scrollTo = () => undefined;
Element.prototype.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

// A slow machine must not fail a test.
configure({ asyncUtilTimeout: 20_000 });

beforeAll(async () => {
  await startI18n();
  await loadTexts(...ON_DEMAND);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
