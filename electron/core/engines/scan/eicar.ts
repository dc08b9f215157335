/** The EICAR test signature, in two halves so that scanners do not report this source file. */
const SIGNATURE = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
  'latin1',
);

/** Searches a stream for the EICAR test signature, also across chunk boundaries. */
export class EicarDetector {
  #tail: Uint8Array = new Uint8Array();
  #isFound = false;

  get isFound(): boolean {
    return this.#isFound;
  }

  update(chunk: Uint8Array): void {
    if (this.#isFound) return;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const overlap = SIGNATURE.length - 1;
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, overlap)]);
    this.#isFound = seam.includes(SIGNATURE) || bytes.includes(SIGNATURE);
    this.#tail = Buffer.from(
      bytes.length >= overlap
        ? bytes.subarray(-overlap)
        : Buffer.concat([this.#tail, bytes]).subarray(-overlap),
    );
  }
}
