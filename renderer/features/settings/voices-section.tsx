import { Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { Voice } from '../../../electron/contract/voices.ts';
import { Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { dateTime } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';

/** The voices that this user asked to be remembered, and the way to have them forgotten. */
export const VoicesSection = () => {
  const { client, toasts } = useServices();
  const { t, locale } = useI18n();
  const [asking, setAsking] = useState<Voice | 'all'>();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('listVoices', { signal })).data,
    [client],
  );
  const { loaded, again } = useLoaded<Voice[]>(load);
  const forget = async (which: Voice | 'all') => {
    setAsking(undefined);
    try {
      if (which === 'all') await client.call('forgetAllVoices');
      else await client.call('forgetVoice', { params: { id: which.id } });
    } catch (error) {
      toasts.show(errorText(error, t), { tone: 'bad' });
    }
    again();
  };
  return (
    <Section
      title={t('voices.title')}
      text={t('voices.text')}
      action={
        <Button look="ghost" onClick={() => setAsking('all')}>
          {t('voices.forgetAll')}
        </Button>
      }
    >
      {loaded.state === 'failed' && (
        <p role="alert" className="text-bad">
          {errorText(loaded.error, t)}
        </p>
      )}
      {loaded.state === 'ready' && loaded.value.length === 0 && (
        <p className="text-ink-2">{t('voices.none')}</p>
      )}
      {loaded.state === 'ready' && (
        <ul>
          {loaded.value.map((voice) => (
            <li key={voice.id} className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{voice.name}</p>
                <p className="tnum text-xs text-ink-2">
                  {t('voices.recordings', { count: voice.recordings })} · {dateTime(voice.updated_at, locale)}
                </p>
              </div>
              <IconButton label={t('voices.forget', { name: voice.name })} onClick={() => setAsking(voice)}>
                <Trash2 size={15} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {asking !== undefined && (
        <Confirm
          title={
            asking === 'all' ? t('voices.forgetAll.title') : t('voices.forget.title', { name: asking.name })
          }
          text={t('voices.forget.text')}
          confirm={t('voices.forget.confirm')}
          cancel={t('common.cancel')}
          onConfirm={() => void forget(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Section>
  );
};
