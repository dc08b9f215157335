// Preloaded into a server under test: shifts its wall clock by the milliseconds in the file TEST_CLOCK_OFFSET, as if
// the machine's clock had been set. The monotonic clock is not affected.

import { readFileSync } from 'node:fs';

const path = process.env.TEST_CLOCK_OFFSET;
const realNow = Date.now;
const RealDate = Date;

const shifted = () => realNow() + Number(readFileSync(path, 'utf8') || 0);

if (path) {
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(shifted());
      else super(...parts);
    }

    static now() {
      return shifted();
    }
  };
}
