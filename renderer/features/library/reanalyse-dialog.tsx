import { useI18n } from '../../app/services.tsx';
import { AnalyzeDialog } from '../create/analyze-dialog.tsx';
import { useLibraryActions } from './use-library-actions.ts';

/** Finds more in several finished transcripts; what fails is told for each by itself. */
const ReanalyseDialog = ({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) => {
  const { t } = useI18n();
  const actions = useLibraryActions();
  return (
    <AnalyzeDialog
      title={t('reanalyse.title', { count: ids.length })}
      text={t('reanalyse.text')}
      language={null}
      onAnalyze={(asked) => actions.analyzeAll(ids, asked)}
      onClose={onClose}
    />
  );
};
export default ReanalyseDialog;
