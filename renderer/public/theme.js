// Runs before the first paint, so that a dark window never flashes white. Kept apart from the bundle because the
// Content-Security-Policy allows no inline script.
(() => {
  let prefs = {};
  try {
    prefs = JSON.parse(localStorage.getItem('earshot.prefs') ?? '{}');
  } catch {
    // A damaged preference counts as none; the app writes a whole one at the next change.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = prefs.theme === 'light' || prefs.theme === 'dark' ? prefs.theme : dark ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
})();
