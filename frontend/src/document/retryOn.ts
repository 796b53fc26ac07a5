// The list of failures that are repeated: `75, 100-110, timeout`. The server has the same rules.

/** The reasons that the list may name. */
const REASONS = ['failure', 'timeout', 'killed'];
/** The longest list, in characters. */
const MAX_LENGTH = 1000;
const MAX_EXIT_CODE = 255;
const SPACE = /^[ \t\r\n]+|[ \t\r\n]+$/g;
const CODES = /^(?<first>[+-]?\d+)(?:[ \t\r\n]*-[ \t\r\n]*(?<last>\d+))?$/;

/** What is wrong with a list of failures: the key of its text, with params. */
interface RetryOnFault {
  code: 'out_of_range' | 'bad_value';
  textKey: 'retry_on_long' | 'retry_on_code' | 'retry_on_range' | 'retry_on_lost' | 'retry_on_word';
  params: Record<string, string | number>;
}

/** The first fault of a list; undefined if there is none. */
export function retryOnFault(list: string): RetryOnFault | undefined {
  if ([...list].length > MAX_LENGTH)
    return { code: 'out_of_range', textKey: 'retry_on_long', params: { high: MAX_LENGTH } };
  if (trim(list) === '') return undefined;
  for (const part of list.split(',')) {
    const fault = termFault(trim(part));
    if (fault) return fault;
  }
  return undefined;
}

const trim = (text: string) => text.replace(SPACE, '');

function termFault(term: string): RetryOnFault | undefined {
  if (REASONS.includes(term)) return undefined;
  if (term === 'lost') return wrong('retry_on_lost', {});
  const { first, last = first } = CODES.exec(term)?.groups ?? {};
  if (first === undefined || last === undefined)
    return wrong('retry_on_word', { value: term === '' ? ',' : term, known: REASONS.join(', ') });
  const beyond = [first, last].find((digits) => !/^\d+$/.test(digits) || Number(digits) > MAX_EXIT_CODE);
  if (beyond !== undefined) return wrong('retry_on_code', { value: beyond, low: 0, high: MAX_EXIT_CODE });
  return Number(first) > Number(last) ? wrong('retry_on_range', { value: term }) : undefined;
}

const wrong = (textKey: RetryOnFault['textKey'], params: RetryOnFault['params']): RetryOnFault => ({
  code: 'bad_value',
  textKey,
  params,
});
