import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser for tests: `CHROMIUM_PATH`, or where it is usually installed. */
export const findChromium = (): string => {
  const path = process.env.CHROMIUM_PATH ?? PLACES.find(existsSync);
  if (path === undefined) throw new Error('No Chromium was found. Install it, or name it in CHROMIUM_PATH.');
  return path;
};
