import { z } from 'zod';
import type { UpdateCheck } from '../../contract/system.ts';
import { isAppError, messageOf } from '../base/errors.ts';
import type { HttpClient } from '../engines/net/types.ts';
import type { SettingsService } from './settings.ts';

export type UpdateDeps = {
  readonly http: HttpClient;
  readonly settings: SettingsService;
  readonly version: string;
};

type Check = UpdateCheck['data'];
type Problem = NonNullable<Check['problem']>;

const MAX_BYTES = 1024 * 1024;

const VERSION = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;
const Version = z.string().regex(VERSION);
/** A page that a browser opens. */
const PageUrl = z.url({ protocol: /^https?$/ }).max(2000);
const Feed = z.union([
  z.object({ version: Version, url: PageUrl }),
  z
    .object({ tag_name: Version, html_url: PageUrl })
    .transform(({ tag_name: version, html_url: url }) => ({ version, url })),
]);

const numbersOf = (version: string): number[] => VERSION.exec(version)?.slice(1).map(Number) ?? [0, 0, 0];

/** Whether version `a` is newer than `b`, by their three numbers (Semantic Versioning, 11.2). */
export const isNewer = (a: string, b: string): boolean => {
  const [before, after] = [numbersOf(b), numbersOf(a)];
  const at = after.findIndex((number, place) => number !== before[place]);
  return at !== -1 && (after[at] ?? 0) > (before[at] ?? 0);
};

/** Rejects if the feed cannot be reached; undefined for an answer that is no feed. */
const readFeed = async (http: HttpClient, url: string): Promise<z.output<typeof Feed> | undefined> => {
  const { status, body } = await http.open({
    url,
    purpose: 'update',
    headers: { accept: 'application/json' },
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    parts.push(part);
    // Leaving the loop destroys the body.
    if (bytes > MAX_BYTES || status !== 200) return undefined;
  }
  try {
    return Feed.safeParse(JSON.parse(Buffer.concat(parts).toString())).data;
  } catch {
    // Not JSON.
    return undefined;
  }
};

const problemOf = (error: unknown): Problem => {
  if (!isAppError(error)) throw error;
  return { code: error.code === 'offline' ? 'offline' : 'unreachable', message: messageOf(error) };
};

/** Asks the feed of the settings for the latest version. Nothing else ever connects to it. */
export const checkForUpdate = async ({ http, settings, version }: UpdateDeps): Promise<Check> => {
  const unknown = (problem: Problem): Check => ({
    version,
    latest: null,
    is_newer: false,
    url: null,
    problem,
  });
  const feed = settings.get('updates.feed');
  if (feed === '')
    return unknown({ code: 'not_set', message: 'No address of an update feed is set (updates.feed).' });
  try {
    const latest = await readFeed(http, feed);
    if (latest === undefined)
      return unknown({ code: 'answer', message: `What ${new URL(feed).host} answered is no update feed.` });
    const name = latest.version.replace(/^v/, '');
    return { version, latest: name, is_newer: isNewer(name, version), url: latest.url, problem: null };
  } catch (error) {
    return unknown(problemOf(error));
  }
};
