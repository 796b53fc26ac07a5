import { render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { Scheduling } from './Scheduling';

describe('why an attempt went to its executor', () => {
  beforeEach(() => setLanguage('en'));

  it('shows the route, its key, and the executors as they were', () => {
    render(
      <Scheduling
        chosen="a2"
        scheduling={{
          route: 'consistent_hash',
          origin: 'schedule',
          key: 'east',
          group: 12,
          considered: [
            { name: 'a2', used: 1, slots: 4 },
            { name: 'a1', used: 4, slots: 4, wait: 'busy' },
            { name: 'a3', used: 0, slots: 4 },
          ],
        }}
      />,
    );
    expect(screen.getByText(/Route of the schedule: same key, same executor\./)).toHaveTextContent('Key: east.');
    const rows = screen.getAllByRole('row', { hidden: true }).map((row) => row.textContent);
    expect(rows).toEqual([
      'ExecutorSlots in useAt that time',
      'a21 of 4chosen',
      'a14 of 4all slots are taken',
      'a30 of 4free',
    ]);
    expect(screen.getByText('and 9 more executors')).toBeInTheDocument();
  });
});
