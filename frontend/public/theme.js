// Runs before the first paint, so that a dark page never flashes white. It is a separate file because the content
// security policy allows no inline script. The key and the attribute are Mantine's.
(() => {
  const kept = localStorage.getItem('mantine-color-scheme-value');
  const dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
