import { useI18n } from '../../app/services.tsx';
import { Blank } from '../../ui/bits.tsx';

/** An empty library. */
export const FirstSteps = () => {
  const { t } = useI18n();
  return <Blank title={t('library.empty')} text={t('library.empty.text')} />;
};
