import { registerHooks } from 'node:module';

/*
 * Preloaded into a program (`--import=…`): at its end it prints, as the last line of standard error, which files it has loaded
 * and which of Node's own modules.
 */
const files = [];
registerHooks({
  load: (url, context, next) => {
    files.push(url);
    return next(url, context);
  },
});
process.once('exit', () => {
  process.stderr.write(`\n${JSON.stringify({ files, own: process.moduleLoadList })}\n`);
});
