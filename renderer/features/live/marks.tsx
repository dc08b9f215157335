import { Bookmark, X } from 'lucide-react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';

/** The moments that somebody marked, each with a note. */
export const Marks = () => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const marks = useStore(liveSession.store, (each) => each.marks);
  const isUnsaved = useStore(liveSession.store, (each) => each.hasUnsavedMarks);
  return (
    <section
      aria-label={t('marks.title')}
      className="flex max-h-[30vh] w-full shrink-0 flex-col gap-2 overflow-y-auto pb-4 lg:max-h-none lg:w-72 lg:border-s lg:border-line lg:ps-5"
    >
      <Button className="self-start" onClick={liveSession.mark}>
        <Bookmark size={14} aria-hidden />
        {t('marks.add')}
        <Kbd>M</Kbd>
      </Button>
      <ul className="flex flex-col gap-1.5">
        {marks.map(({ at, text }, index) => (
          // Marks are only added at the end, or left out as a whole.
          <li key={at} className="flex items-center gap-2">
            <span className="tnum w-12 shrink-0 text-xs text-ink-3">{formatClock(at)}</span>
            <TextInput
              aria-label={t('marks.note', { time: formatClock(at) })}
              placeholder={t('marks.placeholder')}
              maxLength={2000}
              value={text}
              onChange={({ target }) => liveSession.note(index, target.value)}
              className="min-w-0 flex-1"
            />
            <IconButton
              label={t('marks.remove', { time: formatClock(at) })}
              onClick={() => liveSession.unmark(index)}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {isUnsaved && (
        <p role="status" className="text-xs text-warn">
          {t('marks.unsaved')}
        </p>
      )}
    </section>
  );
};
