import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { completionAt, insertName, type Name, namesFor, outcomeNames } from '../inspector/fields/completion';
import schema from '../../../../../server/document/schema.json';
import { type Known, type Offer, offersAt, pathText } from './offers';
import { type Place, placeAt } from './place';
import type { Schema } from './schema';
import { type Descriptions, translated } from './translate';

/** What completion needs from the page. */
export interface CompletionSources {
  known: () => Omit<Known, 'schema'>;
  /** The names of secrets, for expressions. */
  secrets: () => readonly Name[];
  /** The texts for the details of offers. */
  texts: Readonly<Record<'required' | 'default' | 'example', string>>;
  /** The descriptions of the fields in the language of the user; undefined for English. */
  descriptions?: Descriptions;
}

const ENGLISH = schema as unknown as Schema;
const translations = new WeakMap<Descriptions, Schema>();

function schemaIn(descriptions: Descriptions | undefined): Schema {
  if (!descriptions) return ENGLISH;
  const known = translations.get(descriptions) ?? translated(ENGLISH, descriptions);
  translations.set(descriptions, known);
  return known;
}

/** Completes keys and values by the schema of documents and of handlers, and names in expressions. */
export function complete(context: CompletionContext, sources: CompletionSources): CompletionResult | null {
  const text = context.state.doc.toString();
  const known = sources.known();
  const place = placeAt(text, context.pos);
  const task = place?.objects.at(2)?.get('key') ?? '';
  const names = namesFor(known.doc, task);
  const inExpression = isCondition(place)
    ? expressionResult(place.word, place.from, context, [...namesOfCondition(place), ...names], true)
    : expressionResult(text, 0, context, [...names, ...sources.secrets()], false);
  if (inExpression || !place) return inExpression;
  if (!context.explicit && lacksSpace(place, text, context)) return null;
  const offers = offersAt(place, { ...known, schema: schemaIn(sources.descriptions) });
  return offers.length === 0
    ? null
    : {
        from: place.from,
        options: offers.map((offer) => optionOf(offer, sources.texts)),
        validFor: place.kind === 'key' ? /^[\w.-]*$/ : undefined,
      };
}

/** Whether a place is a condition of a task or its retries, which is an expression without `${{ … }}`. */
const isCondition = (place: Place | undefined): place is Place =>
  place?.kind === 'value' && /(tasks\[\]|\.retry)\.when$/.test(pathText(place.path));

/** More names that this condition may use. */
const namesOfCondition = ({ path }: Place) => (pathText(path).endsWith('.retry.when') ? outcomeNames() : []);

/** Whether the caret is right after the colon or the dash of a value: a value there would need a space first. */
const lacksSpace = ({ kind, word, flow }: Place, text: string, { pos }: CompletionContext) =>
  kind === 'value' && word === '' && !flow && !/\s/.test(text[pos - 1] ?? '');

/** The names that fit in an expression: in `${{ … }}`, or in a whole text that is one. */
function expressionResult(
  source: string,
  start: number,
  context: CompletionContext,
  names: readonly Name[],
  bare: boolean,
): CompletionResult | null {
  const found = completionAt(source, context.pos - start, names, bare);
  if (!found) return null;
  const apply = (view: EditorView, { label }: Completion) => {
    const done = insertName(source, found, label, bare);
    view.dispatch({
      changes: {
        from: start + found.from,
        to: start + found.to,
        insert: done.text.slice(found.from, done.text.length - source.length + found.to),
      },
      selection: { anchor: start + done.caret },
      userEvent: 'input.complete',
    });
  };
  return {
    from: start + found.from,
    options: found.names.map((name) => ({ label: name.text, detail: name.value, apply })),
    filter: false,
  };
}

function optionOf({ label, insert, detail, info, required }: Offer, texts: CompletionSources['texts']): Completion {
  const shown = detail === 'default' || detail === 'example' ? texts[detail] : detail;
  return {
    label,
    detail: [shown, required ? texts.required : undefined].filter(Boolean).join(' · ') || undefined,
    info,
    boost: required ? 1 : 0,
    apply: (view, _, from, to) => {
      const caret = insert.indexOf('|');
      // A key that has a colon already gets no second one.
      const isKey = insert.startsWith(`${label}:`);
      const renames = isKey && /^[\w.-]*\s*:/.test(view.state.sliceDoc(to, view.state.doc.lineAt(to).to));
      const word = renames ? (/^[\w.-]*/.exec(view.state.sliceDoc(to, to + 200))?.[0].length ?? 0) : 0;
      view.dispatch({
        changes: { from, to: to + word, insert: renames ? label : insert.replace('|', '') },
        selection: { anchor: from + (renames ? label.length : caret < 0 ? insert.length : caret) },
        userEvent: 'input.complete',
        scrollIntoView: true,
      });
    },
  };
}
