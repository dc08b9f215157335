import { Check, ChevronLeft, ChevronRight, Pencil, Play, X } from 'lucide-react';
import { useCallback, useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { isTyping } from '../../app/global-keys.ts';
import { useI18n } from '../../app/services.tsx';
import { number, percent } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { writeAccepted } from './accepted.ts';
import { blockOfWord, type Doc } from './model/document.ts';
import { type Doubt, findDoubts } from './model/doubt.ts';
import { useEdit, useReader } from './reader.tsx';

const LEAD_SECONDS = 1;

const wordsOf = (doc: Doc, doubt: Doubt) => doc.words.slice(doubt.first, doubt.last + 1);

/** Steps through the doubtful places: one key plays, one accepts. */
const useReview = () => {
  const { id, transcripts, view, player, reveal } = useReader();
  const startEdit = useEdit();
  const doc = useStore(transcripts.store, (state) => state.doc);
  const accepted = useStore(view, (state) => state.accepted);
  const at = useStore(view, (state) => state.doubt);
  const doubts = useMemo(() => (doc === undefined ? [] : findDoubts(doc, accepted)), [doc, accepted]);
  const place = doubts[Math.min(at, doubts.length - 1)];

  useEffect(() => {
    if (place !== undefined) reveal.current(place.first);
  }, [place, reveal]);

  const play = useCallback(() => {
    if (doc === undefined || place === undefined) return;
    const words = wordsOf(doc, place);
    player.playStretch((words[0]?.start ?? 0) - LEAD_SECONDS, (words.at(-1)?.end ?? 0) + LEAD_SECONDS);
  }, [doc, place, player]);
  const step = useCallback(
    (by: number) => {
      if (doubts.length > 0)
        view.setState({ doubt: (Math.min(at, doubts.length - 1) + by + doubts.length) % doubts.length });
    },
    [at, doubts, view],
  );
  const accept = useCallback(() => {
    if (doc === undefined || place === undefined) return;
    const next = new Set(accepted);
    for (const word of wordsOf(doc, place)) next.add(word.start);
    writeAccepted(localStorage, id, next);
    view.setState({ accepted: next, doubt: Math.min(at, Math.max(0, doubts.length - 2)) });
  }, [accepted, at, doc, doubts, id, place, view]);
  const edit = useCallback(() => {
    if (doc !== undefined && place !== undefined) startEdit(blockOfWord(doc, place.first));
  }, [doc, place, startEdit]);
  return { doc, doubts, at: Math.min(at, Math.max(0, doubts.length - 1)), place, play, step, accept, edit };
};

export const ReviewBar = () => {
  const { view } = useReader();
  const { t, locale } = useI18n();
  const { doc, doubts, at, place, play, step, accept, edit } = useReview();
  const close = useCallback(() => view.setState({ panel: 'none' }), [view]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const run = { p: play, a: accept, e: edit, n: () => step(1), b: () => step(-1), Escape: close }[
        event.key
      ];
      if (run === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      run();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [play, accept, edit, step, close]);

  const sure =
    place === undefined
      ? 1
      : Math.min(...(doc?.words.slice(place.first, place.last + 1) ?? []).map((w) => w.confidence));
  return (
    <section aria-label={t('review.open')} className="mt-2 flex flex-wrap items-center gap-1.5">
      {place === undefined ? (
        <span role="status" className="text-good">
          {t('review.done')}
        </span>
      ) : (
        <>
          <span role="status" className="tnum mr-2 text-ink-2">
            {t('review.place', { at: number(at + 1, locale), of: number(doubts.length, locale) })}
            {' · '}
            {t('review.sure', { share: percent(sure, locale) })}
          </span>
          <Button onClick={play}>
            <Play size={14} aria-hidden />
            {t('review.play')} <Kbd>P</Kbd>
          </Button>
          <Button onClick={accept}>
            <Check size={14} aria-hidden />
            {t('review.accept')} <Kbd>A</Kbd>
          </Button>
          <Button onClick={edit}>
            <Pencil size={14} aria-hidden />
            {t('review.edit')} <Kbd>E</Kbd>
          </Button>
          <IconButton label={t('review.back')} hint="B" onClick={() => step(-1)}>
            <ChevronLeft size={16} aria-hidden />
          </IconButton>
          <IconButton label={t('review.next')} hint="N" onClick={() => step(1)}>
            <ChevronRight size={16} aria-hidden />
          </IconButton>
        </>
      )}
      <span className="flex-1" />
      <IconButton label={t('common.close')} hint="Esc" onClick={close}>
        <X size={16} aria-hidden />
      </IconButton>
    </section>
  );
};
