import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { isSameSecret } from '../../base/ids.ts';

/** The claim of a signed URL. */
const Claim = z.strictObject({
  method: z.enum(['PUT', 'GET']),
  user: z.string(),
  key: z.string(),
  type: z.string(),
  /** Most bytes that may be sent; the file's size for a download. */
  size: z.int(),
  /** Milliseconds since the epoch. */
  expires: z.int(),
  nonce: z.string(),
  /** Absent in an upload for the storage. */
  purpose: z.literal('transcription').optional(),
});
export type Claim = z.output<typeof Claim>;

/** Signs and checks the tokens of presigned URLs: `{claim}.{HMAC-SHA256}`, both in base64url. */
export class TokenSigner {
  readonly #secret: string;
  readonly #clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
  }

  sign(claim: Claim): string {
    const payload = Buffer.from(JSON.stringify(claim)).toString('base64url');
    return `${payload}.${this.#signature(payload)}`;
  }

  /** Throws `signature_invalid` for an altered token or another method, `signature_expired` for an expired one. */
  verify(token: string, method: Claim['method']): Claim {
    const claim = this.peek(token);
    if (claim === undefined || claim.method !== method) {
      throw new AppError('signature_invalid', 'This signed address is not valid.');
    }
    if (claim.expires <= this.#clock.now()) {
      throw new AppError('signature_expired', 'This signed address has expired. Ask for a new one.');
    }
    return claim;
  }

  /** The claim of a token that this installation signed, expired or not; undefined for any other text. */
  peek(token: string): Claim | undefined {
    const dot = token.indexOf('.');
    const payload = token.slice(0, Math.max(0, dot));
    // Compares the texts, not the decoded bytes: base64url encodes some bytes in more than one way.
    if (dot === -1 || !isSameSecret(token.slice(dot + 1), this.#signature(payload))) return undefined;
    return Claim.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  }

  #signature(payload: string): string {
    return createHmac('sha256', this.#secret).update(`earshot-storage-url\n${payload}`).digest('base64url');
  }
}
