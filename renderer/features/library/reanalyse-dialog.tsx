import { useI18n } from '../../app/services.tsx';
import { AnalyseSheet } from '../create/analyse-sheet.tsx';
import { useLibraryActions } from './use-library-actions.ts';

/** Finds more in several finished transcripts; what fails is told for each by itself. */
const ReanalyseDialog = ({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) => {
  const { t } = useI18n();
  const actions = useLibraryActions();
  return (
    <AnalyseSheet
      title={t('reanalyse.title', { count: ids.length })}
      text={t('reanalyse.text')}
      language={null}
      onAnalyse={(asked) => actions.analyzeAll(ids, asked)}
      onClose={onClose}
    />
  );
};
export default ReanalyseDialog;
