import { Pencil } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { cx } from '../../lib/classes.ts';
import { clock } from '../../lib/format.ts';
import { speakerColour, speakerIndex } from '../../lib/speakers.ts';
import { EditBlock } from './edit-block.tsx';
import type { Block, Doc } from './model/document.ts';
import { DOUBTFUL } from './model/doubt.ts';
import { useEdit, useReader } from './reader.tsx';
import { SpeakerName } from './speaker-name.tsx';

/** One paragraph: who, when, and the words. */
export const BlockView = memo(({ doc, index }: { doc: Doc; index: number }) => {
  const { view, player } = useReader();
  const { t } = useI18n();
  const edit = useEdit();
  const editing = useStore(view, (state) => state.editing === index);
  const block = doc.blocks[index];
  if (block === undefined) return null;
  const goesOn = doc.blocks[index + 1]?.heads === false;
  return (
    <section
      className={cx('turn group', goesOn && 'goes-on')}
      style={block.speaker === null ? undefined : { '--c': speakerColour(speakerIndex(block.speaker)) }}
    >
      <header className="mb-[3px] flex h-5 items-center gap-2.5">
        {block.heads && block.speaker !== null && <SpeakerName speaker={block.speaker} />}
        <button
          type="button"
          aria-label={t('transcript.playFrom', { time: clock(block.start, true) })}
          className="tnum rounded-[3px] font-mono text-2xs text-ink-3 hover:text-accent-text hover:underline"
          onClick={(event) => {
            event.stopPropagation();
            player.seek(block.start);
            player.play();
          }}
        >
          {clock(block.start, true)}
        </button>
        {!editing && (
          <button
            type="button"
            aria-label={t('edit.paragraph', { time: clock(block.start) })}
            className="grid size-5 place-items-center rounded-[4px] text-ink-3 opacity-0 group-hover:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100"
            onClick={() => edit(index)}
          >
            <Pencil size={12} aria-hidden />
          </button>
        )}
      </header>
      {editing ? <EditBlock doc={doc} block={block} /> : <Words doc={doc} block={block} />}
    </section>
  );
});
BlockView.displayName = 'BlockView';

const Words = ({ doc, block }: { doc: Doc; block: Block }) => {
  const { view, transcripts } = useReader();
  const unmarked = useStore(view, (state) => state.unmarked);
  const accepted = useStore(view, (state) => state.accepted);
  const entities = useStore(transcripts.store, (state) => state.transcript?.entities);
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
        className={word.confidence < DOUBTFUL && !accepted.has(word.start) ? 'w low' : 'w'}
      >
        {word.text}
      </span>,
    );
  }
  flush(block.endWord);
  return <p>{out}</p>;
};
