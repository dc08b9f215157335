/** The EICAR test signature in two halves, so that this source file is not itself found by a scanner. */
const SIGNATURE = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
  'latin1',
);

/** Looks for the EICAR test signature anywhere in a stream, also across the borders of its chunks. */
export class EicarWatch {
  #tail: Uint8Array = new Uint8Array();
  #found = false;

  get found(): boolean {
    return this.#found;
  }

  update(chunk: Uint8Array): void {
    if (this.#found) return;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const overlap = SIGNATURE.length - 1;
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, overlap)]);
    this.#found = seam.includes(SIGNATURE) || bytes.includes(SIGNATURE);
    this.#tail = Buffer.from(
      bytes.length >= overlap
        ? bytes.subarray(-overlap)
        : Buffer.concat([this.#tail, bytes]).subarray(-overlap),
    );
  }
}
