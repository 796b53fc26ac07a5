import { Button, MantineProvider, Menu, Switch, Tooltip } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { NeedsServer, ServerReach, useCommandGuard } from './NeedsServer';
import { getToasts } from './Toasts';

const REASON = 'This needs the server, which cannot be reached now.';

function Controls({ run }: { run: () => void }) {
  const [disconnected, setDisconnected] = useState(false);
  return (
    <MantineProvider env="test">
      <ServerReach disconnected={disconnected}>
        <button
          onClick={() => {
            setDisconnected(!disconnected);
          }}
        >
          toggle
        </button>
        <Tooltip label="hint">
          <NeedsServer>
            <Button onClick={run}>Resume</Button>
          </NeedsServer>
        </Tooltip>
        <Menu opened trapFocus={false} closeOnItemClick={false} withinPortal={false}>
          <Menu.Target>
            <button>more</button>
          </Menu.Target>
          <Menu.Dropdown>
            <NeedsServer>
              <Menu.Item onClick={run}>Rerun</Menu.Item>
            </NeedsServer>
          </Menu.Dropdown>
        </Menu>
        <Guarded run={run} />
      </ServerReach>
    </MantineProvider>
  );
}

function Guarded({ run }: { run: () => void }) {
  const mayStart = useCommandGuard();
  return (
    <button
      onClick={() => {
        if (mayStart()) run();
      }}
    >
      guarded
    </button>
  );
}

it('disables commands while the server cannot be reached, says why, and keeps the focus', async () => {
  const user = userEvent.setup();
  const run = vi.fn();
  render(<Controls run={run} />);
  const resume = screen.getByRole('button', { name: 'Resume' });
  const rerun = await screen.findByRole('menuitem', { name: 'Rerun', hidden: true });
  const guarded = screen.getByText('guarded');
  for (const control of [resume, rerun, guarded]) await user.click(control);
  expect(run).toHaveBeenCalledTimes(3);
  expect(resume).not.toHaveAccessibleDescription(REASON);

  await user.click(screen.getByText('toggle'));
  resume.focus();
  for (const control of [resume, rerun]) {
    expect(control).toHaveAttribute('aria-disabled', 'true');
    expect(control).toHaveAccessibleDescription(REASON);
  }
  await user.keyboard('{Enter}');
  expect(getToasts().map(({ text }) => text)).toEqual([REASON]);
  for (const control of [rerun, guarded]) await user.click(control);
  expect(run).toHaveBeenCalledTimes(3);

  resume.focus();
  await user.click(screen.getByText('toggle'));
  expect(screen.getByRole('button', { name: 'Resume' })).toBe(resume);
  await user.click(resume);
  expect(run).toHaveBeenCalledTimes(4);
});

it('does not let a switch change while the server cannot be reached', async () => {
  const change = vi.fn();
  const draw = (disconnected: boolean) => (
    <MantineProvider env="test">
      <ServerReach disconnected={disconnected}>
        <NeedsServer>
          <Switch label="Enabled" checked onChange={change} />
        </NeedsServer>
      </ServerReach>
    </MantineProvider>
  );
  const { rerender } = render(draw(true));
  const control = screen.getByRole('switch', { name: 'Enabled' });
  await userEvent.click(control);
  expect(change).not.toHaveBeenCalled();
  rerender(draw(false));
  await userEvent.click(control);
  expect(change).toHaveBeenCalledOnce();
});
