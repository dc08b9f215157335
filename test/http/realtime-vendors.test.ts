import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { AssemblyAI, type StreamingTranscriberParams, type TurnEvent } from 'assemblyai';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatSamples } from '../../electron/core/base/audio.ts';
import { Resampler } from '../../electron/core/base/resample.ts';
import { SPEECH_FIXTURES } from '../support/paths.ts';
import { filePcm } from '../support/pcm.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';

const SAID =
  'The invention of movable metal letters in the middle of the fifteenth century may justly be considered as the invention of the art of printing.';
const errorRate = (text: string): number => wordErrorRate(SAID, text.replace('15th', 'fifteenth'));

let server: TestServer;
let printing: Float32Array;
const silence = (seconds: number) => new Float32Array(16_000 * seconds);

const pcm16 = (pcm: Float32Array): Buffer =>
  Buffer.from(Int16Array.from(pcm, (sample) => Math.round(sample * 0x7fff)).buffer);

/** Both clients speak to `wss://` alone: a server with a certificate stands before ours. */
let tls: Server;
let base: string;
const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

beforeAll(async () => {
  printing = filePcm(`${SPEECH_FIXTURES}/en-printing.flac`);
  server = await startServer({ args: [] });
  const folder = temporaryFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [
    ...['req', '-x509', ...made, '-keyout', key, '-out', certificate, '-subj', '/CN=127.0.0.1'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1'],
  ]);
  tls = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => each.destroy());
  });
  await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done));
  const address = tls.address();
  base = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
});

afterAll(async () => {
  if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  tls.close();
  await discard(server);
});

describe('OpenAI’s client', () => {
  type EventOf<T extends RealtimeServerEvent['type']> = Extract<RealtimeServerEvent, { type: T }>;

  const opened = async () => {
    const client = new OpenAI({ baseURL: `https://${base}/v1`, apiKey: server.key });
    const socket = new OpenAIRealtimeWS({ intent: 'transcription' }, client);
    const events: RealtimeServerEvent[] = [];
    socket.on('event', (event) => events.push(event));
    socket.on('error', () => {});
    const of = <T extends RealtimeServerEvent['type']>(type: T): EventOf<T>[] =>
      events.filter((event): event is EventOf<T> => event.type === type);
    const next = <T extends RealtimeServerEvent['type']>(type: T) => until(() => of(type).at(-1));
    await next('session.created');
    return { socket, events, of, next };
  };

  /** At OpenAI's rate. */
  const append = (socket: OpenAIRealtimeWS, pcm: Float32Array): void => {
    const bytes = pcm16(new Resampler(16_000, 24_000).push(pcm));
    for (let at = 0; at < bytes.length; at += 4800) {
      socket.send({
        type: 'input_audio_buffer.append',
        audio: bytes.subarray(at, at + 4800).toString('base64'),
      });
    }
  };

  it('gets deltas and completed items of each turn, as server_vad finds it', async () => {
    const { socket, events, of, next } = await opened();
    socket.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            transcription: {
              model: 'gpt-4o-mini-transcribe',
              language: 'en',
              prompt: 'metal letters, printing',
            },
            turn_detection: { type: 'server_vad', silence_duration_ms: 900, threshold: 0.5 },
          },
        },
      },
    });
    await next('session.updated');
    append(socket, concatSamples([silence(1), printing, silence(2)]));
    await next('conversation.item.input_audio_transcription.completed');
    const completed = await until(() => {
      const all = of('conversation.item.input_audio_transcription.completed');
      return errorRate(all.map(({ transcript }) => transcript).join(' ')) <= 0.2 ? all : undefined;
    });
    for (const { item_id, transcript } of completed) {
      const types = events.flatMap((event) =>
        'item_id' in event && event.item_id === item_id ? [event.type] : [],
      );
      expect(types[0]).toBe('input_audio_buffer.speech_started');
      expect(types.slice(-3)).toEqual([
        'input_audio_buffer.speech_stopped',
        'input_audio_buffer.committed',
        'conversation.item.input_audio_transcription.completed',
      ]);
      const deltas = of('conversation.item.input_audio_transcription.delta').filter(
        (each) => each.item_id === item_id,
      );
      expect(deltas.map(({ delta }) => delta).join('')).toBe(transcript);
    }
    socket.close();
    const kept = await until(async () => {
      const { data } = await server.client.call('listTranscripts', { query: {} });
      const [latest] = data.transcriptions;
      return latest?.status === 'completed' ? latest : undefined;
    });
    expect(kept.name).toMatch(/^Live /);
  });

  it('ends turns itself with turn_detection null, and learns its errors without losing the connection', async () => {
    const { socket, of, next } = await opened();
    socket.send({ type: 'input_audio_buffer.commit' });
    expect((await next('error')).error.message).toMatch(/append audio/);
    socket.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: { input: { transcription: { model: 'no-such-model' }, turn_detection: null } },
      },
    });
    await next('session.updated');
    append(socket, printing.subarray(0, 16_000));
    await until(() => of('error').some(({ error }) => /no model/.test(error.message)));
    socket.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: { input: { transcription: { model: 'whisper-1', language: 'en' }, turn_detection: null } },
      },
    });
    append(socket, concatSamples([printing, silence(2)]));
    socket.send({ type: 'input_audio_buffer.commit' });
    const { transcript } = await next('conversation.item.input_audio_transcription.completed');
    expect(errorRate(transcript)).toBeLessThanOrEqual(0.2);
    expect(of('input_audio_buffer.committed')).toHaveLength(1);
    expect(of('input_audio_buffer.speech_started')).toEqual([]);
    socket.close();
  });
});

describe('AssemblyAI’s client', () => {
  const client = (apiKey = server.key) => new AssemblyAI({ apiKey, streamingBaseUrl: server.url });

  const opened = async (params: Partial<StreamingTranscriberParams> = {}) => {
    const transcriber = client().streaming.transcriber({
      websocketBaseUrl: `wss://${base}/v3/ws`,
      sampleRate: 16_000,
      connectTimeout: 20_000,
      ...params,
    });
    const turns: TurnEvent[] = [];
    transcriber.on('turn', (turn) => turns.push(turn));
    return { transcriber, turns, begin: await transcriber.connect() };
  };

  const speak = (transcriber: { sendAudio(audio: ArrayBufferLike): void }, pcm: Float32Array): void => {
    for (let at = 0; at < pcm.length; at += 1600) {
      const { buffer, byteOffset, byteLength } = pcm16(pcm.subarray(at, at + 1600));
      transcriber.sendAudio(buffer.slice(byteOffset, byteOffset + byteLength));
    }
  };

  it('gets growing turns, ends them, formats them, and is told the end', async () => {
    const { transcriber, turns, begin } = await opened({
      formatTurns: true,
      languageCodes: ['en'],
      keytermsPrompt: ['metal letters'],
      maxTurnSilence: 900,
    });
    expect(begin.id).toMatch(/^tr_/);
    speak(transcriber, concatSamples([printing, silence(2)]));
    await until(() => turns.some((turn) => turn.end_of_turn && turn.turn_is_formatted));
    transcriber.updateConfiguration({ keyterms_prompt: ['printing'], max_turn_silence: 500 });
    speak(transcriber, printing.subarray(0, 4 * 16_000));
    transcriber.forceEndpoint();
    await until(() => turns.filter((turn) => turn.turn_is_formatted).length >= 2);
    await transcriber.close();

    const formatted = turns.filter(({ turn_is_formatted }) => turn_is_formatted);
    expect(
      wordErrorRate(SAID, formatted[0]?.transcript.replace('15th', 'fifteenth') ?? ''),
    ).toBeLessThanOrEqual(0.2);
    expect(formatted[0]?.transcript).toMatch(/^The .*\.$/);
    const ends = turns.filter((turn) => turn.end_of_turn && !turn.turn_is_formatted);
    expect(ends[0]?.transcript).toMatch(/^[a-z0-9 ]+$/);
    // What is final in a turn stays as it is.
    for (const order of new Set(turns.map(({ turn_order }) => turn_order))) {
      const own = turns.filter((turn) => turn.turn_order === order && !turn.turn_is_formatted);
      for (const [index, turn] of own.entries()) {
        expect(turn.transcript.startsWith(own[index - 1]?.transcript ?? '')).toBe(true);
      }
    }
  });

  it('connects with a temporary token, and learns why it may not', async () => {
    const token = await client().streaming.createTemporaryToken({ expires_in_seconds: 60 });
    const { transcriber } = await opened({ token });
    await transcriber.close();
    const wrong = client('wrong').streaming.transcriber({
      websocketBaseUrl: `wss://${base}/v3/ws`,
      sampleRate: 16_000,
      connectTimeout: 20_000,
    });
    await expect(wrong.connect()).rejects.toMatchObject({ code: 4001, retryable: false });
    await expect(opened({ redactPii: true, maxConnectionRetries: 0 })).rejects.toThrow(/redact_pii/);
  });
});
