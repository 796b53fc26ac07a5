/** A text that nobody made before, for an Idempotency-Key. `crypto.randomUUID` is there over TLS and on this machine only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
