import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { setLanguage, startI18n } from '@/i18n';
import { Moment } from './Moment';
import { Ago, TimeUntil } from './TimeUntil';
import { useExact } from './shownZone';
import { ScheduleZone, ViewZone } from './ViewZone';
import { ZoneMenu } from './ZoneMenu';
import { chooseZone, ownZone } from './zones';

const AT = '2026-11-21T19:20:00.000Z';

function Text() {
  return <p>{useExact()(AT)}</p>;
}

const show = (children: ReactNode) =>
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
    </MantineProvider>,
  );

beforeAll(async () => {
  await startI18n();
  await setLanguage('en');
});
afterEach(() => {
  act(() => {
    chooseZone('schedule');
  });
  vi.restoreAllMocks();
});

describe('the clock of a view', () => {
  it('is that of the schedule, and all times follow the choice of another one', async () => {
    chooseZone('schedule');
    show(
      <ViewZone schedule="Asia/Tokyo">
        <ZoneMenu />
        <Moment at={AT} seconds />
        <Text />
      </ViewZone>,
    );
    expect(screen.getByText('2026-11-22 04:20:00')).toBeInTheDocument();
    expect(screen.getByText('2026-11-22 04:20')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'all times Asia/Tokyo' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'UTC' }));
    expect(screen.getByText('2026-11-21 19:20:00')).toBeInTheDocument();
    expect(screen.getByText('2026-11-21 19:20')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'all times UTC' })).toBeInTheDocument();
  });

  it('is that of the browser in a view of many schedules, and the menu has no other one than UTC', async () => {
    chooseZone('schedule');
    show(
      <ViewZone>
        <ZoneMenu at={AT} />
      </ViewZone>,
    );
    await userEvent.click(screen.getByRole('button', { name: `all times ${ownZone()}` }));
    expect(await screen.findAllByRole('menuitem')).toHaveLength(2);
  });

  it('has the other zones on hover, also of what is relative', async () => {
    chooseZone('utc');
    show(
      <ViewZone schedule="Asia/Tokyo">
        <Moment at={AT}>the moment</Moment>
        <Ago at="2001-01-01T00:00:00Z" />
        <TimeUntil at="2101-01-01T00:00:00Z" />
      </ViewZone>,
    );
    await userEvent.hover(screen.getByText('the moment'));
    expect(await screen.findByText('2026-11-22 04:20:00 Asia/Tokyo')).toBeInTheDocument();
    expect(screen.getByText('2026-11-21 19:20:00 UTC')).toBeInTheDocument();
    await userEvent.hover(screen.getByText(/ago/));
    expect(await screen.findByText('2001-01-01 09:00:00 Asia/Tokyo')).toBeInTheDocument();
    await userEvent.hover(screen.getByText(/2101/));
    expect(await screen.findByText('2101-01-01 09:00:00 Asia/Tokyo')).toBeInTheDocument();
  });

  it('reads the zone of a schedule, of the view or of one moment', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue({
      data: { name: 'orders', timezone: 'Asia/Tokyo' },
      response: new Response(),
    } as never);
    chooseZone('schedule');
    show(
      <>
        <ScheduleZone name="orders">
          <Text />
        </ScheduleZone>
        <ViewZone>
          <Moment at={AT} schedule="orders">
            a row
          </Moment>
        </ViewZone>
      </>,
    );
    expect(await screen.findByText('2026-11-22 04:20')).toBeInTheDocument();
    await userEvent.hover(screen.getByText('a row'));
    expect(await screen.findByText('2026-11-22 04:20:00 Asia/Tokyo')).toBeInTheDocument();
    expect(get).toHaveBeenCalledTimes(1);
  });
});
