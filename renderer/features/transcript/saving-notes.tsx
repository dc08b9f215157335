import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { clock } from '../../lib/format.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { useReader } from './reader.tsx';
import type { Conflict } from './saving.ts';

/** Says that corrections could not be saved, why, and that they are safe. */
export const SaveFault = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const failed = useStore(transcripts.store, (state) => state.saving === 'failed');
  const error = useStore(transcripts.store, (state) => state.saveError);
  if (!failed) return null;
  return (
    <div role="alert" className="mt-2">
      <Note
        tone="bad"
        action={
          <Button look="link" onClick={() => void transcripts.save()}>
            {t('common.retry')}
          </Button>
        }
      >
        {t('edit.notSaved')} {errorText(error, t)} {t('edit.kept')}
      </Note>
    </div>
  );
};

/** Paragraphs that were corrected here and elsewhere at the same time: both are kept until a person chooses. */
export const ConflictNotes = () => {
  const { transcripts } = useReader();
  const conflicts = useStore(transcripts.store, (state) => state.conflicts);
  return conflicts.map((conflict) => <ConflictNote key={conflict.id} conflict={conflict} />);
};

const ConflictNote = ({ conflict }: { conflict: Conflict }) => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const start = useStore(transcripts.store, (state) => state.doc?.segments[conflict.id]?.start ?? 0);
  return (
    <section role="alert" className="mt-2 rounded-box bg-warn-soft px-4 py-3">
      <p className="font-[550] text-warn">{t('conflict.title', { time: clock(start) })}</p>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-2">
        <Version name={t('conflict.mine')} text={conflict.mine}>
          <Button onClick={() => transcripts.settleConflict(conflict.id, true)}>
            {t('conflict.keepMine')}
          </Button>
        </Version>
        <Version name={t('conflict.theirs')} text={conflict.theirs}>
          <Button onClick={() => transcripts.settleConflict(conflict.id, false)}>
            {t('conflict.keepTheirs')}
          </Button>
        </Version>
      </dl>
    </section>
  );
};

const Version = ({ name, text, children }: { name: string; text: string; children: ReactNode }) => (
  <>
    <dt className="text-xs text-ink-2">{name}</dt>
    <dd className="line-clamp-3 font-serif text-base text-ink">{text}</dd>
    <dd>{children}</dd>
  </>
);
