const TEXT: ReadonlySet<string> = new Set([
  'text',
  'search',
  'email',
  'number',
  'password',
  'tel',
  'url',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
]);

/** Whether an element takes text. The page then leaves all keys to it. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return TEXT.has(target.type) && !target.readOnly;
  return target instanceof HTMLTextAreaElement || target.isContentEditable || target.closest('.cm-editor') !== null;
}

/** Whether an element is in something that was opened over the page: a dialog, a menu or a list of options. */
export function isOverPage(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
  );
}

/** Whether this machine is a Mac, an iPhone or an iPad. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** How a key with Ctrl is written on this machine: `Ctrl+Z`, `⌘Z`. */
export function keyName(key: string): string {
  return isMac ? `⌘${key.replace('Shift+', '⇧')}` : `Ctrl+${key}`;
}

/** Whether the key that stands for Ctrl on this machine is pressed, and no other modifier. */
export function hasOnlyCtrl(event: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean {
  const [own, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return own && !other && !event.altKey && !event.shiftKey;
}

const SINGLE_KEYS = 'hivego.singleKeys';

/** Whether keys without a modifier do something on the whole page. Speech input needs to turn them off. */
export function singleKeysOn(): boolean {
  return localStorage.getItem(SINGLE_KEYS) !== 'off';
}

/** Turns the keys without a modifier on or off, in this browser. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(SINGLE_KEYS);
  else localStorage.setItem(SINGLE_KEYS, 'off');
}

/**
 * Whether a key press belongs to the whole page: a key without a modifier, in no field and in nothing that was opened
 * over the page, and the user has not turned such keys off.
 */
export function isPageKey(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false;
  if (takesText(target) || target instanceof HTMLSelectElement || isOverPage(target)) return false;
  return singleKeysOn() && document.querySelector('[aria-modal="true"]') === null;
}
