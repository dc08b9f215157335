// Runs before the first paint, so that a dark window never flashes white, and follows the system and the choice made in
// another window, for the guide, too. A file of its own, because the Content-Security-Policy forbids inline scripts.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let prefs = {};
    try {
      prefs = JSON.parse(localStorage.getItem('earshot.prefs') ?? '{}');
    } catch {
      // Invalid preferences count as absent.
    }
    const dark = system.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme =
      prefs.theme === 'light' || prefs.theme === 'dark' ? prefs.theme : dark;
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
})();
