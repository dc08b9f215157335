import { useStore } from 'zustand';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import type { AnalysisFlag } from '../../domain/analysis-switches.tsx';
import AnalyzeDialog from '../../domain/analyze-dialog.tsx';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { useReader } from './reader.tsx';

/** The analyses that the transcript has already; requesting one again replaces it. */
const existingAnalyses = (transcript: Transcription): ReadonlySet<AnalysisFlag> => {
  const {
    speakers,
    summary,
    entities,
    topics,
    content_safety: safety,
    redact_pii_sub: redaction,
  } = transcript;
  const results = { diarize: speakers, summary, entities, topics, safety, redact: redaction };
  const flags: readonly AnalysisFlag[] = ['diarize', 'summary', 'entities', 'topics', 'safety', 'redact'];
  return new Set(flags.filter((flag) => results[flag] !== undefined));
};

/** Requests analyses of the open transcript. */
export const AnalyzeTranscriptDialog = () => {
  const { editor, view } = useReader();
  const { library } = useServices();
  const { t } = useI18n();
  const transcript = useStore(editor.store, (state) => state.transcript);
  if (transcript === undefined) return null;
  return (
    <AnalyzeDialog
      title={t('analyze.title')}
      text={t('analyze.text')}
      existing={existingAnalyses(transcript)}
      hasChannels={transcript.channels !== undefined}
      language={transcript.language}
      onAnalyze={async (request) => {
        await editor.analyze(request);
        library.refresh();
      }}
      onClose={() => view.setState({ isAnalyzing: false })}
    />
  );
};
