import { MantineProvider } from '@mantine/core';
import { useMemo } from 'react';
import type { Definition } from '@/api/definition';
import { newDocumentStore } from '@/document';
import { Canvas } from '@/features/editor/canvas/Canvas';
import { type Editor, EditorContext } from '@/features/editor/context';
import { resolver, theme } from '@/ui/theme';

/** The canvas of the editor, without the rest of its page. */
export function Editing({ definition }: { definition: Definition }) {
  const editor = useMemo(
    (): Editor => ({
      name: 'bench',
      store: newDocumentStore(definition),
      search: {},
      goTo: () => undefined,
      handlers: [{ name: 'shell', groups: { default: 1 } }],
    }),
    [definition],
  );
  return (
    <MantineProvider theme={theme} cssVariablesResolver={resolver}>
      <EditorContext value={editor}>
        <Canvas />
      </EditorContext>
    </MantineProvider>
  );
}
