import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { api, data, newIdempotencyKey } from '@/api/client';
import { keys } from '@/api/queries';
import type { BackfillRequest } from './form';
import { refresh } from './useBackfills';

/** Milliseconds after the last change of a field until the preview is computed. */
const PREVIEW_DELAY = 300;

/** What the backfill would do. It follows the fields after a short while. */
export function usePreview(name: string, request: BackfillRequest | undefined) {
  const text = JSON.stringify(request ?? null);
  const [settled] = useDebouncedValue(text, PREVIEW_DELAY);
  const body = JSON.parse(settled) as BackfillRequest | null;
  return useQuery({
    queryKey: [...keys.backfills, 'preview', name, settled],
    queryFn: ({ signal }) =>
      data(
        api.POST('/api/v1/schedules/{name}/backfill-previews', {
          params: { path: { name } },
          body: body ?? {},
          signal,
        }),
      ),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Makes the backfill and opens its batches. */
export function useCreate(name: string, onDone: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const order = useRef({ key: newIdempotencyKey(), body: '' });
  return useMutation({
    mutationFn: (body: BackfillRequest) => {
      // A request keeps its key, so that sending it again after a lost answer does not make a second backfill.
      const text = JSON.stringify(body);
      if (order.current.body !== '' && order.current.body !== text) order.current.key = newIdempotencyKey();
      order.current.body = text;
      return data(
        api.POST('/api/v1/schedules/{name}/backfills', {
          params: { path: { name }, header: { 'Idempotency-Key': order.current.key } },
          body,
        }),
      );
    },
    onSuccess: (made) => {
      refresh(queries);
      onDone();
      void navigate({ to: '/batches', search: { backfill: made.id } });
    },
  });
}
