// Runs before the first paint, so that a dark window never flashes white. A file of its own, because the
// Content-Security-Policy forbids inline scripts.
(() => {
  let prefs = {};
  try {
    prefs = JSON.parse(localStorage.getItem('earshot.prefs') ?? '{}');
  } catch {
    // Invalid preferences count as absent.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = prefs.theme === 'light' || prefs.theme === 'dark' ? prefs.theme : dark ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
})();
