import { useState } from 'react';
import { useI18n, usePrefs } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import type { Options } from '../../stores/prefs.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { AnalysisSwitches, type Flag } from './analysis-switches.tsx';
import { SpeakerCount } from './language-fields.tsx';
import { analysesOf } from './request.ts';

/** Some of them cannot be taken back, so nothing is on by a choice of another day. */
const NONE: Readonly<Record<Flag, boolean>> = {
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
  /** What was found already: asked for again, it is made anew. */
  made?: ReadonlySet<Flag>;
  /** The language that is spoken; null where it differs or is not known. */
  language: string | null;
  onAnalyse: (asked: ReturnType<typeof analysesOf>) => Promise<void>;
  onClose: () => void;
};

/** Asks what more to find in what was recognised already, without hearing it again. */
export const AnalyseSheet = ({ title, text, made, language, onAnalyse, onClose }: Props) => {
  const { t } = useI18n();
  const remembered = usePrefs((state) => state.options);
  const [options, setOptions] = useState<Options>({ ...remembered, ...NONE });
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const asked = analysesOf(options, language);
  const change = (part: Partial<Options>) => setOptions({ ...options, ...part });
  const submit = async () => {
    setSending(true);
    setError(undefined);
    try {
      await onAnalyse(asked);
      onClose();
    } catch (reason) {
      setError(reason);
      setSending(false);
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
          <Button look="ghost" onClick={onClose}>
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
      <AnalysisSwitches options={options} onChange={change} {...(made === undefined ? {} : { made })} />
      {options.diarize && (
        <div className="mt-4 max-w-[300px]">
          <SpeakerCount options={options} onChange={change} />
        </div>
      )}
      {options.redact && (
        <div className="mt-4" role="status">
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
