/** The first part of a file, as a download that broke off leaves it. */
export const cutShort = (file: Buffer, share: number): Buffer =>
  file.subarray(0, Math.floor(file.length * share));

/** An MP3 with a frame in its middle whose header says another number of channels. */
export const withDamagedFrame = (mp3: Buffer): Buffer => {
  const bytes = Buffer.from(mp3);
  const frame = bytes.indexOf(Buffer.from([0xff, 0xfb]), bytes.length / 2);
  bytes[frame + 3] = (bytes[frame + 3] ?? 0) | 0xc0;
  return bytes;
};
