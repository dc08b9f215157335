import { Server } from 'node:http';

/*
 * Preloaded into a server (`NODE_OPTIONS=--import=…`): hands on each request of a browser after a random time, up to the
 * milliseconds that EARSHOT_TEST_LATENCY gives, a third of them at once. Answers overtake each other, as on a busy machine.
 */
const longest = Number(process.env.EARSHOT_TEST_LATENCY ?? 0);
if (longest > 0 && process.argv.includes('serve')) {
  const { emit } = Server.prototype;
  const isOfPage = ({ headers, url }) =>
    url.startsWith('/v1/') && /Mozilla/.test(headers['user-agent'] ?? '');
  Server.prototype.emit = function (event, ...args) {
    const [request] = args;
    const late =
      event === 'request' && isOfPage(request) ? longest * Math.max(0, 1.5 * Math.random() - 0.5) : 0;
    if (late === 0) return emit.call(this, event, ...args);
    setTimeout(() => {
      // Of a connection that was cut meanwhile, nothing would have been read.
      if (!request.socket.destroyed) emit.call(this, event, ...args);
    }, late);
    return true;
  };
}
