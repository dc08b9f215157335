import { useState } from 'react';
import { useI18n, usePrefs } from '../../app/services.tsx';
import type { Options } from '../../stores/prefs.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { AnalysisSwitches } from '../create/analysis-switches.tsx';
import { analysesOf } from '../create/request.ts';
import { useLibraryActions } from './use-library-actions.ts';

/** Reads finished transcripts through once more, for what was not asked of them before. */
const ReanalyseDialog = ({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) => {
  const { t } = useI18n();
  const remembered = usePrefs((prefs) => prefs.options);
  const actions = useLibraryActions();
  // Redaction is for good, so it is never on by a choice of another day.
  const [options, setOptions] = useState<Options>({ ...remembered, redact: false });
  const analyses = analysesOf(options, null);
  return (
    <Dialog
      title={t('reanalyse.title', { count: ids.length })}
      description={t('reanalyse.text')}
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
            disabled={Object.keys(analyses).length === 0}
            onClick={() => {
              onClose();
              void actions.analyzeAll(ids, analyses);
            }}
          >
            {t('reanalyse.start')}
          </Button>
        </>
      }
    >
      <AnalysisSwitches options={options} onChange={(part) => setOptions({ ...options, ...part })} />
      {options.redact && (
        <div role="status" className="mt-4">
          <Note tone="warn">{t('reanalyse.redact')}</Note>
        </div>
      )}
    </Dialog>
  );
};
export default ReanalyseDialog;
