import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { type ReactNode, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { newQueryClient } from '@/api/queries';
import { check, type Doc, type DocFault, newDocumentStore, type Selection } from '@/document';
import { theme } from '@/ui/theme';
import { type Editor, EditorContext, type EditorSearch, FaultsContext, type OfferedHandler } from '../context';
import { newPristineFields, watchPristineFields } from '../pristineFields';

/** A handler whose schema has a required, a plain, an object and an integer param. */
export const SHELL: OfferedHandler = {
  name: 'shell',
  title: 'Shell',
  groups: { default: 2, etl: 1 },
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['command'],
    properties: {
      command: { type: 'string', title: 'Command', 'x-render': 'shell' },
      workdir: { type: 'string', title: 'Folder', 'x-render': 'plain' },
      env: { type: 'object', title: 'Environment', additionalProperties: { type: 'string', 'x-render': 'plain' } },
      slots: { type: 'integer', title: 'Slots', minimum: 1, maximum: 8 },
    },
  },
};
const SQL: OfferedHandler = {
  name: 'sql',
  title: 'SQL',
  groups: { default: 1 },
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      connection: { type: 'string', title: 'Connection', 'x-render': 'plain', 'x-connection': true },
      command: { type: 'string', title: 'Command' },
      args: {
        type: 'array',
        title: 'Bind values',
        items: { type: ['string', 'number'] },
        'x-render': 'plain',
        'x-secrets': true,
      },
    },
  },
};

/** A small schedule with params and several jobs, for tests of the inspector. */
export const DOC: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'warehouse',
  params: { region: 'east', limit: 5 },
  jobs: [
    {
      key: 'extract',
      tasks: [
        { key: 'a', handler: 'shell', params: { command: 'true' } },
        { key: 'b', handler: 'shell', params: { command: 'true' }, timeout: '5m' },
      ],
    },
    {
      key: 'load',
      tasks: [{ key: 'd', handler: 'shell', needs: ['a'], when: 'outputs.a.rows != nil', params: { command: 'true' } }],
    },
    { key: 'report', tasks: [{ key: 'k', handler: 'shell', needs: ['d'], params: { command: 'true' } }] },
  ],
};

/** Shows a part of the editor over a document. The address lives as long as the test. */
export function show(
  part: ReactNode,
  {
    doc = DOC,
    select,
    faults = [],
    base = 1,
    search: first = {},
  }: { doc?: Doc; select?: Selection; faults?: DocFault[]; base?: number; search?: EditorSearch } = {},
) {
  const store = newDocumentStore(doc);
  const pristine = newPristineFields();
  watchPristineFields(store, pristine);
  if (select) store.getState().select(select);
  function Around() {
    const [search, setSearch] = useState(first);
    const now = useStore(store, (s) => s.doc);
    const all = useMemo(() => [...check(now, [SHELL, SQL]), ...faults], [now]);
    const editor = useMemo(
      (): Editor => ({
        name: doc.name,
        store,
        base: base || undefined,
        handlers: [SHELL, SQL],
        pristine,
        search,
        goTo: (part) => {
          setSearch((old) => ({ ...old, ...part }));
        },
      }),
      [search],
    );
    return (
      <MantineProvider theme={theme} env="test">
        <QueryClientProvider client={newQueryClient()}>
          <EditorContext value={editor}>
            <FaultsContext value={all}>{part}</FaultsContext>
          </EditorContext>
        </QueryClientProvider>
      </MantineProvider>
    );
  }
  return { store, pristine, doc: () => store.getState().doc, ...render(<Around />) };
}
