const files = import.meta.glob<object>(
  ['../locales/en/*.json', '!../locales/*/{alerts,calendars,chain,executors,forecast}.json'],
  { eager: true, import: 'default' },
);

/** The texts of the language that all pages share, by namespace, which is the name of the file. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
);
