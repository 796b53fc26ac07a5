import { api, ApiError, OfflineError, type Schemas } from '@/api/client';

/** Bytes of a log, as the server gave them. */
export interface LogPart {
  bytes: Uint8Array;
  /** Place of the first byte. */
  offset: number;
  /** Place of the byte after the last one. */
  next: number;
  /** Bytes of the log so far. */
  size: number;
  /** It will not grow any more. */
  complete: boolean;
  attempt: number;
}

/** What the server found in a log: the place of a line in bytes, if there is one. */
export type LogPlace = Schemas['LogPlace'];

/** What to find: a text or a line by its number, from an offset in bytes on, towards the end or backwards. */
export interface LogQuestion {
  text?: string;
  line?: number;
  from?: number;
  backwards?: boolean;
}

/** Where the log of one attempt is read from. Calls fail with ApiError, OfflineError or AbortError. */
export interface LogSource {
  /** At most `limit` bytes from offset on; a negative offset counts from the end. */
  read(offset: number, limit: number, signal: AbortSignal): Promise<LogPart>;
  find(question: LogQuestion, signal: AbortSignal): Promise<LogPlace>;
  /** Address of the whole log as a file. */
  readonly file: string;
}

/** The log of an attempt of a task, or of its latest attempt. */
export function apiSource(batch: number, task: string, attempt?: number): LogSource {
  const path = { id: batch, task };
  const query = attempt ? `?attempt=${String(attempt)}` : '';
  return {
    file: `/api/v1/batches/${String(batch)}/tasks/${encodeURIComponent(task)}/log/file${query}`,
    async read(offset, limit, signal) {
      const { data, response } = await known(
        api.GET('/api/v1/batches/{id}/tasks/{task}/log', {
          params: { path, query: { attempt, offset, limit } },
          parseAs: 'arrayBuffer',
          signal,
          cache: 'no-store',
        }),
        signal,
      );
      const bytes = new Uint8Array(data ?? new ArrayBuffer(0));
      const number = (name: string) => Number(response.headers.get(name) ?? 0);
      const next = number('X-Log-Next');
      return {
        bytes,
        next,
        offset: next - bytes.length,
        size: number('X-Log-Size'),
        complete: response.headers.get('X-Log-Complete') === 'true',
        attempt: number('X-Log-Attempt'),
      };
    },
    async find(question, signal) {
      const { data } = await known(
        api.GET('/api/v1/batches/{id}/tasks/{task}/log/find', {
          params: { path, query: { attempt, ...question } },
          signal,
          cache: 'no-store',
        }),
        signal,
      );
      return data as LogPlace;
    },
  };
}

/** A connection that breaks while the bytes come is the server out of reach, too. */
async function known<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw signal.aborted || error instanceof ApiError || error instanceof OfflineError
      ? error
      : new OfflineError(error);
  }
}
