import { contextBridge } from 'electron';

/** Hands the address and the one-time token to the window's own page, and nothing else to anybody. */
const argument = (flag: string): string =>
  process.argv.find((each) => each.startsWith(flag))?.slice(flag.length) ?? '';

const baseUrl = argument('--earshot-url=');
if (window.location.origin === baseUrl) {
  contextBridge.exposeInMainWorld('earshot', { baseUrl, token: argument('--earshot-token=') });
}
