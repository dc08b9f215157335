import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { UploadPurpose } from '../../../contract/storage.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { isSameSecret, newToken } from '../../base/ids.ts';
import { chooseType, guessRecordingType } from '../../engines/scan/content.ts';
import { mimeEssence } from '../../engines/scan/file-types.ts';
import type { WritableDb } from '../../stores/database.ts';
import * as store from '../../stores/files.ts';
import { type FileRecord, findFile } from '../../stores/files.ts';
import { splitName } from './present.ts';
import { fileNotFound } from './service.ts';
import {
  type FileInput,
  type FileProperties,
  MAX_FILE_BYTES,
  newKey,
  tooLarge,
  type UploadService,
} from './uploads.ts';

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
type Claim = z.output<typeof Claim>;

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

const LIFETIME_SECONDS = 3600;
const DAY = 86_400_000;

type PresignDeps = {
  readonly db: WritableDb;
  readonly uploads: UploadService;
  readonly signer: TokenSigner;
  readonly clock: Clock;
  readonly baseUrl: () => string;
};

export type PutInput = {
  readonly token: string;
  readonly contentType: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly expectedBytes?: number | undefined;
};

const alreadyUsed = (): AppError =>
  new AppError('already_used', 'This address was used already; it takes one file. Ask for a new one.');

const propertiesOf = (presigned: store.PresignedUpload, purpose: UploadPurpose): FileProperties => ({
  userId: presigned.userId,
  folder: presigned.folder,
  originalName: presigned.originalName,
  type: (purpose === 'transcription' ? guessRecordingType : chooseType)(
    splitName(presigned.originalName).extension,
    presigned.mimeType,
  ),
  purpose,
  isPublic: presigned.isPublic,
  metadata: presigned.metadata,
});

/** Signed URLs that need no API key: for one upload, or for downloads until they expire. */
export class PresignService {
  readonly #deps: PresignDeps;
  /** Nonces of uploads in flight: of two concurrent ones with the same URL, the second is refused. */
  readonly #inFlight = new Set<string>();

  constructor(deps: PresignDeps) {
    this.#deps = deps;
  }

  /** Signs a URL for one upload. Throws `invalid_request` or `unsupported_file_type`. */
  create(input: FileInput & { readonly fileSize?: number | undefined }) {
    const { db, uploads, signer, clock, baseUrl } = this.#deps;
    const { type, purpose, ...properties } = uploads.check(input);
    const declared = mimeEssence(input.declaredType);
    const now = clock.now();
    store.deletePresignedBefore(db, now - DAY);
    const upload = db.transaction(() => {
      const reserved: store.PresignedUpload = {
        ...properties,
        nonce: newToken(18),
        key: newKey({ db, clock }, { ...properties, type, purpose }),
        mimeType: type.mimeType,
        maxSize: input.fileSize ?? MAX_FILE_BYTES,
        expiresAt: now + LIFETIME_SECONDS * 1000,
        isUsed: false,
      };
      store.insertPresigned(db, reserved);
      return reserved;
    });
    const token = signer.sign({
      method: 'PUT',
      user: upload.userId,
      key: upload.key,
      type: declared,
      size: upload.maxSize,
      expires: upload.expiresAt,
      nonce: upload.nonce,
      ...(purpose === 'transcription' ? { purpose } : {}),
    });
    return {
      uploadUrl: `${baseUrl()}/v1/storage/presigned/${token}`,
      fileKey: upload.key,
      expiresIn: LIFETIME_SECONDS,
      maxFileSize: upload.maxSize,
      allowedContentTypes: [...new Set([declared, upload.mimeType])],
    };
  }

  /** Receives the one upload of a URL. When it fails, the URL can be used again. */
  async put({ token, contentType, source, expectedBytes }: PutInput): Promise<FileRecord> {
    const { db, uploads, signer } = this.#deps;
    const claim = signer.verify(token, 'PUT');
    const presigned = store.findPresigned(db, claim.nonce);
    // Its user was deleted, and the row with the user.
    if (presigned === undefined) throw new AppError('signature_invalid', 'This signed address is not valid.');
    if (presigned.isUsed || this.#inFlight.has(claim.nonce)) throw alreadyUsed();
    if (![claim.type, presigned.mimeType].includes(mimeEssence(contentType))) {
      const message = `This address takes ${claim.type} alone; send it as Content-Type.`;
      throw new AppError('unsupported_media_type', message);
    }
    if (expectedBytes !== undefined && expectedBytes > claim.size) throw tooLarge(claim.size);
    this.#inFlight.add(claim.nonce);
    try {
      const options = { userId: claim.user, source, maxBytes: claim.size, expectedBytes };
      const upload = await uploads.receive(options);
      const { file } = await upload.commit(propertiesOf(presigned, claim.purpose ?? 'storage'), {
        key: presigned.key,
        onCommit: () => store.markPresignedUsed(db, presigned.nonce),
      });
      return file;
    } finally {
      this.#inFlight.delete(claim.nonce);
    }
  }

  /** Signs a URL that reads a file for `seconds`, for a player or another tool. */
  downloadUrl(file: FileRecord, seconds: number): { url: string; expires_at: string } {
    const { signer, clock, baseUrl } = this.#deps;
    const expires = clock.now() + seconds * 1000;
    const token = signer.sign({
      method: 'GET',
      user: file.userId,
      key: file.key,
      type: file.mimeType,
      size: file.size,
      expires,
      nonce: file.id,
    });
    return { url: `${baseUrl()}/v1/storage/presigned/${token}`, expires_at: isoTime(expires) };
  }

  /** The file that a signed download URL names. */
  fileOf(token: string): FileRecord {
    const claim = this.#deps.signer.verify(token, 'GET');
    const file = findFile(this.#deps.db, claim.nonce);
    if (file === undefined || file.key !== claim.key) throw fileNotFound();
    return file;
  }
}
