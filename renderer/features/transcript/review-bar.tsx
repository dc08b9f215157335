import { Check, ChevronLeft, ChevronRight, Pencil, Play, Replace, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { modelLabel } from '../../domain/models.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatNumber, formatPercent } from '../../lib/format.ts';
import { isTyping } from '../../lib/keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';

import { type Doc, paragraphOfWord } from './model/document.ts';
import {
  acceptWords,
  findUncertainSpans,
  type UncertainSpan,
  withOtherReading,
} from './model/low-confidence.ts';
import { useEditParagraph, useReader } from './reader.tsx';

const CONTEXT_SECONDS = 1;

const wordsOf = (doc: Doc, span: UncertainSpan) => doc.words.slice(span.first, span.last + 1);

/** Steps through the uncertain spans. */
const useReview = () => {
  const { id, editor, view, player, reveal } = useReader();
  const editParagraph = useEditParagraph();
  const doc = useStore(editor.store, (state) => state.doc);
  const acceptedWords = useStore(view, (state) => state.acceptedWords);
  const spanIndex = useStore(view, (state) => state.spanIndex);
  const isCompleted = useStore(editor.store, (state) => state.transcript?.status === 'completed');
  const spans = useMemo(
    () => (doc === undefined ? [] : findUncertainSpans(doc, acceptedWords)),
    [doc, acceptedWords],
  );
  const span = spans[Math.min(spanIndex, spans.length - 1)];

  useEffect(() => {
    if (span !== undefined) reveal.current(span.first);
  }, [span, reveal]);

  const play = useCallback(() => {
    if (doc === undefined || span === undefined) return;
    const words = wordsOf(doc, span);
    player.playRange((words[0]?.start ?? 0) - CONTEXT_SECONDS, (words.at(-1)?.end ?? 0) + CONTEXT_SECONDS);
  }, [doc, span, player]);
  const step = useCallback(
    (by: number) => {
      if (spans.length > 0)
        view.setState({
          spanIndex: (Math.min(spanIndex, spans.length - 1) + by + spans.length) % spans.length,
        });
    },
    [spanIndex, spans, view],
  );
  const accept = useCallback(() => {
    if (doc === undefined || span === undefined) return;
    const starts = wordsOf(doc, span).map((word) => word.start);
    view.setState({
      acceptedWords: acceptWords(localStorage, id, starts),
      spanIndex: Math.min(spanIndex, Math.max(0, spans.length - 2)),
    });
  }, [spanIndex, doc, spans, id, span, view]);
  /** Replaces the words by what the other model heard: an ordinary edit. The next span moves up into this one's place. */
  const replace = useCallback(() => {
    const edited = doc === undefined || span === undefined ? undefined : withOtherReading(doc, span);
    if (edited !== undefined && isCompleted) editor.edit([edited]);
  }, [doc, span, editor, isCompleted]);
  const edit = useCallback(() => {
    if (doc !== undefined && span !== undefined)
      editParagraph(paragraphOfWord(doc, span.first), span.first, span.last);
  }, [doc, span, editParagraph]);
  return {
    doc,
    spans,
    at: Math.min(spanIndex, Math.max(0, spans.length - 1)),
    span,
    play,
    step,
    accept,
    replace,
    edit,
  };
};

export const ReviewBar = () => {
  const { view } = useReader();
  const { t, locale } = useI18n();
  const { doc, spans, at, span, play, step, accept, replace, edit } = useReview();
  const close = useCallback(() => view.setState({ panel: 'none' }), [view]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      // Escape closes what was opened last.
      if (event.key === 'Escape' && view.getState().timed !== undefined) return;
      const run = {
        p: play,
        a: accept,
        o: replace,
        e: edit,
        n: () => step(1),
        b: () => step(-1),
        Escape: close,
      }[event.key];
      if (run === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      run();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [play, accept, replace, edit, step, close, view]);

  // With the last word go the buttons, and the focus that one of them had.
  const bar = useRef<HTMLElement>(null);
  const isDone = span === undefined;
  useEffect(() => {
    if (isDone && document.activeElement === document.body) bar.current?.querySelector('button')?.focus();
  }, [isDone]);

  const confidence =
    span === undefined
      ? 1
      : Math.min(...(doc?.words.slice(span.first, span.last + 1) ?? []).map((w) => w.confidence));
  return (
    <section ref={bar} aria-label={t('review.open')} className="mt-2 flex flex-wrap items-center gap-1.5">
      {span === undefined ? (
        <span role="status" className="text-good">
          {t('review.done')}
        </span>
      ) : (
        <>
          <span role="status" className="tnum mr-2 text-ink-2">
            {t('review.position', {
              at: formatNumber(at + 1, locale),
              of: formatNumber(spans.length, locale),
            })}
            {' · '}
            {t('review.confidence', { share: formatPercent(confidence, locale) })}
          </span>
          <Button onClick={play}>
            <Play size={14} aria-hidden />
            {t('review.play')} <Kbd>P</Kbd>
          </Button>
          <Button onClick={accept}>
            <Check size={14} aria-hidden />
            {t('review.accept')} <Kbd>A</Kbd>
          </Button>
          {span.other !== undefined && (
            <Button onClick={replace}>
              <Replace size={14} aria-hidden />
              {t(span.other.text === '' ? 'review.delete' : 'review.replace')} <Kbd>O</Kbd>
            </Button>
          )}
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
      {span?.other !== undefined && (
        <p className="basis-full">
          {span.other.text === ''
            ? t('review.otherNothing', { model: modelLabel(span.other.model, t) })
            : t('review.other', { model: modelLabel(span.other.model, t), text: span.other.text })}
        </p>
      )}
    </section>
  );
};
