// What Electron offers in a utility process, over the channel of `child_process.fork`.
process.parentPort = {
  postMessage: (message) => process.send(message, undefined, {}, () => {}),
  on: (_event, listener) => process.on('message', (data) => listener({ data })),
};
process.on('disconnect', () => process.exit(0));
