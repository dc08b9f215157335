import { Pencil } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock } from '../../lib/format.ts';
import { speakerColor, speakerIndex } from '../../lib/speakers.ts';
import type { Doc, Paragraph } from './model/document.ts';
import { LOW_CONFIDENCE } from './model/low-confidence.ts';
import { ParagraphEditor } from './paragraph-editor.tsx';
import { useEditParagraph, useReader } from './reader.tsx';
import { SpeakerName } from './speaker-name.tsx';

/** A paragraph with its speaker and time. */
export const ParagraphView = memo(({ doc, index }: { doc: Doc; index: number }) => {
  const { view, player } = useReader();
  const { t } = useI18n();
  const edit = useEditParagraph();
  const editing = useStore(view, (state) => state.editedParagraph === index);
  const block = doc.paragraphs[index];
  if (block === undefined) return null;
  const isContinued = doc.paragraphs[index + 1]?.showsSpeaker === false;
  return (
    <section
      className={cx('turn group', isContinued && 'goes-on')}
      style={block.speaker === null ? undefined : { '--c': speakerColor(speakerIndex(block.speaker)) }}
    >
      <header className="mb-[3px] flex h-5 items-center gap-2.5">
        {block.showsSpeaker && block.speaker !== null && <SpeakerName speaker={block.speaker} />}
        <button
          type="button"
          aria-label={t('transcript.playFrom', { time: formatClock(block.start, true) })}
          className="tnum rounded-[3px] font-mono text-2xs text-ink-3 hover:text-accent-text hover:underline"
          onClick={(event) => {
            event.stopPropagation();
            player.seek(block.start);
            player.play();
          }}
        >
          {formatClock(block.start, true)}
        </button>
        {!editing && (
          <button
            type="button"
            aria-label={t('edit.paragraph', { time: formatClock(block.start) })}
            className="grid size-5 place-items-center rounded-[4px] text-ink-3 opacity-0 group-hover:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100"
            onClick={() => edit(index)}
          >
            <Pencil size={12} aria-hidden />
          </button>
        )}
      </header>
      {editing ? <ParagraphEditor doc={doc} block={block} /> : <Words doc={doc} block={block} />}
    </section>
  );
});
ParagraphView.displayName = 'BlockView';

const Words = ({ doc, block }: { doc: Doc; block: Paragraph }) => {
  const { view, editor } = useReader();
  const unmarked = useStore(view, (state) => state.hiddenEntityTypes);
  const accepted = useStore(view, (state) => state.acceptedWords);
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
    const entity = type === undefined || unmarked.has(type) ? -1 : word.entity;
    if (entity !== runEntity) {
      flush(index);
      if (run.length === 0 && out.length > 0) out.push(' ');
      runEntity = entity;
    } else if (run.length > 0) run.push(' ');
    run.push(
      <span
        key={index}
        data-w={index}
        className={word.confidence < LOW_CONFIDENCE && !accepted.has(word.start) ? 'w low' : 'w'}
      >
        {word.text}
      </span>,
    );
  }
  flush(block.endWord);
  return <p>{out}</p>;
};
