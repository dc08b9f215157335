import { Server } from 'node:http';

/*
 * Preloaded into a server (`NODE_OPTIONS=--import=…`): hands on each request of a browser, and each event of its stream, after
 * a random time, up to the milliseconds that EARSHOT_TEST_LATENCY gives, a third of them at once. Answers overtake each other
 * and events, as on a busy machine; events keep their order.
 */
const longest = Number(process.env.EARSHOT_TEST_LATENCY ?? 0);
if (longest > 0 && process.argv.includes('serve')) {
  const { emit } = Server.prototype;
  const isOfPage = ({ headers, url }) =>
    url.startsWith('/v1/') && /Mozilla/.test(headers['user-agent'] ?? '');
  const someTime = () => longest * Math.max(0, 1.5 * Math.random() - 0.5);
  const delayEvents = (response) => {
    const write = response.write.bind(response);
    let last = Promise.resolve();
    response.write = (chunk) => {
      last = last
        .then(() => new Promise((done) => setTimeout(done, someTime())))
        .then(() => {
          if (!response.destroyed && !response.writableEnded) write(chunk);
        });
      return true;
    };
  };
  Server.prototype.emit = function (event, ...args) {
    const [request, response] = args;
    if (event !== 'request' || !isOfPage(request)) return emit.call(this, event, ...args);
    if (request.url.startsWith('/v1/events')) delayEvents(response);
    setTimeout(() => {
      // Of a connection that was cut meanwhile, nothing would have been read.
      if (!request.socket.destroyed) emit.call(this, event, ...args);
    }, someTime());
    return true;
  };
}
