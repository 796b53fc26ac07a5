import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { show } from '../inspector/testing';
import { WordsField, wordsIn } from './Words';

describe('wordsIn', () => {
  it.each([
    ['', []],
    [' , ，', []],
    ['finance, night,finance', ['finance', 'night']],
    ['财务，夜间', ['财务', '夜间']],
    ['Ada <ada@example.com>', ['Ada <ada@example.com>']],
  ])('%s: %s', (text, want) => {
    expect(wordsIn(text)).toEqual(want);
  });
});

describe('the field', () => {
  it('keeps a comma while one types, and changes the document when it is left', () => {
    const change = vi.fn();
    show(<WordsField label="Tags" name="tags" value={['finance']} onChange={change} />);
    const field = screen.getByLabelText('Tags');
    fireEvent.change(field, { target: { value: 'finance, ' } });
    expect(field).toHaveValue('finance, ');
    fireEvent.change(field, { target: { value: 'finance, night' } });
    expect(change).not.toHaveBeenCalled();
    fireEvent.blur(field);
    expect(change).toHaveBeenCalledWith(['finance', 'night']);
    fireEvent.change(field, { target: { value: 'x' } });
    fireEvent.keyDown(field, { key: 'Escape' });
    fireEvent.blur(field);
    expect(change).toHaveBeenCalledTimes(1);
    fireEvent.change(field, { target: { value: '' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(change).toHaveBeenLastCalledWith(undefined);
  });
});
