import { describe, expect, it } from 'vitest';
import { renamedAddress } from './useFollowRename';

describe('the address of a page about a renamed schedule', () => {
  it.each([
    ['/schedules/orders', '?view=yaml', '/schedules/sales?view=yaml'],
    ['/schedules/orders/ticks', '', '/schedules/sales/ticks'],
    ['/schedules/orders/chain', '?resume=1', '/schedules/sales/chain?resume=1'],
    ['/forecast', '?schedule=orders&view=days', '/forecast?schedule=sales&view=days'],
    ['/schedules/orders-eu', '', undefined],
    ['/batches', '?schedule=other', undefined],
    ['/', '', undefined],
  ])('%s%s', (pathname, searchStr, want) => {
    expect(renamedAddress({ pathname, searchStr }, 'orders', 'sales')).toBe(want);
  });
});
