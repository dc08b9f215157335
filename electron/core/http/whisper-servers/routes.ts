import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OpenAiTranscriptionForm, OpenAiVerbose } from '../../../contract/openai.ts';
import { routes } from '../../../contract/routes.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import { type AsrQuery, InferenceForm } from '../../../contract/whisper-servers.ts';
import { UNKNOWN_WAV_LENGTH, wavHeader } from '../../base/audio.ts';
import type { Caller } from '../../services/accounts.ts';
import type { StoredFile } from '../../services/files/service.ts';
import { addRoute, validate } from '../add-route.ts';
import type { Rendered } from '../long/rendering.ts';
import { sendRendered } from '../long/renderings.ts';
import { errorOfJob } from '../openai/errors.ts';
import { type FileField, readOpenAiForm } from '../openai/form.ts';
import type { Form } from '../openai/request.ts';
import { languageName } from '../openai/responses.ts';
import { type OpenAiDeps, transcribe, waitForEnd } from '../openai/transcribe.ts';
import { ok } from '../responses.ts';

/** What files begin with that some clients send as raw samples: WAV, Ogg, FLAC, and Matroska (EBML). */
const CONTAINERS = ['RIFF', 'OggS', 'fLaC', '\u001aE\u00df\u00a3'];

async function* withHeader(samples: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of samples) {
    if (isFirst && !CONTAINERS.includes(chunk.toString('latin1', 0, 4))) yield wavHeader(UNKNOWN_WAV_LENGTH);
    isFirst = false;
    yield chunk;
  }
}

/** Raw 16-bit PCM of one channel at 16 kHz as a WAV file; a file that has a header stays as it is. */
const wavOfRawPcm = (samples: Readable): Readable =>
  Readable.from(withHeader(samples), { objectMode: false });

type Call = { readonly caller: Caller; readonly request: FastifyRequest; readonly reply: FastifyReply };

/** Stores the recording of a form for as long as `use` takes. */
const withRecording = async <T>(
  deps: OpenAiDeps,
  { caller, request }: Call,
  field: FileField,
  use: (file: StoredFile, fields: Readonly<Record<string, unknown>>) => Promise<T>,
): Promise<T> => {
  const { file, fields } = await readOpenAiForm(request, deps, caller.user, field);
  return use(file, fields).finally(() => deps.files.remove(caller.user.id, file.key));
};

const asrField = (encode: boolean): FileField => ({
  name: routes.asr.fileField,
  ...(encode ? {} : { convert: wavOfRawPcm }),
});

const FORMATS = { txt: 'text', vtt: 'vtt', srt: 'srt', tsv: 'verbose_json', json: 'verbose_json' } as const;

/** As openai-whisper writes it: times in milliseconds. */
const asTsv = ({ body }: Rendered): Rendered => {
  const { segments = [] } = OpenAiVerbose.parse(JSON.parse(Buffer.from(body).toString()));
  const lines = segments.map(({ start, end, text }) =>
    [Math.round(start * 1000), Math.round(end * 1000), text.trim().replaceAll('\t', ' ')].join('\t'),
  );
  return {
    headers: { 'content-type': 'text/tab-separated-values; charset=utf-8' },
    body: `${['start\tend\ttext', ...lines].join('\n')}\n`,
  };
};

const answerAsr = async (deps: OpenAiDeps, call: Call, query: AsrQuery, file: StoredFile): Promise<void> => {
  const { task, output, initial_prompt: prompt, ...rest } = query;
  const form = OpenAiTranscriptionForm.parse({
    language: rest.language,
    word_timestamps: rest.word_timestamps,
    diarize: rest.diarize,
    min_speakers: rest.min_speakers,
    max_speakers: rest.max_speakers,
    prompt,
    response_format: FORMATS[output],
  });
  const request = { user: call.caller.user, reply: call.reply, form, task };
  const rendered = await transcribe(deps, request, { file, samples: [] });
  if (rendered !== undefined) await sendRendered(call.reply, output === 'tsv' ? asTsv(rendered) : rendered);
};

/** Seconds of a recording in which its language is looked for: as there, and then more, if no one speaks in these. */
const LISTENED_SECONDS = [30, 600];

const detectLanguage = async (deps: OpenAiDeps, { caller: { user }, reply }: Call, file: StoredFile) => {
  for (const audio_end_at of LISTENED_SECONDS) {
    const audio_url = `storage:${file.key}`;
    const body = CreateTranscript.parse({ audio_url, audio_end_at, word_times: 'fast' });
    const { id } = deps.transcripts.create(user, body, undefined);
    const { error, language, language_confidence } = await waitForEnd(deps, { user, reply }, id);
    await deps.transcripts.remove(user.id, id);
    if (error !== undefined) throw errorOfJob(error);
    if (language !== null) {
      return {
        detected_language: languageName(language),
        language_code: language,
        confidence: language_confidence ?? 0,
      };
    }
  }
  return { detected_language: 'english', language_code: 'en', confidence: 0 };
};

const addInferenceRoute = (server: FastifyInstance, deps: OpenAiDeps): void => {
  addRoute(server, routes.inference, async (call) =>
    withRecording(deps, call, { name: 'file' }, async (file, fields) => {
      const { detect_language, translate, ...form } = validate(InferenceForm, fields, 'form');
      const language = detect_language ? 'auto' : form.language;
      const asked: Form = OpenAiTranscriptionForm.parse({ ...form, language });
      const task = translate ? 'translate' : 'transcribe';
      const request = { user: call.caller.user, reply: call.reply, form: asked, task } as const;
      const rendered = await transcribe(deps, request, { file, samples: [] });
      if (rendered !== undefined) await sendRendered(call.reply, rendered);
      return undefined;
    }),
  );
};

/** The forms of whisper.cpp's server and of whisper-asr-webservice. */
export const addWhisperServerRoutes = async (server: FastifyInstance, deps: OpenAiDeps): Promise<void> => {
  addRoute(server, routes.serverHealth, () => ok({ status: 'ok' as const }));
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { throwFileSizeLimit: false });
    // The handler refuses other types, with a sentence.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    addInferenceRoute(scope, deps);
    addRoute(scope, routes.asr, async (call) =>
      withRecording(deps, call, asrField(call.query.encode), async (file) => {
        await answerAsr(deps, call, call.query, file);
        return undefined;
      }),
    );
    addRoute(scope, routes.detectLanguage, async (call) =>
      withRecording(deps, call, asrField(call.query.encode), async (file) =>
        ok(await detectLanguage(deps, call, file)),
      ),
    );
  });
};
