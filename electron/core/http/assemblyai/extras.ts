import { type AaiCreate, AaiExtras } from '../../../contract/assemblyai-create.ts';
import type { AnalysisOptions, ForeignRequest } from '../../../contract/transcript.ts';

/** What is stored beside our own options. */
export const foreignRequestOf = (body: AaiCreate): ForeignRequest => {
  const { webhook_auth_header_name: name, webhook_auth_header_value: value } = body;
  const { speech_understanding, ...settings } = AaiExtras.parse({
    ...(body.speech_models?.length ? { speech_models: body.speech_models } : {}),
    ...(body.speech_understanding == null ? {} : { speech_understanding: body.speech_understanding }),
    entity_detection: body.entity_detection === true,
    ...(body.content_safety_confidence == null
      ? {}
      : { content_safety_confidence: body.content_safety_confidence }),
  });
  return {
    ...(body.webhook_url == null
      ? {}
      : { webhook: name == null || value == null ? {} : { header: { name, value } } }),
    settings,
    texts: speech_understanding === undefined ? {} : { speech_understanding },
  };
};

/** What {@link foreignRequestOf} stored; undefined for a request in another form. */
export const extrasIn = ({ foreign }: AnalysisOptions): AaiExtras | undefined =>
  foreign && AaiExtras.parse({ ...foreign.settings, ...foreign.texts });
