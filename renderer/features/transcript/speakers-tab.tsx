import { Merge } from 'lucide-react';
import type { Speaker, Transcription } from '../../../electron/contract/transcript.ts';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock, formatPercent } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useReader } from './reader.tsx';
import { NotRequested, SideHeading } from './side-panel-parts.tsx';
import { SpeakerName, useSpeakerColors, useSpeakerNames } from './speaker-name.tsx';
import { useHistory } from './use-history.ts';
import { askToDiarizeFromHere } from './use-reader-shortcuts.ts';

/** Suggests the name of a similar remembered voice; only the user applies it. */
const SuggestedName = ({ speaker, name }: { speaker: string; name: string }) => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const use = () =>
    editor
      .changeSpeaker(speaker, { name })
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

/** What can be done with a speaker beside naming: merging. */
const SpeakerMenu = ({ speaker }: { speaker: string }) => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const history = useHistory();
  const names = useSpeakerNames();
  const own = names.find(([label]) => label === speaker)?.[1] ?? speaker;
  const others = names.filter(([label]) => label !== speaker);
  const merge = (into: string, name: string) =>
    editor.mergeSpeakers(speaker, into).then(
      (change) => history.offerUndo(t('speaker.merged', { name: own, into: name }), change),
      (error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }),
    );
  if (others.length === 0) return null;
  return (
    <Menu
      trigger={
        <IconButton label={t('speaker.merge')}>
          <Merge size={14} aria-hidden />
        </IconButton>
      }
    >
      {others.map(([label, name]) => (
        <MenuItem key={label} onSelect={() => void merge(label, name)}>
          {t('speaker.mergeInto', { name })}
        </MenuItem>
      ))}
    </Menu>
  );
};

type RowProps = { speaker: string; found: Speaker; isEditable: boolean };

/** A speaker with a bar of the share of the talk time. */
const SpeakerRow = ({ speaker, found, isEditable }: RowProps) => {
  const { locale } = useI18n();
  const colorOf = useSpeakerColors();
  const color = colorOf(speaker);
  return (
    <li className="mb-2">
      <div className="flex items-center gap-2 leading-7">
        <i aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: color }} />
        <SpeakerName speaker={speaker} />
        <span className="tnum ms-auto whitespace-nowrap text-ink-2">
          {formatClock(found.talk_seconds)} · {formatPercent(found.share, locale)}
        </span>
        {isEditable && <SpeakerMenu speaker={speaker} />}
      </div>
      <div aria-hidden className="ms-4 h-1.5 rounded-[2px] bg-sunken" data-talk={speaker}>
        <div className="h-full rounded-[2px]" style={{ background: color, width: `${found.share * 100}%` }} />
      </div>
      {found.suggested_name !== undefined && <SuggestedName speaker={speaker} name={found.suggested_name} />}
    </li>
  );
};

/** The speakers and their talk time. */
export const SpeakersTab = ({ transcript }: { transcript: Transcription }) => {
  const reader = useReader();
  const { editor } = reader;
  const { toasts } = useServices();
  const { t } = useI18n();
  const speakers = Object.entries(transcript.speakers ?? {});
  const isEditable = transcript.status === 'completed';
  const add = () =>
    editor.addSpeaker().catch((error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }));
  return (
    <>
      {transcript.speakers === undefined ? (
        <NotRequested>{t('side.speakers.none')}</NotRequested>
      ) : (
        <>
          <SideHeading>{t('side.share')}</SideHeading>
          <ul>
            {speakers.map(([id, found]) => (
              <SpeakerRow key={id} speaker={id} found={found} isEditable={isEditable} />
            ))}
          </ul>
        </>
      )}
      {isEditable && (
        <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
          <Button variant="link" className="text-xs" onClick={() => void add()}>
            {t('speaker.add')}
          </Button>
          {transcript.channels === undefined && (
            <Button variant="link" className="text-xs" onClick={() => askToDiarizeFromHere(reader)}>
              {t('diarize.open')}
            </Button>
          )}
        </div>
      )}
      {speakers.length > 0 && <p className="mt-3 text-xs text-ink-2">{t('side.speakers.hint')}</p>}
    </>
  );
};
