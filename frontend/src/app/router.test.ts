import served from '../../../server/web/routes.json';
import { afterEach, describe, expect, it } from 'vitest';
import { newQueryClient } from '@/api/queries';
import { newRouter } from './router';

/** The search part of an address that its page receives. */
function searchOf(address: string): object {
  window.history.replaceState(null, '', address);
  const router = newRouter(newQueryClient());
  return router.matchRoutes(router.latestLocation).at(-1)?.search ?? {};
}
afterEach(() => {
  window.history.replaceState(null, '', '/');
});

describe('the search part of an address', () => {
  it.each([
    ['/batches/1?view=nonsense&task=a', { task: 'a' }],
    ['/batches/1?view=table&attempt=0', { view: 'table' }],
    ['/schedules/x?view=nonsense&as=poem', {}],
    ['/schedules/x?view=yaml', { view: 'yaml' }],
    ['/batches?kind=odd&since=24h', { since: '24h' }],
    ['/?show=odd&q=a', { q: 'a' }],
    ['/executors?executor=', {}],
    ['/calendars/china?year=2027&view=history', { year: 2027, view: 'history' }],
    ['/calendars/china?year=soon&view=odd', {}],
    ['/alerts?view=rules', { view: 'rules' }],
    ['/alerts?view=odd', {}],
    ['/backfills?schedule=2026', { schedule: '2026' }],
    ['/backfills?schedule=', {}],
    ['/login?next=%2Fbatches', { next: '/batches' }],
    ['/login?next=https%3A%2F%2Fexample.org', {}],
    ['/login?next=%2F%2Fexample.org', {}],
  ])('%s', (address, want) => {
    expect(searchOf(address)).toEqual(want);
  });
});

// The server answers all other addresses with 404, even if the router had a page for them.
it('has a page for each address that the server serves, and no other page', () => {
  const pages = Object.keys(newRouter(newQueryClient()).routesByPath).map((path) => path.replace(/(.)\/$/, '$1'));
  expect([...new Set(pages)].filter((path) => path !== '/$').sort()).toEqual([...served].sort());
});
