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

/** Whether what has the focus takes text: its keys are its own. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return TEXT.has(target.type) && !target.readOnly;
  return target instanceof HTMLTextAreaElement || target.isContentEditable || target.closest('.cm-editor') !== null;
}

/** Whether it stands in something that was opened over the page: a dialog, a menu, a list to choose from. */
export function isOverPage(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
  );
}
