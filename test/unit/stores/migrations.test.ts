import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { presentWarning } from '../../../electron/contract/warnings.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { addEdit, encodePatch, readPatch } from '../../../electron/core/stores/edits.ts';
import { migrate } from '../../../electron/core/stores/migrations/index.ts';
import { MIGRATIONS } from '../../../electron/core/stores/migrations/steps.ts';
import { rebuildIndexIfMarked, searchTranscripts } from '../../../electron/core/stores/search.ts';
import { readSegments, replaceSegments } from '../../../electron/core/stores/segments.ts';
import { readSettings } from '../../../electron/core/stores/settings.ts';
import { findTranscript } from '../../../electron/core/stores/transcripts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OPTIONS = JSON.stringify({ topics: true, prompt: 'Ann' });

const RECOGNITION = {
  source: 'stored file_1',
  piece: 3,
  at: 61.5,
  segments: 1,
  language: 'en',
  languageConfidence: 0.9,
  model: 'starter',
  crashes: { 3: 1 },
};
const REANALYSIS = { again: { options: OPTIONS, completedAt: 5, diarize: true } };

/** A database file of an earlier version, filled with `sql`. */
const fileOfVersion = (version: number, sql: string): string => {
  const path = join(temporaryFolder(), 'earshot.db');
  const file = new BetterSqlite3(path);
  migrate(file, version);
  file.exec(sql);
  file.close();
  return path;
};

const insertTranscript = (id: string, columns: Readonly<Record<string, string | number>>): string => {
  const all: Record<string, string | number> = {
    id,
    user_id: 'usr_1',
    status: 'processing',
    stage: 'transcribing',
    queue_order: 1,
    audio_url: 'https://example.org/a.wav',
    name: 'a.wav',
    model: 'mini',
    language_asked: 'auto',
    timestamp_style: 'segment',
    audio_start_from: 0,
    audio_end_at: 0,
    options: OPTIONS,
    created_at: 1,
    ...columns,
  };
  const values = Object.values(all).map((value) =>
    typeof value === 'number' ? value : `'${value.replaceAll("'", "''")}'`,
  );
  return `INSERT INTO transcripts (${Object.keys(all).join(', ')}) VALUES (${values.join(', ')});`;
};

describe('a database of the version before the records', () => {
  const open = () =>
    openDatabase(
      fileOfVersion(
        90,
        `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
        ${insertTranscript('tr_1', { checkpoint: JSON.stringify(RECOGNITION), unclean_ends: 2, speaker_names: '{}' })}
        ${insertTranscript('tr_2', { checkpoint: JSON.stringify(REANALYSIS) })}
        ${insertTranscript('tr_3', { checkpoint: 'not JSON' })}
        ${insertTranscript('tr_4', { status: 'failed', error_code: 'disk_full', error_message: 'Full.', error_stage: 'decoding' })}
        INSERT INTO segments (transcript_id, id, piece, text, start, "end", words)
          VALUES ('tr_1', 0, 2, 'Hello.', 0, 1, '[["Hello.",0,1,0.9,null]]');
        INSERT INTO meta (key, value) VALUES ('clean', '1');`,
      ),
      { logger: silentLogger, now: Date.now },
    );

  it('keeps the segments and the counted crashes', () => {
    const db = open();
    expect(findTranscript(db, 'tr_1')).toMatchObject({
      appCrashes: 2,
      options: { topics: true, prompt: 'Ann' },
    });
    expect(readSegments(db, 'tr_1')).toMatchObject([{ text: 'Hello.', words: [{ word: 'Hello.' }] }]);
  });

  it('resumes a recognition from its checkpoint', () => {
    const { piece, at, crashes, ...rest } = RECOGNITION;
    expect(findTranscript(open(), 'tr_1')?.checkpoint).toEqual({
      kind: 'recognition',
      streams: [{ chunk: piece, at, crashes }],
      ...rest,
    });
  });

  it('resumes a reanalysis with the options to go back to', () => {
    expect(findTranscript(open(), 'tr_2')?.checkpoint).toMatchObject({
      kind: 'reanalysis',
      options: { topics: true, prompt: 'Ann' },
      completedAt: 5,
      diarize: true,
    });
  });

  it('starts over where the checkpoint cannot be read', () => {
    expect(findTranscript(open(), 'tr_3')?.checkpoint).toBeNull();
  });

  it('keeps the reason of a failure', () => {
    expect(findTranscript(open(), 'tr_4')?.error).toEqual({
      code: 'disk_full',
      message: 'Full.',
      stage: 'decoding',
    });
  });
});

describe('a database of the version before the scrub marks', () => {
  it('gets its search index rebuilt from the texts', () => {
    const path = fileOfVersion(
      80,
      `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
      ${insertTranscript('tr_1', { status: 'completed', text: 'A zeppelin.' })}
      ${insertTranscript('tr_2', { status: 'failed' })}
      INSERT INTO search_rows (row, transcript_id) VALUES (1, 'tr_1');
      INSERT INTO search_index (rowid, owner, name, body) VALUES (1, 'usr1', 'a wav', 'a secret');
      INSERT INTO meta (key, value) VALUES ('clean', '1');`,
    );
    const db = openDatabase(path, { logger: silentLogger, now: Date.now });
    expect(rebuildIndexIfMarked(db)).toBe(1);
    expect(rebuildIndexIfMarked(db)).toBeUndefined();
    const found = (word: string) =>
      searchTranscripts(db, 'usr_1', { whole: word, typing: undefined }, { limit: 10, offset: 0 }).map(
        ({ id }) => id,
      );
    expect(found('secret')).toEqual([]);
    expect(found('zeppelin')).toEqual(['tr_1']);
  });
});

describe('a database of the version before the devices', () => {
  it.each([
    ['false', 'cpu'],
    ['true', undefined],
  ])('takes over the setting engine.acceleration: %s', (before, after) => {
    const path = fileOfVersion(
      140,
      `INSERT INTO settings (key, value) VALUES ('engine.acceleration', '${before}'), ('engine.beamSize', '1');`,
    );
    const settings = readSettings(openDatabase(path, { logger: silentLogger, now: Date.now }));
    expect(settings.get('engine.device')).toBe(after);
    expect(settings.get('engine.beamSize')).toBe(1);
  });
});

describe('a database of the version before the column of logins', () => {
  const user = `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);`;
  const open = (id: string, status: string, url: string) => {
    const transcript = insertTranscript(id, { status, audio_url: url });
    const path = fileOfVersion(
      100,
      `${user} ${transcript} INSERT INTO meta (key, value) VALUES ('clean', '1');`,
    );
    return findTranscript(openDatabase(path, { logger: silentLogger, now: Date.now }), id);
  };

  it.each([
    ['https://ann:p@ss@example.org/a?b=c@d', 'https://example.org/a?b=c@d', 'ann:p@ss'],
    ['http://ann@example.org', 'http://example.org', 'ann'],
    ['http://ann:x@example.org?e@f', 'http://example.org?e@f', 'ann:x'],
    ['https://example.org/a@b', 'https://example.org/a@b', null],
    ['storage:/usr_1/files/a@b.wav', 'storage:/usr_1/files/a@b.wav', null],
  ])('keeps the login of %s for a waiting job alone', (url, bare, login) => {
    expect(open('tr_1', 'processing', url)).toMatchObject({ audioUrl: bare, audioLogin: login });
    const ended = login === null ? null : '';
    expect(open('tr_1', 'completed', url)).toMatchObject({ audioUrl: bare, audioLogin: ended });
  });
});

describe('a database of the version before the channels', () => {
  const { piece, ...rest } = RECOGNITION;
  const verified = { chunk: 1, at: 20.5, segments: 1, missed: [3.5] };
  const checkpoint = { kind: 'recognition', ...rest, chunk: piece, language: null, verified };
  const again = { kind: 'reanalysis', options: {}, completedAt: null, diarize: false };
  const open = () =>
    openDatabase(
      fileOfVersion(
        140,
        `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
        ${insertTranscript('tr_1', { checkpoint: JSON.stringify(checkpoint) })}
        ${insertTranscript('tr_2', { checkpoint: JSON.stringify(again) })}
        ${insertTranscript('tr_3', { checkpoint: '{"kind":"recognition"' })}
        INSERT INTO segments (transcript_id, id, chunk, text, start, "end", words)
          VALUES ('tr_1', 0, 2, 'Hello.', 0, 1, '[["Hello.",0,1,0.9,null]]');
        INSERT INTO meta (key, value) VALUES ('clean', '1');`,
      ),
      { logger: silentLogger, now: Date.now },
    );

  it('resumes a recognition as one of a single stream', () => {
    const transcript = findTranscript(open(), 'tr_1');
    expect(transcript).toMatchObject({ channels: null, options: { multichannel: false } });
    const { at, crashes, ...others } = rest;
    expect(transcript?.checkpoint).toEqual({
      kind: 'recognition',
      ...others,
      streams: [{ chunk: piece, at, crashes }],
      language: null,
      verified,
    });
  });

  it('leaves a reanalysis as it is, and starts over where the checkpoint cannot be read', () => {
    const db = open();
    expect(findTranscript(db, 'tr_2')?.checkpoint).toMatchObject({ kind: 'reanalysis', diarize: false });
    expect(findTranscript(db, 'tr_3')?.checkpoint).toBeNull();
  });

  it('has segments of no channel', () => {
    expect(readSegments(open(), 'tr_1')[0]).not.toHaveProperty('channel');
  });
});

describe('a database of the version before the languages', () => {
  it('has segments and edits in no language, and stores those that come', () => {
    const words = '[["Hello.",0,1,0.9,null]]';
    const patch = {
      spans: [
        { at: 0, count: 1, segments: [{ text: 'Hallo.', start: 0, end: 1, speaker_id: null, words: [] }] },
      ],
    };
    const path = fileOfVersion(
      200,
      `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
      ${insertTranscript('tr_1', { status: 'completed', text: 'Hello.', language: 'en' })}
      INSERT INTO segments (transcript_id, id, chunk, text, start, "end", words)
        VALUES ('tr_1', 0, 0, 'Hello.', 0, 1, '${words}');
      INSERT INTO edits (transcript_id, number, kind, undone, patch, created_at)
        VALUES ('tr_1', 1, 'text', 0, '${JSON.stringify(patch)}', 1);`,
    );
    const db = openDatabase(path, { logger: silentLogger, now: Date.now });
    const [segment] = readSegments(db, 'tr_1');
    expect(segment).toMatchObject({ text: 'Hello.', words: [{ word: 'Hello.' }] });
    expect(segment).not.toHaveProperty('language');
    expect(readPatch(db, 'tr_1', 'undo')?.spans[0]?.segments[0]).not.toHaveProperty('language');

    const segments = [
      { id: 0, text: 'Hello.', start: 0, end: 1, speaker_id: null, language: 'en', words: [] },
      { id: 1, text: 'Guten Tag.', start: 1, end: 3, speaker_id: null, language: 'de', words: [] },
    ];
    replaceSegments(db, 'tr_1', segments);
    expect(readSegments(db, 'tr_1')).toEqual(segments);
    addEdit(
      db,
      'tr_1',
      { number: 2, kind: 'text', createdAt: 2 },
      encodePatch({ spans: [{ at: 0, count: 2, segments }] }),
    );
    expect(readPatch(db, 'tr_1', 'undo')?.spans[0]?.segments).toEqual(segments);
  });
});

describe('a database of version 220', () => {
  it('stores warnings by their codes, also those of two values, and keeps sentences that it does not know', () => {
    const warnings = [
      'The prompt had no effect: the model tiny does not take one.',
      'Another language (de) than the one that was asked for is spoken at 0:12: the text there may be a translation, or wrong.',
      'A sentence of long ago.',
    ];
    const path = fileOfVersion(
      220,
      `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
      ${insertTranscript('tr_1', { warnings: JSON.stringify(warnings) })}
      ${insertTranscript('tr_2', { warnings: 'no JSON', queue_order: 2 })}`,
    );
    const db = openDatabase(path, { logger: silentLogger, now: Date.now });
    const stored = findTranscript(db, 'tr_1')?.warnings ?? [];
    expect(stored).toEqual([
      { code: 'prompt_ignored', values: { model: 'tiny' } },
      { code: 'other_language', values: { language: 'de', places: '0:12' } },
      'A sentence of long ago.',
    ]);
    expect(stored.map((warning) => presentWarning(warning).message)).toEqual(warnings);
    expect(findTranscript(db, 'tr_2')?.warnings).toEqual([]);
  });
});

describe('a database of version 240', () => {
  it("keeps what AssemblyAI's form asks under the name of every other form", () => {
    const asked = {
      webhook: { header: { name: 'X-Key', value: 'a' } },
      speech_models: ['universal'],
      entity_detection: false,
      speech_understanding: { request: { custom_formatting: { date: 'mm/dd/yyyy' } } },
    };
    const path = fileOfVersion(
      250,
      `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1);
      ${insertTranscript('tr_1', { options: JSON.stringify({ topics: true, assemblyai: asked }) })}
      ${insertTranscript('tr_2', { options: JSON.stringify({ assemblyai: { entity_detection: true } }), queue_order: 2 })}
      ${insertTranscript('tr_3', { options: 'no JSON', queue_order: 3 })}`,
    );
    const db = openDatabase(path, { logger: silentLogger, now: Date.now });
    const { webhook, speech_understanding, ...settings } = asked;
    expect(findTranscript(db, 'tr_1')?.options).toMatchObject({
      topics: true,
      foreign: { webhook, settings, texts: { speech_understanding } },
    });
    expect(findTranscript(db, 'tr_2')?.options.foreign).toEqual({
      settings: { entity_detection: true },
      texts: {},
    });
  });

  it('loses what control characters and reversed text hide in names, unless another one has the name', () => {
    const path = fileOfVersion(
      240,
      `INSERT INTO users (id, name, owner, created_at) VALUES ('usr_1', 'Ann', 1, 1), ('usr_2', 'An\u202en', 0, 1),
        ('usr_3', 'Bo\u202eb', 0, 1);
      ${insertTranscript('tr_1', { name: 'talk\u202egpj.\u001b]0;title\u0007\n2', file_name: 'a\u0001b.mp3' })}
      ${insertTranscript('tr_2', { name: 'Größe 👍🏽 – 山田', queue_order: 2 })}
      ${insertTranscript('tr_3', { name: '\u202e', queue_order: 3 })}`,
    );
    const db = openDatabase(path, { logger: silentLogger, now: Date.now });
    expect(findTranscript(db, 'tr_1')).toMatchObject({ name: 'talkgpj.]0;title 2', fileName: 'ab.mp3' });
    expect(findTranscript(db, 'tr_2')?.name).toBe('Größe 👍🏽 – 山田');
    expect(findTranscript(db, 'tr_3')?.name).toBe('\u202e');
    db.close();
    const users = new BetterSqlite3(path).prepare('SELECT name FROM users ORDER BY id').pluck().all();
    expect(users).toEqual(['Ann', 'An\u202en', 'Bob']);
  });
});

describe('the migrations', () => {
  it('are numbered upwards', () => {
    const versions = MIGRATIONS.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
  });
});
