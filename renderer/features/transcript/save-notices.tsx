import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import type { Conflict } from './autosave.ts';
import { useReader } from './reader.tsx';

/** Shown when edits could not be saved. */
export const SaveErrorNotice = () => {
  const { editor } = useReader();
  const { t } = useI18n();
  const failed = useStore(editor.store, (state) => state.saving === 'failed');
  const error = useStore(editor.store, (state) => state.saveError);
  if (!failed) return null;
  return (
    <div role="alert" className="mt-2">
      <Callout
        tone="bad"
        action={
          <Button variant="link" onClick={() => void editor.save()}>
            {t('common.retry')}
          </Button>
        }
      >
        {t('edit.notSaved')} {describeError(error, t)} {t('edit.keptLocally')}
      </Callout>
    </div>
  );
};

/** Lets the user choose between the texts of each conflict. */
export const ConflictNotices = () => {
  const { editor } = useReader();
  const conflicts = useStore(editor.store, (state) => state.conflicts);
  return conflicts.map((conflict) => <ConflictNotice key={conflict.id} conflict={conflict} />);
};

const ConflictNotice = ({ conflict }: { conflict: Conflict }) => {
  const { editor } = useReader();
  const { t } = useI18n();
  const start = useStore(editor.store, (state) => state.doc?.segments[conflict.id]?.start ?? 0);
  return (
    <section role="alert" className="mt-2 rounded-box bg-warn-soft px-4 py-3">
      <p className="font-[550] text-warn">{t('conflict.title', { time: formatClock(start) })}</p>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-2">
        <ConflictVersion name={t('conflict.mine')} text={conflict.mine}>
          <Button onClick={() => editor.resolveConflict(conflict.id, true)}>{t('conflict.keepMine')}</Button>
        </ConflictVersion>
        <ConflictVersion name={t('conflict.theirs')} text={conflict.theirs}>
          <Button onClick={() => editor.resolveConflict(conflict.id, false)}>
            {t('conflict.keepTheirs')}
          </Button>
        </ConflictVersion>
      </dl>
    </section>
  );
};

const ConflictVersion = ({ name, text, children }: { name: string; text: string; children: ReactNode }) => (
  <>
    <dt className="text-xs text-ink-2">{name}</dt>
    <dd className="line-clamp-3 font-serif text-base text-ink">{text}</dd>
    <dd>{children}</dd>
  </>
);
