import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import { newQueryClient } from './queries';

afterEach(() => {
  onlineManager.setOnline(true);
});

it('reads and saves although the browser is offline: the server may be on the same machine', async () => {
  onlineManager.setOnline(false);
  const client = newQueryClient();
  expect(await client.fetchQuery({ queryKey: ['read'], queryFn: () => Promise.resolve('read') })).toBe('read');
  const save = new MutationObserver(client, { mutationFn: () => Promise.resolve('saved') });
  expect(await save.mutate()).toBe('saved');
});
