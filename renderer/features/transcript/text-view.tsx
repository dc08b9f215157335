import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { Button } from '../../ui/button.tsx';
import { type Doc, nearestWordAt, paragraphOfWord, wordAt } from './model/document.ts';
import { findMatches } from './model/find.ts';
import { findUncertainSpans } from './model/low-confidence.ts';
import { EditHintsPlace } from './paragraph-editor.tsx';
import { ParagraphView } from './paragraph-view.tsx';
import { useEditParagraph, useReader } from './reader.tsx';
import { SelectionButton } from './selection-button.tsx';
import { useRovingParagraphs } from './use-roving-paragraphs.ts';

const CHARACTERS_PER_LINE = 62;
const LINE_HEIGHT = 29;

/** An estimated height of each paragraph. The list asks for all of them again at every measurement. */
const estimateHeights = ({ paragraphs, words }: Doc): number[] =>
  paragraphs.map(({ firstWord, endWord }) => {
    let characters = 0;
    for (let word = firstWord; word < endWord; word++) characters += (words[word]?.text.length ?? 0) + 1;
    return Math.ceil(characters / CHARACTERS_PER_LINE) * LINE_HEIGHT + 22 + 22;
  });

type ParagraphVirtualizer = Virtualizer<HTMLElement, Element>;

/** Highlights words by class, without a render: the playing word once per frame, matches and spans at each change. */
const useWordHighlights = (content: RefObject<HTMLDivElement | null>, doc: Doc | undefined) => {
  const { player, view } = useReader();
  const playing = useRef(-1);
  const { panel, query, findOptions, matchIndex, spanIndex, acceptedWords } = useStore(view);
  const matches = useMemo(
    () => (doc === undefined || panel !== 'find' ? [] : findMatches(doc, query, findOptions)),
    [doc, panel, query, findOptions],
  );
  const spans = useMemo(
    () => (doc === undefined || panel !== 'review' ? [] : findUncertainSpans(doc, acceptedWords)),
    [doc, panel, acceptedWords],
  );

  const wordElement = useCallback(
    (index: number) => content.current?.querySelector(`[data-w="${index}"]`) ?? undefined,
    [content],
  );
  const markPlaying = useCallback(
    (seconds: number) => {
      if (doc === undefined) return;
      const index = wordAt(doc, seconds);
      if (index === playing.current && (index === -1 || wordElement(index)?.classList.contains('play')))
        return;
      for (const old of content.current?.querySelectorAll('.w.play') ?? []) old.classList.remove('play');
      playing.current = index;
      if (index !== -1) wordElement(index)?.classList.add('play');
    },
    [doc, content, wordElement],
  );

  useEffect(() => {
    markPlaying(player.time());
    return player.onTime(markPlaying);
  }, [player, markPlaying]);

  // After every render, because paragraphs that scrolled into view have no highlights yet.
  useLayoutEffect(() => {
    markPlaying(player.time());
    const root = content.current;
    if (root === null) return;
    for (const old of root.querySelectorAll('.w.hit, .w.review'))
      old.classList.remove('hit', 'now', 'review');
    const shown = [...root.querySelectorAll<HTMLElement>('[data-first]')];
    const first = Math.min(...shown.map((block) => Number(block.dataset.first)));
    const last = Math.max(...shown.map((block) => Number(block.dataset.end)));
    for (const [index, each] of matches.entries()) {
      if (each.last < first || each.first >= last) continue;
      for (let word = each.first; word <= each.last; word++)
        wordElement(word)?.classList.add('hit', ...(index === matchIndex ? ['now'] : []));
    }
    const span = spans[spanIndex];
    if (span !== undefined)
      for (let word = span.first; word <= span.last; word++) wordElement(word)?.classList.add('review');
  });
};

/** Scrolls to the playing word until the user scrolls; returns the function that stops it. */
const useFollowPlayback = (
  scroller: RefObject<HTMLElement | null>,
  virtualizer: ParagraphVirtualizer,
  doc: Doc | undefined,
) => {
  const { player, view, reveal } = useReader();

  const show = useCallback(
    (word: number) => {
      const page = scroller.current;
      if (doc === undefined || page === null || word < 0) return;
      const element = page.querySelector(`[data-w="${word}"]`);
      if (element === null) {
        virtualizer.scrollToIndex(paragraphOfWord(doc, word), { align: 'center' });
        return;
      }
      const box = element.getBoundingClientRect();
      const viewport = page.getBoundingClientRect();
      if (box.top < viewport.top + 40 || box.bottom > viewport.top + viewport.height * 0.72) {
        const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
        page.scrollBy({
          top: box.top - viewport.top - viewport.height * 0.3,
          behavior: prefersReducedMotion ? 'instant' : 'smooth',
        });
      }
    },
    [doc, virtualizer, scroller],
  );

  useEffect(() => {
    reveal.current = (word) => {
      show(word);
      // A paragraph out of view is rendered first; its words exist a frame later.
      requestAnimationFrame(() => show(word));
    };
    return () => {
      reveal.current = () => undefined;
    };
  }, [reveal, show]);

  useEffect(() => {
    let last = -1;
    return player.onTime((seconds) => {
      if (doc === undefined || view.getState().edited !== undefined) return;
      const word = nearestWordAt(doc, seconds);
      if (word === -1 || word === last) return;
      last = word;
      // Tab leads to what is heard, unless a person is in the text.
      if (!scroller.current?.contains(document.activeElement))
        view.setState({ activeParagraph: paragraphOfWord(doc, word) });
      if (view.getState().isFollowing) show(word);
    });
  }, [player, view, doc, show, scroller]);

  return useCallback(() => {
    if (player.store.getState().isPlaying) view.setState({ isFollowing: false });
  }, [player, view]);
};

/** A click on a word, or its context menu in the desktop program, plays it; a double click edits its paragraph. */
const useTextClicks = (doc: Doc | undefined) => {
  const { player, view } = useReader();
  const editParagraph = useEditParagraph();
  const wasPlaying = useRef(false);
  const onClick = ({ target, detail }: MouseEvent) => {
    if (!(target instanceof HTMLElement) || (window.getSelection()?.toString() ?? '') !== '') return;
    const index = Number(target.closest<HTMLElement>('[data-w]')?.dataset.w ?? Number.NaN);
    const word = doc?.words[index];
    if (word === undefined) return;
    const { timed } = view.getState();
    if (timed !== undefined) view.setState({ timed: { ...timed, word: index } });
    if (detail === 1) wasPlaying.current = player.store.getState().isPlaying;
    player.seek(word.start);
    player.play();
  };
  const onDoubleClick = ({ target }: MouseEvent) => {
    const paragraph = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-index]') : null;
    if (paragraph === null || view.getState().edited !== undefined) return;
    // The first click of a double click started playback.
    if (!wasPlaying.current) player.pause();
    const word = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-w]') : null;
    editParagraph(Number(paragraph.dataset.index), word === null ? undefined : Number(word.dataset.w));
  };
  useEffect(
    () =>
      window.earshot?.onPlayFrom(({ x, y }) => {
        const at = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-w]');
        const word = doc?.words[Number(at?.dataset.w ?? Number.NaN)];
        if (word === undefined) return;
        player.seek(word.start);
        player.play();
      }),
    [doc, player],
  );
  return { onClick, onDoubleClick };
};

/** The text of the transcript; renders only the visible paragraphs. */
export const TextView = () => {
  const { editor, player, view, reveal } = useReader();
  const { t } = useI18n();
  const doc = useStore(editor.store, (state) => state.doc);
  const isPlaying = useStore(player.store, (state) => state.isPlaying);
  const isFollowing = useStore(view, (state) => state.isFollowing);
  const editedParagraph = useStore(view, (state) => state.edited?.paragraph);
  const active = useStore(view, (state) => state.activeParagraph);
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [hintsPlace, setHintsPlace] = useState<HTMLElement | null>(null);
  const heights = useMemo(() => (doc === undefined ? [] : estimateHeights(doc)), [doc]);
  const virtualizer = useVirtualizer({
    count: doc?.paragraphs.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[index] ?? 100,
    overscan: 3,
    // Keep the edited paragraph and the one that Tab leads to mounted while they are out of view.
    rangeExtractor: (range) => {
      const kept = [active, editedParagraph ?? active].filter((index) => index < range.count);
      return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
    },
  });
  const clicks = useTextClicks(doc);
  const stopFollowing = useFollowPlayback(scroller, virtualizer, doc);
  const scrollTo = useCallback((index: number) => virtualizer.scrollToIndex(index), [virtualizer]);
  const roving = useRovingParagraphs(content, doc?.paragraphs.length ?? 0, scrollTo);
  useWordHighlights(content, doc);
  if (doc === undefined) return <div />;

  const items = virtualizer.getVirtualItems();
  return (
    <div className="relative min-h-0">
      <section
        ref={scroller}
        aria-label={t('transcript.text')}
        // A press in the margin leaves the keys for scrolling here; Tab leads to a paragraph.
        tabIndex={-1}
        onWheel={stopFollowing}
        onTouchMove={stopFollowing}
        {...clicks}
        {...roving}
        onPointerDown={(event) => {
          // A press on the scroll bar targets the scroller itself.
          if (event.target === scroller.current) stopFollowing();
        }}
        onKeyDown={(event) => {
          if (/^(PageUp|PageDown|Home|End|ArrowUp|ArrowDown)$/.test(event.key)) stopFollowing();
          roving.onKeyDown(event);
        }}
        // While one writes, the line stays above the keys of the editor.
        className={cx(
          'h-full overflow-y-auto py-4 !outline-none [scrollbar-gutter:stable]',
          editedParagraph !== undefined && 'scroll-pb-14',
        )}
      >
        <div
          ref={content}
          role="feed"
          className="relative mx-auto max-w-[678px]"
          style={{
            height: virtualizer.getTotalSize() + 64,
            '--uncertain': JSON.stringify(` (${t('transcript.uncertain')})`),
          }}
        >
          {items.map((item) => {
            const paragraph = doc.paragraphs[item.index];
            return paragraph === undefined ? null : (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                data-first={paragraph.firstWord}
                data-end={paragraph.endWord}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <EditHintsPlace value={hintsPlace}>
                  <ParagraphView doc={doc} index={item.index} />
                </EditHintsPlace>
              </div>
            );
          })}
        </div>
      </section>
      <div
        ref={setHintsPlace}
        className="pointer-events-none absolute inset-x-2 bottom-2 z-10 flex justify-center"
      />
      <SelectionButton />
      {isPlaying && !isFollowing && (
        <Button
          className={cx(
            'enter absolute left-1/2 -translate-x-1/2 rounded-full shadow-high',
            editedParagraph === undefined ? 'bottom-4' : 'bottom-14',
          )}
          onClick={() => {
            view.setState({ isFollowing: true });
            reveal.current(nearestWordAt(doc, player.time()));
          }}
        >
          {t('transcript.follow')}
        </Button>
      )}
    </div>
  );
};
