import { useState } from 'react';
import type { RedactSource } from '../../electron/contract/analysis.ts';
import { describeError } from '../api/errors.ts';

import { useI18n, usePrefs } from '../hooks/services.tsx';
import type { TranscriptionOptions } from '../stores/prefs.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Callout } from '../ui/feedback.tsx';
import { type AnalysisFlag, AnalysisSwitches, SpeakerCount } from './analysis-switches.tsx';
import { toAnalyses } from './transcript-request.ts';

/** Redaction is irreversible, so no remembered choice is switched on. */
const NO_ANALYSES: Readonly<Record<AnalysisFlag, boolean>> = {
  diarize: false,
  summary: false,
  entities: false,
  topics: false,
  safety: false,
  redact: false,
};

type Props = {
  title: string;
  text: string;
  /** The analyses that the transcript has already; requesting one again replaces it. */
  existing?: ReadonlySet<AnalysisFlag>;
  /** Whether each channel is a speaker already. */
  hasChannels?: boolean;
  /** Language of the recording; null if unknown, or if several differ. */
  language: string | null;
  onAnalyze: (asked: ReturnType<typeof toAnalyses>) => Promise<void>;
  onClose: () => void;
};

/** Requests analyses of finished transcripts, without a new recognition. */
const AnalyzeDialog = ({ title, text, existing, hasChannels, language, onAnalyze, onClose }: Props) => {
  const { t } = useI18n();
  const remembered = usePrefs((state) => state.options);
  const [options, setOptions] = useState<TranscriptionOptions>({ ...remembered, ...NO_ANALYSES });
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const [original, setOriginal] = useState<RedactSource>('keep');
  const request = toAnalyses(options, language, original);
  const change = (part: Partial<TranscriptionOptions>) => setOptions({ ...options, ...part });
  const submit = async () => {
    setIsSending(true);
    setError(undefined);
    try {
      await onAnalyze(request);
      onClose();
    } catch (reason) {
      setError(reason);
      setIsSending(false);
    }
  };
  return (
    <Dialog
      title={title}
      description={text}
      closeLabel={t('common.close')}
      onClose={onClose}
      footer={
        <>
          <span className="flex-1" />
          <Button variant="ghost" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            variant="primary"
            disabled={isSending || Object.keys(request).length === 0}
            onClick={() => void submit()}
          >
            {t('analyze.start')}
          </Button>
        </>
      }
    >
      <AnalysisSwitches
        options={options}
        onChange={change}
        existing={existing}
        hasChannels={hasChannels}
        original={{ value: original, onChange: setOriginal }}
      />
      {options.diarize && (
        <div className="mt-4 max-w-[300px]">
          <SpeakerCount options={options} onChange={change} />
        </div>
      )}
      {options.redact && (
        <div className="mt-4" role="status">
          <Callout tone="warn">{t('analyze.redactionWarning')}</Callout>
        </div>
      )}
      {error !== undefined && (
        <div className="mt-4" role="alert">
          <Callout tone="bad">{describeError(error, t)}</Callout>
        </div>
      )}
    </Dialog>
  );
};
export default AnalyzeDialog;
