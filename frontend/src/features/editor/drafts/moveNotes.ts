/** The beginning of the keys of all notes of one person about one schedule. */
export const notesPrefix = (user: string, name: string): string => `hivego.draft/${encodeURIComponent(user)}/${name}/`;

/** Moves what this browser has noted of a person's draft to the new name of its schedule. Notes that are there stay. */
export function moveNotes(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>,
  user: string,
  former: string,
  to: string,
): void {
  const prefix = notesPrefix(user, former);
  try {
    const found = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '');
    for (const key of found.filter((one) => one.startsWith(prefix))) {
      const text = storage.getItem(key);
      const next = notesPrefix(user, to) + key.slice(prefix.length);
      if (text !== null && storage.getItem(next) === null) storage.setItem(next, text);
      storage.removeItem(key);
    }
  } catch {
    // A browser without storage has no notes; one without room keeps them under the former name.
  }
}
