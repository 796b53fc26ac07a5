import { api, ApiError, OfflineError, type Schemas } from '@/api/client';

/** Consecutive bytes of a log, as the server sent them. */
export interface LogPart {
  bytes: Uint8Array;
  /** Offset of the first byte. */
  offset: number;
  /** Offset of the byte after the last one. */
  next: number;
  /** Size of the log so far, in bytes. */
  size: number;
  /** The log will not grow any more. */
  complete: boolean;
  attempt: number;
}

/** The answer to a search in a log, with the offset of the line if one was found. */
export type LogMatch = Schemas['LogPlace'];

/** A search in a log for a text or a line number. It starts at the byte offset `from`. */
export interface LogQuery {
  text?: string;
  line?: number;
  from?: number;
  backwards?: boolean;
}

/** Reads the log of one attempt. Calls fail with ApiError, OfflineError or AbortError. */
export interface LogSource {
  /** Reads at most `limit` bytes from an offset. A negative offset counts from the end. */
  read(offset: number, limit: number, signal: AbortSignal): Promise<LogPart>;
  find(query: LogQuery, signal: AbortSignal): Promise<LogMatch>;
  /** Address of the whole log as a file. */
  readonly file: string;
}

/** The log of an attempt of a task, or of its latest attempt. */
export function apiSource(batch: number, task: string, attempt?: number): LogSource {
  const path = { id: batch, task };
  const fileQuery = attempt ? `?attempt=${String(attempt)}` : '';
  return {
    file: `/api/v1/batches/${String(batch)}/tasks/${encodeURIComponent(task)}/log/file${fileQuery}`,
    async read(offset, limit, signal) {
      const { data, response } = await withOfflineError(
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
    async find(query, signal) {
      const { data } = await withOfflineError(
        api.GET('/api/v1/batches/{id}/tasks/{task}/log/find', {
          params: { path, query: { attempt, ...query } },
          signal,
          cache: 'no-store',
        }),
        signal,
      );
      return data as LogMatch;
    },
  };
}

/** Turns a connection that breaks during the answer into an OfflineError. */
async function withOfflineError<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw signal.aborted || error instanceof ApiError || error instanceof OfflineError
      ? error
      : new OfflineError(error);
  }
}
