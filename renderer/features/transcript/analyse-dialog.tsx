import { useState } from 'react';
import { useStore } from 'zustand';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n, usePrefs, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import type { Options } from '../../stores/prefs.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { AnalysisSwitches, type Flag } from '../create/analysis-switches.tsx';
import { SpeakerCount } from '../create/language-fields.tsx';
import { analysesOf } from '../create/request.ts';
import { useReader } from './reader.tsx';

const NONE: Readonly<Record<Flag, boolean>> = {
  diarize: false,
  summary: false,
  entities: false,
  topics: false,
  safety: false,
  redact: false,
};

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
  const remembered = usePrefs((state) => state.options);
  const transcript = useStore(transcripts.store, (state) => state.transcript);
  const [options, setOptions] = useState<Options>({ ...remembered, ...NONE });
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  if (transcript === undefined) return null;

  const asked = analysesOf(options, transcript.language);
  const change = (part: Partial<Options>) => setOptions({ ...options, ...part });
  const close = () => view.setState({ analysing: false });
  const submit = async () => {
    setSending(true);
    setError(undefined);
    try {
      await transcripts.analyze(asked);
      library.refresh();
      close();
    } catch (reason) {
      setError(reason);
      setSending(false);
    }
  };
  return (
    <Dialog
      title={t('analyse.title')}
      description={t('analyse.text')}
      closeLabel={t('common.close')}
      onClose={close}
      footer={
        <>
          <span className="flex-1" />
          <Button look="ghost" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            look="primary"
            disabled={sending || Object.keys(asked).length === 0}
            onClick={() => void submit()}
          >
            {t('analyse.start')}
          </Button>
        </>
      }
    >
      <AnalysisSwitches options={options} onChange={change} made={madeIn(transcript)} />
      {options.diarize && (
        <div className="mt-4 max-w-[300px]">
          <SpeakerCount options={options} onChange={change} />
        </div>
      )}
      {options.redact && (
        <div className="mt-4">
          <Note tone="warn">{t('analyse.redact')}</Note>
        </div>
      )}
      {error !== undefined && (
        <div className="mt-4" role="alert">
          <Note tone="bad">{errorText(error, t)}</Note>
        </div>
      )}
    </Dialog>
  );
};
