import { expect, it } from 'vitest';
import { nameFault, passwordFault } from './SetupPage';

it.each([
  ['admin', undefined],
  ['a.b@c-d_e', undefined],
  ['', 'name'],
  ['-a', 'name'],
  ['a b', 'name'],
  ['数据', 'name'],
  ['a'.repeat(64), 'name'],
])('name %s: %s', (name, fault) => {
  expect(nameFault(name)).toBe(fault);
});

it.each([
  ['short', 'short'],
  ['ten chars!', undefined],
  ['密码密码密码密码密码', undefined],
  ['🐝🐝🐝🐝🐝🐝🐝🐝🐝', 'short'],
])('password %s: %s', (password, fault) => {
  expect(passwordFault(password)).toBe(fault);
});
