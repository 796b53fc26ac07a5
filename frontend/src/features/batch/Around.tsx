import { memo } from 'react';
import type { Definition } from '@/api/definition';
import { hasHooks, Hooks } from '@/features/hooks';
import type { Batch } from '@/live';
import { Links } from './Links';

/** The batches before and after this one, and its hooks. */
export const Around = memo(function Around({ batch, definition }: { batch: Batch; definition?: Definition }) {
  return (
    <>
      <Links batch={batch} />
      {definition && hasHooks(definition) && <Hooks batch={batch.id} definition={definition} />}
    </>
  );
});
