import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { clock, percent } from '../../lib/format.ts';
import { speakerColour, speakerIndex } from '../../lib/speakers.ts';
import { Button } from '../../ui/button.tsx';
import { useReader } from './reader.tsx';
import { NotAsked, SideHeading } from './side-bits.tsx';
import { SpeakerName } from './speaker-name.tsx';

/** A remembered voice that sounds alike. Nothing applies it but the reader. */
const SuggestedName = ({ speaker, name }: { speaker: string; name: string }) => {
  const { transcripts } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const use = () =>
    transcripts
      .renameSpeaker(speaker, name)
      .catch((error: unknown) => toasts.show(errorText(error, t), { tone: 'bad' }));
  return (
    <p className="mb-1 flex items-center gap-2 ps-4 text-xs text-ink-2">
      {t('speaker.suggested', { name })}
      <Button look="link" className="text-xs" onClick={() => void use()}>
        {t('speaker.suggested.use', { name })}
      </Button>
    </p>
  );
};

/** Who spoke, and how much of the time. */
export const SpeakersTab = ({ transcript }: { transcript: Transcription }) => {
  const { t, locale } = useI18n();
  const speakers = Object.entries(transcript.speakers ?? {});
  if (transcript.speakers === undefined) return <NotAsked>{t('side.speakers.none')}</NotAsked>;
  return (
    <>
      <SideHeading>{t('side.share')}</SideHeading>
      <div className="flex h-2 gap-0.5" aria-hidden>
        {speakers.map(([id, speaker]) => (
          <span
            key={id}
            className="rounded-[2px] opacity-85"
            style={{ background: speakerColour(speakerIndex(id)), flex: Math.max(speaker.share, 0.01) }}
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
                style={{ background: speakerColour(speakerIndex(id)) }}
              />
              <SpeakerName speaker={id} />
              <span className="tnum ms-auto text-ink-2">
                {clock(speaker.talk_seconds)} · {percent(speaker.share, locale)}
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
