import type { Clock } from '../../base/clock.ts';
import { isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newToken } from '../../base/ids.ts';
import { chooseType } from '../../engines/scan/content.ts';
import { mimeEssence } from '../../engines/scan/file-types.ts';
import type { WritableDb } from '../../stores/database.ts';
import { findFile } from '../../stores/files.ts';
import * as store from '../../stores/presigned.ts';
import type { FileRow, PresignedRow } from '../../stores/schema.ts';
import { MAX_FILE_BYTES, tooLarge } from './intake.ts';
import { splitName } from './keys.ts';
import { type FilePlan, type FileService, fileNotFound, type PlanInput } from './service.ts';
import type { TokenSigner } from './tokens.ts';

const LIFETIME_SECONDS = 3600;
const DAY = 86_400_000;

type PresignOptions = {
  readonly db: WritableDb;
  readonly files: FileService;
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

const used = (): AppError =>
  new AppError('already_used', 'This address was used already; it takes one file. Ask for a new one.');

/** Signed addresses: one-time uploads, and downloads for a while, neither needing a key. */
export class PresignService {
  readonly #o: PresignOptions;
  /** Uploads under way: one address takes one file even when two come at once. */
  readonly #busy = new Set<string>();

  constructor(options: PresignOptions) {
    this.#o = options;
  }

  /** An address for one upload. Throws what is wrong with name, type, folder or metadata. */
  create(input: PlanInput & { readonly fileSize?: number | undefined }) {
    const { db, files, signer, clock, baseUrl } = this.#o;
    const plan = files.plan(input);
    const declared = mimeEssence(input.declaredType);
    const now = clock.now();
    store.forgetPresigned(db, now - DAY);
    const row = db.transaction(() => {
      const planned: PresignedRow = {
        nonce: newToken(18),
        user_id: plan.userId,
        key: files.newKey(plan),
        folder: plan.folder,
        original_name: plan.originalName,
        mime_type: plan.chosen.mimeType,
        max_size: input.fileSize ?? MAX_FILE_BYTES,
        public: plan.public ? 1 : 0,
        metadata: plan.metadata,
        expires_at: now + LIFETIME_SECONDS * 1000,
        used: 0,
      };
      store.insertPresigned(db, planned);
      return planned;
    });
    const token = signer.sign({
      method: 'PUT',
      user: row.user_id,
      key: row.key,
      type: declared,
      size: row.max_size,
      expires: row.expires_at,
      nonce: row.nonce,
    });
    return {
      uploadUrl: `${baseUrl()}/v1/storage/presigned/${token}`,
      fileKey: row.key,
      expiresIn: LIFETIME_SECONDS,
      maxFileSize: row.max_size,
      allowedContentTypes: [...new Set([declared, row.mime_type])],
    };
  }

  /** Takes the one upload of an address. The address stays good when the upload fails. */
  async put({ token, contentType, source, expectedBytes }: PutInput): Promise<FileRow> {
    const { db, files, signer } = this.#o;
    const claim = signer.verify(token, 'PUT');
    const planned = store.findPresigned(db, claim.nonce);
    // Its account is gone: the address went with it.
    if (planned === undefined) throw new AppError('signature_invalid', 'This signed address is not valid.');
    if (planned.used === 1 || this.#busy.has(claim.nonce)) throw used();
    if (![claim.type, planned.mime_type].includes(mimeEssence(contentType))) {
      const message = `This address takes ${claim.type} alone; send it as Content-Type.`;
      throw new AppError('unsupported_media_type', message);
    }
    if (expectedBytes !== undefined && expectedBytes > claim.size) throw tooLarge(claim.size);
    this.#busy.add(claim.nonce);
    try {
      const intake = await files.receive({ userId: claim.user, source, maxBytes: claim.size, expectedBytes });
      const { row } = await files.finish(intake, this.#planOf(planned), {
        key: planned.key,
        onRecorded: () => store.markPresignedUsed(db, planned.nonce),
      });
      return row;
    } finally {
      this.#busy.delete(claim.nonce);
    }
  }

  /** An address that reads a file for `seconds`, for a player or another tool. */
  downloadUrl(file: FileRow, seconds: number): { url: string; expires_at: string } {
    const { signer, clock, baseUrl } = this.#o;
    const expires = clock.now() + seconds * 1000;
    const token = signer.sign({
      method: 'GET',
      user: file.user_id,
      key: file.key,
      type: file.mime_type,
      size: file.size,
      expires,
      nonce: file.id,
    });
    return { url: `${baseUrl()}/v1/storage/presigned/${token}`, expires_at: isoTime(expires) };
  }

  /** The file that a download address reads. */
  fileOf(token: string): FileRow {
    const claim = this.#o.signer.verify(token, 'GET');
    const row = findFile(this.#o.db, claim.nonce);
    if (row === undefined || row.key !== claim.key) throw fileNotFound();
    return row;
  }

  #planOf(row: PresignedRow): FilePlan {
    return {
      userId: row.user_id,
      folder: row.folder,
      originalName: row.original_name,
      chosen: chooseType(splitName(row.original_name).extension, row.mime_type),
      public: row.public === 1,
      metadata: row.metadata,
    };
  }
}
