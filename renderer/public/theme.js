// Runs before the first paint, so that a dark window never flashes white, and follows the system and the choice made in
// another window, for the guide, too. A file of its own, because the Content-Security-Policy forbids inline scripts.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen;
    try {
      chosen = JSON.parse(localStorage.getItem('earshot.prefs'))?.theme;
    } catch {
      // Invalid preferences count as absent.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && system.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
})();
