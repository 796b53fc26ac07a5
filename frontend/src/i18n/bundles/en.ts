const files = import.meta.glob<object>(
  [
    '../locales/en/*.json',
    '!../locales/*/{alerts,auth,backfill,batch,batches,calendars,canvas,chain}.json',
    '!../locales/*/{executors,find,forecast,handlers,history,inspector,log,night,planned,replace,reports,runs}.json',
    '!../locales/*/{secrets,settings,spreadsheet,task,ticks,timeline,views,zoom}.json',
  ],
  { eager: true, import: 'default' },
);

/** The texts of the language that all pages share, by namespace, which is the name of the file. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
);
