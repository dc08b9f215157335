import { Pencil, UserRound } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock, formatLanguage } from '../../lib/format.ts';
import type { Doc, Paragraph } from './model/document.ts';
import { isUncertain } from './model/low-confidence.ts';
import { ParagraphEditor } from './paragraph-editor.tsx';
import { askForSpeaker, useEditParagraph, useReader } from './reader.tsx';
import { SpeakerName, useSpeakerColors, useSpeakerName } from './speaker-name.tsx';

/** A paragraph with its speaker and time. */
export const ParagraphView = memo(({ doc, index }: { doc: Doc; index: number }) => {
  const reader = useReader();
  const { view, player, editor } = reader;
  const { t, locale } = useI18n();
  const mainLanguage = useStore(editor.store, (state) => state.transcript?.language ?? null);
  const colorOf = useSpeakerColors();
  const editParagraph = useEditParagraph();
  const isEditing = useStore(view, (state) => state.edited?.paragraph === index);
  const isActive = useStore(view, (state) => state.activeParagraph === index);
  const paragraph = doc.paragraphs[index];
  const speakerName = useSpeakerName(paragraph?.speaker ?? null);
  if (paragraph === undefined) return null;
  const isContinued = doc.paragraphs[index + 1]?.showsSpeaker === false;
  // The buttons of the active paragraph alone are Tab stops.
  const tabIndex = isActive ? 0 : -1;
  const time = formatClock(paragraph.start, true);
  return (
    <article
      aria-label={speakerName === '' ? time : `${speakerName}, ${time}`}
      aria-posinset={index + 1}
      aria-setsize={doc.paragraphs.length}
      tabIndex={tabIndex}
      className={cx('turn group', isContinued && 'goes-on')}
      style={paragraph.speaker === null ? undefined : { '--c': colorOf(paragraph.speaker) }}
    >
      <header className="mb-[3px] flex h-5 items-center gap-2.5">
        {paragraph.showsSpeaker && paragraph.speaker !== null && (
          <SpeakerName speaker={paragraph.speaker} tabIndex={tabIndex} />
        )}
        <button
          type="button"
          tabIndex={tabIndex}
          aria-label={t('transcript.playFrom', { time })}
          className="tnum rounded-[3px] font-mono text-2xs text-ink-3 hover:text-accent-text hover:underline"
          onClick={(event) => {
            event.stopPropagation();
            player.seek(paragraph.start);
            player.play();
          }}
        >
          {time}
        </button>
        {paragraph.language !== null && paragraph.language !== mainLanguage && (
          <span className="text-2xs text-ink-3">{formatLanguage(paragraph.language, locale)}</span>
        )}
        {!isEditing && (
          <button
            type="button"
            // No Tab stop of its own: S asks the same from anywhere in the paragraph.
            tabIndex={-1}
            aria-label={t('assign.paragraph', { time: formatClock(paragraph.start) })}
            className="grid size-5 place-items-center rounded-[4px] text-ink-3 opacity-0 group-hover:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100"
            onClick={(event) => {
              event.stopPropagation();
              askForSpeaker(reader, { first: paragraph.firstWord, last: paragraph.endWord - 1 });
            }}
          >
            <UserRound size={12} aria-hidden />
          </button>
        )}
        {!isEditing && (
          <button
            type="button"
            tabIndex={tabIndex}
            aria-label={t('edit.paragraph', { time: formatClock(paragraph.start) })}
            className="grid size-5 place-items-center rounded-[4px] text-ink-3 opacity-0 group-hover:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100"
            onClick={() => editParagraph(index)}
          >
            <Pencil size={12} aria-hidden />
          </button>
        )}
      </header>
      {isEditing ? (
        <ParagraphEditor doc={doc} index={index} paragraph={paragraph} />
      ) : (
        <Words doc={doc} block={paragraph} />
      )}
    </article>
  );
});
ParagraphView.displayName = 'BlockView';

const Words = ({ doc, block }: { doc: Doc; block: Paragraph }) => {
  const { view, editor } = useReader();
  const hiddenEntityTypes = useStore(view, (state) => state.hiddenEntityTypes);
  const acceptedWords = useStore(view, (state) => state.acceptedWords);
  const entities = useStore(editor.store, (state) => state.transcript?.entities);
  const out: ReactNode[] = [];
  let run: ReactNode[] = [];
  let runEntity = -1;
  const flush = (key: number) => {
    if (run.length === 0) return;
    if (runEntity === -1) out.push(...run);
    else
      out.push(
        <mark key={`m${key}`} className="ent">
          {run}
        </mark>,
      );
    run = [];
  };
  for (let index = block.firstWord; index < block.endWord; index++) {
    const word = doc.words[index];
    if (word === undefined) continue;
    const type = entities?.[word.entity]?.type;
    const entity = type === undefined || hiddenEntityTypes.has(type) ? -1 : word.entity;
    if (entity !== runEntity) {
      flush(index);
      if (run.length === 0 && out.length > 0) out.push(' ');
      runEntity = entity;
    } else if (run.length > 0) run.push(' ');
    const { language = block.language } = doc.segments[word.segment] ?? {};
    run.push(
      <span
        key={index}
        data-w={index}
        lang={language === block.language ? undefined : (language ?? '')}
        className={isUncertain(word, acceptedWords) ? 'w low' : 'w'}
      >
        {word.text}
      </span>,
    );
  }
  flush(block.endWord);
  return <p lang={block.language ?? undefined}>{out}</p>;
};
