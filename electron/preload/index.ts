import { contextBridge } from 'electron';

const argument = (flag: string): string =>
  process.argv.find((each) => each.startsWith(flag))?.slice(flag.length) ?? '';

const baseUrl = argument('--earshot-url=');
// Only the program's own page gets the address and the one-time token.
if (window.location.origin === baseUrl) {
  contextBridge.exposeInMainWorld('earshot', { baseUrl, token: argument('--earshot-token=') });
}
