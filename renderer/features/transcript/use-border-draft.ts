import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { borderEdit, type Side, type Target } from './model/borders.ts';
import { useReader } from './reader.tsx';

/** A border that is being moved, until what is saved is shown. */
export type Draft = {
  readonly target: Target;
  readonly side: Side;
  readonly value: number;
  readonly isSaved?: boolean;
};

/** After the last key, so that a row of presses is one change. */
const SAVE_AFTER_MS = 700;

const roundMs = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Saves borders one after the other; says why where one was not saved, and resolves with false. */
const useSaveBorder = () => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(
    (target: Target, side: Side, value: number | null): Promise<boolean> => {
      const send = async () => {
        try {
          await editor.moveBorder((transcript, doc) => borderEdit(transcript, doc, target, side, value));
          return true;
        } catch (error) {
          toasts.show(t('timing.failed', { reason: describeError(error, t) }), { tone: 'bad' });
          return false;
        }
      };
      const saved = last.current.then(send);
      last.current = saved;
      return saved;
    },
    [editor, toasts, t],
  );
};

/**
 * Moves a border: what is shown follows at once, and one request is sent when the move is over. `isFresh` says that what is
 * stored is what was saved last.
 */
export const useBorderDraft = (isFresh: boolean) => {
  const [draft, setDraft] = useState<Draft>();
  const saveBorder = useSaveBorder();
  const moved = useRef<Draft>(undefined);
  const timer = useRef(0);

  const save = useCallback(() => {
    window.clearTimeout(timer.current);
    const done = moved.current;
    moved.current = undefined;
    if (done === undefined) return;
    const end = (isSaved: boolean) =>
      setDraft((now) => (now !== done ? now : isSaved ? { ...done, isSaved } : undefined));
    if (done.value === done.target[done.side]) end(false);
    else void saveBorder(done.target, done.side, done.value).then(end);
  }, [saveBorder]);

  const actions = useMemo(
    () => ({
      save,
      /** Moves a border within its limits; `isOver` where nothing tells the end of the move. */
      move: (target: Target, side: Side, value: number, isOver: boolean) => {
        window.clearTimeout(timer.current);
        if (moved.current !== undefined && moved.current.side !== side) save();
        const { from, to } = target.limits[side];
        const next = { target, side, value: roundMs(Math.max(from, Math.min(to, value))) };
        moved.current = next;
        setDraft(next);
        if (isOver) timer.current = window.setTimeout(save, SAVE_AFTER_MS);
      },
      /** Puts the border back; false if none is being moved. */
      cancel: (): boolean => {
        window.clearTimeout(timer.current);
        const isMoved = moved.current !== undefined;
        if (isMoved) setDraft(undefined);
        moved.current = undefined;
        return isMoved;
      },
      /** Lets a subtitle's borders follow the words again. */
      reset: async (target: Target, sides: readonly Side[]) => {
        for (const side of sides) await saveBorder(target, side, null);
      },
    }),
    [save, saveBorder],
  );

  const isSaved = draft?.isSaved === true;
  useEffect(() => {
    if (isSaved && isFresh) setDraft(undefined);
  }, [isSaved, isFresh]);

  // What was moved last is saved when the panel closes or the page goes.
  useEffect(() => {
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      save();
    };
  }, [save]);
  return { draft, ...actions };
};
export type BorderDraft = ReturnType<typeof useBorderDraft>;
