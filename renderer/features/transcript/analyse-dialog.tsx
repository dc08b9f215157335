import { useStore } from 'zustand';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { AnalyseSheet } from '../create/analyse-sheet.tsx';
import type { Flag } from '../create/analysis-switches.tsx';
import { useReader } from './reader.tsx';

/** What was found already: asked for again, it is made anew. */
const madeIn = (transcript: Transcription): ReadonlySet<Flag> => {
  const { speakers, summary, entities, topics, content_safety: safety, redact_pii_sub: hidden } = transcript;
  const found = { diarize: speakers, summary, entities, topics, safety, redact: hidden };
  const flags: readonly Flag[] = ['diarize', 'summary', 'entities', 'topics', 'safety', 'redact'];
  return new Set(flags.filter((flag) => found[flag] !== undefined));
};

/** Finds more in a finished transcript, without hearing it again. */
export const AnalyseDialog = () => {
  const { transcripts, view } = useReader();
  const { library } = useServices();
  const { t } = useI18n();
  const transcript = useStore(transcripts.store, (state) => state.transcript);
  if (transcript === undefined) return null;
  return (
    <AnalyseSheet
      title={t('analyse.title')}
      text={t('analyse.text')}
      made={madeIn(transcript)}
      language={transcript.language}
      onAnalyse={async (asked) => {
        await transcripts.analyze(asked);
        library.refresh();
      }}
      onClose={() => view.setState({ analysing: false })}
    />
  );
};
