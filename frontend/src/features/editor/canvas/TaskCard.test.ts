import { expect, it } from 'vitest';
import { firstLine } from './TaskCard';

it('shows the first line of a command that says something', () => {
  expect(firstLine({ command: '\n#!/bin/sh\nset -eu\nmkdir -p stage\n  python load.py --day  \nrm x' })).toBe(
    'python load.py --day rm x',
  );
  expect(
    firstLine({ connection: 'dw', statement: '-- daily\nDROP TABLE IF EXISTS mart;\nSELECT\n  origin\nFROM flights' }),
  ).toBe('SELECT origin FROM flights');
  expect(firstLine({ retries: 3, folder: 'stage' })).toBe('stage');
  expect(firstLine({ command: '# only a comment' })).toBe('# only a comment');
  expect(firstLine({ command: '  ' })).toBeUndefined();
  expect(firstLine(undefined)).toBeUndefined();
});
