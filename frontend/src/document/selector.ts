// Selectors of executors, in the syntax of Kubernetes. The server has the same rules.

const LABEL = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$/;
// eslint-disable-next-line no-control-regex -- control characters are what it refuses
const VALUE = /^[^\u0000-\u0020\u007f,()=!<>"']+$/;
const SPACE = /^[ \t\r\n]+|[ \t\r\n]+$/g;
const COMPARISON = /^(?<label>[^ \t\r\n=!(]*)[ \t\r\n]*(?:!=|==|=)(?<value>.*)$/s;
const LIST = /^(?<label>[^ \t\r\n=!(]*)[ \t\r\n]+(?:notin|in)[ \t\r\n]*\((?<values>.*)\)$/s;

/** The longest selector, in characters. */
export const MAX_SELECTOR = 1000;

/** The first part of a selector that is not a condition on labels; undefined if there is none. */
export function wrongTerm(selector: string): string | undefined {
  if (trim(selector) === '') return undefined;
  const wrong = splitSelector(selector)
    .map(trim)
    .find((term) => !isTerm(term));
  return wrong === '' ? ',' : wrong;
}

const trim = (text: string) => text.replace(SPACE, '');

/** The parts between the commas that are not between parentheses. */
function splitSelector(selector: string): string[] {
  const out: string[] = [];
  let start = 0;
  let depth = 0;
  for (let i = 0; i < selector.length; i++) {
    const char = selector[i];
    if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ',' && depth <= 0) {
      out.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  return [...out, selector.slice(start)];
}

function isTerm(term: string): boolean {
  if (term.startsWith('!')) return LABEL.test(trim(term.slice(1)));
  if (LABEL.test(term)) return true;
  const comparison = COMPARISON.exec(term)?.groups;
  if (comparison) return LABEL.test(comparison.label ?? '') && VALUE.test(trim(comparison.value ?? ''));
  const list = LIST.exec(term)?.groups;
  return (
    list !== undefined &&
    LABEL.test(list.label ?? '') &&
    (list.values ?? '').split(',').every((value) => VALUE.test(trim(value)))
  );
}
