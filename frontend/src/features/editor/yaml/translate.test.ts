import { describe, expect, it } from 'vitest';
import original from '../../../../../server/document/schema.json';
import chinese from './descriptions.zh.json';
import type { Schema } from './schema';
import { descriptionsOf, translated } from './translate';

const schema = original as unknown as Schema;
const english = descriptionsOf(schema);
/** The names in a text that no language translates. */
const codesOf = (text: string) => [...text.matchAll(/`[^`]+`/g)].map(([code]) => code).sort();

describe('the Chinese descriptions of the schema', () => {
  it('are complete, and name nothing else', () => {
    expect(Object.keys(chinese).sort()).toEqual([...english.keys()].sort());
  });

  it('find every description', () => {
    const all = JSON.stringify(original).match(/"description":"/g) ?? [];
    expect(english.size).toBe(all.length);
  });

  it.each([...english])('have the same names at %s', (place, text) => {
    expect(codesOf(chinese[place as keyof typeof chinese])).toEqual(codesOf(text));
  });

  it('replace the English ones', () => {
    const done = translated(schema, chinese);
    expect(descriptionsOf(done)).toEqual(new Map(Object.entries(chinese)));
    expect(done.properties?.flow?.enum).toEqual(schema.properties?.flow?.enum);
  });
});
