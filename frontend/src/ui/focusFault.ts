/** Brings the focus to the first field of a form that has a fault, once that is drawn: the next key mends it. */
export function focusFault(form: Element): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid]')?.focus());
}
