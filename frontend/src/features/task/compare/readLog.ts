import type { LogSource } from '../log/source';
import { type LogLine, linesBefore } from '../log/window';

/** How many bytes of a log are compared: its end, where errors are. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes that one request asks for. */
const CHUNK = 256 * 1024;

/** The lines of a log, or of its end. */
interface WholeLog {
  lines: readonly LogLine[];
  /** Whether earlier lines were left out. */
  cut: boolean;
}

/** Reads a log, or the end of a long one. */
export async function readLog(source: LogSource, signal: AbortSignal): Promise<WholeLog> {
  const { size } = await source.read(0, 1, signal);
  const start = Math.max(0, size - MAX_BYTES);
  const bytes = new Uint8Array(size - start);
  let next = start;
  while (next < size) {
    const part = await source.read(next, Math.min(CHUNK, size - next), signal);
    if (part.bytes.length === 0) break;
    bytes.set(part.bytes.subarray(0, size - next), next - start);
    next += part.bytes.length;
  }
  return { lines: linesBefore(bytes.subarray(0, Math.min(next, size) - start), start), cut: start > 0 };
}
