import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { hrefOf } from '../../stores/router.ts';
import { Callout } from '../../ui/feedback.tsx';
import { useReader } from './reader.tsx';

/** Says above a text of the demonstration model that it is not to be trusted; nothing above others. */
export const DemonstrationNotice = () => {
  const { editor } = useReader();
  const { t } = useI18n();
  const isDemonstration = useStore(editor.store, ({ transcript }) =>
    transcript?.warning_details.some(({ code }) => code === 'demonstration_model'),
  );
  if (isDemonstration !== true) return null;
  return (
    <div className="mt-2" role="note">
      <Callout tone="warn">
        {t('transcript.demo')}{' '}
        <a href={hrefOf({ screen: 'models' })} className="underline underline-offset-[3px]">
          {t('transcript.demo.models')}
        </a>
      </Callout>
    </div>
  );
};
