import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Voice } from '../../../electron/contract/voices.ts';
import { describeError } from '../../api/errors.ts';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatDateTime } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';

/** Whether a voice is of another speaker model than the one in use, and not yet learned by that. */
const isToLearnAgain = ({ comparable, name }: Voice, voices: readonly Voice[]): boolean =>
  !comparable && !voices.some((other) => other.comparable && other.name === name);

/** Lists and forgets remembered voices. */
export const VoicesSection = () => {
  const { client, toasts } = useServices();
  const { t, locale } = useI18n();
  const [confirming, setConfirming] = useState<Voice | 'all'>();
  const answer = useApi('listVoices');
  const voices = answer.data?.data;
  const forget = async (which: Voice | 'all') => {
    setConfirming(undefined);
    try {
      if (which === 'all') await client.call('forgetAllVoices');
      else await client.call('forgetVoice', { params: { id: which.id } });
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
    void answer.refetch();
  };
  return (
    <Section
      title={t('voices.title')}
      text={t('voices.text')}
      action={
        <Button variant="ghost" onClick={() => setConfirming('all')}>
          {t('voices.forgetAll')}
        </Button>
      }
    >
      {answer.isError && (
        <p role="alert" className="text-bad">
          {describeError(answer.error, t)}
        </p>
      )}
      {voices?.length === 0 && <p className="text-ink-2">{t('voices.none')}</p>}
      {voices !== undefined && (
        <ul>
          {voices.map((voice) => (
            <li key={voice.id} className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{voice.name}</p>
                <p className="tnum text-xs text-ink-2">
                  {t('voices.recordings', { count: voice.recordings })} ·{' '}
                  {formatDateTime(voice.updated_at, locale)}
                </p>
                {isToLearnAgain(voice, voices) && (
                  <p className="text-xs text-ink-2">{t('voices.otherModel', { model: voice.model })}</p>
                )}
              </div>
              <IconButton
                label={t('voices.forget', { name: voice.name })}
                onClick={() => setConfirming(voice)}
              >
                <Trash2 size={15} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {confirming !== undefined && (
        <ConfirmDialog
          title={
            confirming === 'all'
              ? t('voices.forgetAll.title')
              : t('voices.forget.title', { name: confirming.name })
          }
          text={t('voices.forget.text')}
          confirmLabel={t('voices.forget.confirm')}
          cancelLabel={t('common.cancel')}
          onConfirm={() => void forget(confirming)}
          onCancel={() => setConfirming(undefined)}
        />
      )}
    </Section>
  );
};
