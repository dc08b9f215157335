// What the set-up tells the person who waits. Everything goes to stderr: stdout belongs to the results.

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const NAME_WIDTH = 9;

/** Seconds, in the words people use: "0.4 s", "38 s", "2 min 5 s". */
export function elapsed(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Writes one line of set-up output. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Shows one step: a moving line on a terminal, else one line when it starts and one when it ends.
 *
 * @param {string} name short name, such as "packages"
 * @param {string} detail what is being done
 * @param {(note: (text: string) => void) => Promise<T>} work gets a function that says how far it is
 * @returns {Promise<T>}
 * @template T
 */
export async function step(name, detail, work) {
  const started = Date.now();
  const label = name.padEnd(NAME_WIDTH);
  const live = process.stderr.isTTY === true;
  let text = detail;
  let frame = 0;
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const line = `${FRAMES[frame]} ${label}  ${text} · ${elapsed(Date.now() - started)}`;
    process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  };
  const timer = live ? setInterval(draw, FRAME_MS) : undefined;
  if (!live) say(`· ${label}  ${detail} …`);
  const note = (line) => {
    text = line.trim();
    if (!live) say(`  ${label}  ${text}`);
  };
  const finish = (mark, ending) => {
    clearInterval(timer);
    say(`${live ? '\r\x1b[2K' : ''}${mark} ${label}  ${ending} · ${elapsed(Date.now() - started)}`);
  };
  try {
    const result = await work(note);
    finish('✓', detail);
    return result;
  } catch (error) {
    finish('✗', `${detail}: failed`);
    throw error;
  }
}
