// Loaded into a server under test before anything else: shifts its wall clock by the milliseconds that a file holds,
// as if somebody had set the machine's clock. The monotonic clock goes on as ever.

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
