// Runs before the first paint, so that a dark page does not flash white. It is a separate file, because the content
// security policy forbids inline scripts. Mantine defines the key and the attribute.
(() => {
  const stored = localStorage.getItem('mantine-color-scheme-value');
  const dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
