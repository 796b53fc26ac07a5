import { describe, expect, it } from 'vitest';
import { joinParams, readParams, splitParams } from './filters';

describe('parameters', () => {
  it.each([[['a=1']], [['a=1', 'b=x,y']], [['a=\\', 'b=']]])('%o survive', (params) => {
    expect(splitParams(joinParams(params))).toEqual(params);
  });
  it('may be none', () => {
    expect(joinParams([])).toBeUndefined();
    expect(splitParams(undefined)).toEqual([]);
  });
  it('are read from what a person writes', () => {
    expect(readParams(' a=1 ;b=x;y ')).toBeUndefined();
    expect(readParams(' a=1 ; b=x,y;')).toEqual(['a=1', 'b=x,y']);
    expect(readParams('')).toEqual([]);
  });
});
