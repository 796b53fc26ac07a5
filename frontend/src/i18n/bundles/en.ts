const files = import.meta.glob<object>('../locales/en/*.json', { eager: true, import: 'default' });

/** All texts of the language by namespace, which is the name of the file. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
);
