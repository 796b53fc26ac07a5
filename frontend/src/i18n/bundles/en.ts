const files = import.meta.glob<object>('../locales/en/*.json', { eager: true, import: 'default' });

/** All words of the language, by namespace: the names of its files. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
);
