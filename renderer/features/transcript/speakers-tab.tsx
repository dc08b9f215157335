import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { describeError } from '../../lib/errors.ts';
import { formatClock, formatPercent } from '../../lib/format.ts';
import { speakerColor, speakerIndex } from '../../lib/speakers.ts';
import { Button } from '../../ui/button.tsx';
import { useReader } from './reader.tsx';
import { NotRequested, SideHeading } from './side-panel-parts.tsx';
import { SpeakerName } from './speaker-name.tsx';

/** Suggests the name of a similar remembered voice; only the user applies it. */
const SuggestedName = ({ speaker, name }: { speaker: string; name: string }) => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const use = () =>
    editor
      .renameSpeaker(speaker, name)
      .catch((error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }));
  return (
    <p className="mb-1 flex items-center gap-2 ps-4 text-xs text-ink-2">
      {t('speaker.suggested', { name })}
      <Button variant="link" className="text-xs" onClick={() => void use()}>
        {t('speaker.suggested.use', { name })}
      </Button>
    </p>
  );
};

/** The speakers and their talk time. */
export const SpeakersTab = ({ transcript }: { transcript: Transcription }) => {
  const { t, locale } = useI18n();
  const speakers = Object.entries(transcript.speakers ?? {});
  if (transcript.speakers === undefined) return <NotRequested>{t('side.speakers.none')}</NotRequested>;
  return (
    <>
      <SideHeading>{t('side.share')}</SideHeading>
      <div className="flex h-2 gap-0.5" aria-hidden>
        {speakers.map(([id, speaker]) => (
          <span
            key={id}
            className="rounded-[2px] opacity-85"
            style={{ background: speakerColor(speakerIndex(id)), flex: Math.max(speaker.share, 0.01) }}
          />
        ))}
      </div>
      <ul className="mt-3">
        {speakers.map(([id, speaker]) => (
          <li key={id}>
            <div className="flex items-center gap-2 leading-7">
              <i
                aria-hidden
                className="size-2 rounded-full"
                style={{ background: speakerColor(speakerIndex(id)) }}
              />
              <SpeakerName speaker={id} />
              <span className="tnum ms-auto text-ink-2">
                {formatClock(speaker.talk_seconds)} · {formatPercent(speaker.share, locale)}
              </span>
            </div>
            {speaker.suggested_name !== undefined && (
              <SuggestedName speaker={id} name={speaker.suggested_name} />
            )}
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-ink-2">{t('side.speakers.hint')}</p>
    </>
  );
};
