/** Reads groups of executors that are separated by commas or spaces. */
export function readGroups(text: string): string[] {
  return [...new Set(text.split(/[\s,，]+/).filter(Boolean))];
}

/** Writes groups of executors as people read them. */
export const writeGroups = (groups: readonly string[]): string => groups.join(', ');
