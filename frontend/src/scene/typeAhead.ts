/**
 * Collects the letters that are typed while a field is loaded, so that none is lost and none is a key command of the
 * page. The returned function ends that, and returns the letters.
 */
export function collectTyped(): () => string {
  let text = '';
  const collect = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    event.preventDefault();
    event.stopPropagation();
    text += event.key;
  };
  window.addEventListener('keydown', collect, { capture: true });
  return () => {
    window.removeEventListener('keydown', collect, { capture: true });
    return text;
  };
}
