import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { Button } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { BlockView } from './block-view.tsx';
import { blockOfWord, type Doc, placeAt, wordAt } from './model/document.ts';
import { findDoubts } from './model/doubt.ts';
import { findHits } from './model/find.ts';
import { useEdit, useReader } from './reader.tsx';

const LINE_CHARACTERS = 62;
const LINE = 29;

const estimate = (doc: Doc, index: number) => {
  const block = doc.blocks[index];
  if (block === undefined) return 100;
  let characters = 0;
  for (let word = block.firstWord; word < block.endWord; word++)
    characters += (doc.words[word]?.text.length ?? 0) + 1;
  return Math.ceil(characters / LINE_CHARACTERS) * LINE + 22 + 22;
};

type Paper = Virtualizer<HTMLElement, Element>;

/** Marks words by class, without a render: the playing one at 60 times a second, the found ones at each change. */
const useWordMarks = (paper: RefObject<HTMLDivElement | null>, doc: Doc | undefined) => {
  const { player, view } = useReader();
  const playing = useRef(-1);
  const { panel, query, hit, doubt, accepted } = useStore(view);
  const hits = useMemo(
    () => (doc === undefined || panel !== 'find' ? [] : findHits(doc, query)),
    [doc, panel, query],
  );
  const doubts = useMemo(
    () => (doc === undefined || panel !== 'review' ? [] : findDoubts(doc, accepted)),
    [doc, panel, accepted],
  );

  const wordElement = useCallback(
    (index: number) => paper.current?.querySelector(`[data-w="${index}"]`) ?? undefined,
    [paper],
  );
  const markPlaying = useCallback(
    (seconds: number) => {
      if (doc === undefined) return;
      const index = wordAt(doc, seconds);
      if (index === playing.current && (index === -1 || wordElement(index)?.classList.contains('play')))
        return;
      for (const old of paper.current?.querySelectorAll('.w.play') ?? []) old.classList.remove('play');
      playing.current = index;
      if (index !== -1) wordElement(index)?.classList.add('play');
    },
    [doc, paper, wordElement],
  );

  useEffect(() => {
    markPlaying(player.time());
    return player.onTime(markPlaying);
  }, [player, markPlaying]);

  // After every render: blocks that came into view get the marks that belong to their words.
  useLayoutEffect(() => {
    markPlaying(player.time());
    const root = paper.current;
    if (root === null) return;
    for (const old of root.querySelectorAll('.w.hit, .w.review'))
      old.classList.remove('hit', 'now', 'review');
    const shown = [...root.querySelectorAll<HTMLElement>('[data-first]')];
    const first = Math.min(...shown.map((block) => Number(block.dataset.first)));
    const last = Math.max(...shown.map((block) => Number(block.dataset.end)));
    for (const [index, each] of hits.entries()) {
      if (each.last < first || each.first >= last) continue;
      for (let word = each.first; word <= each.last; word++)
        wordElement(word)?.classList.add('hit', ...(index === hit ? ['now'] : []));
    }
    const place = doubts[doubt];
    if (place !== undefined)
      for (let word = place.first; word <= place.last; word++) wordElement(word)?.classList.add('review');
  });
};

/** Scrolls along with the playing word, until the reader scrolls by hand. */
const useFollow = (scroller: RefObject<HTMLElement | null>, paper: Paper, doc: Doc | undefined) => {
  const { player, view, reveal } = useReader();

  const show = useCallback(
    (word: number) => {
      const page = scroller.current;
      if (doc === undefined || page === null || word < 0) return;
      const element = page.querySelector(`[data-w="${word}"]`);
      if (element === null) {
        paper.scrollToIndex(blockOfWord(doc, word), { align: 'center' });
        return;
      }
      const box = element.getBoundingClientRect();
      const area = page.getBoundingClientRect();
      if (box.top < area.top + 40 || box.bottom > area.top + area.height * 0.72) {
        const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
        page.scrollBy({ top: box.top - area.top - area.height * 0.3, behavior: calm ? 'instant' : 'smooth' });
      }
    },
    [doc, paper, scroller],
  );

  useEffect(() => {
    reveal.current = (word) => {
      show(word);
      // The block may have had to be made first: then its word is there a frame later.
      requestAnimationFrame(() => show(word));
    };
    return () => {
      reveal.current = () => undefined;
    };
  }, [reveal, show]);

  useEffect(() => {
    let last = -1;
    return player.onTime((seconds) => {
      if (doc === undefined || !view.getState().following || view.getState().editing !== undefined) return;
      const word = placeAt(doc, seconds);
      if (word === -1 || word === last) return;
      last = word;
      show(word);
    });
  }, [player, view, doc, show]);

  return useCallback(() => {
    if (player.store.getState().playing) view.setState({ following: false });
  }, [player, view]);
};

/** The text: only the paragraphs in view exist, whatever the length. */
export const TextView = () => {
  const { transcripts, player, view, reveal } = useReader();
  const { t } = useI18n();
  const doc = useStore(transcripts.store, (state) => state.doc);
  const playing = useStore(player.store, (state) => state.playing);
  const following = useStore(view, (state) => state.following);
  const editing = useStore(view, (state) => state.editing);
  const scroller = useRef<HTMLElement>(null);
  const paper = useRef<HTMLDivElement>(null);
  const playedBefore = useRef(false);
  const edit = useEdit();
  const virtual = useVirtualizer({
    count: doc?.blocks.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (doc === undefined ? 100 : estimate(doc, index)),
    overscan: 3,
    // A paragraph that is being edited stays, however far the reader scrolls away from it.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (editing === undefined || shown.includes(editing)) return shown;
      return [...shown, editing].sort((a, b) => a - b);
    },
  });
  const yieldToReader = useFollow(scroller, virtual, doc);
  useWordMarks(paper, doc);
  if (doc === undefined) return <div />;

  const onClick = ({ target, detail }: MouseEvent) => {
    if (!(target instanceof HTMLElement) || (window.getSelection()?.toString() ?? '') !== '') return;
    const word = doc.words[Number(target.closest<HTMLElement>('[data-w]')?.dataset.w ?? Number.NaN)];
    if (word === undefined) return;
    if (detail === 1) playedBefore.current = player.store.getState().playing;
    player.seek(word.start);
    player.play();
  };
  const onDoubleClick = ({ target }: MouseEvent) => {
    const block = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-index]') : null;
    if (block === null || view.getState().editing !== undefined) return;
    // The first of the two clicks began to play, which was not what the second one meant.
    if (!playedBefore.current) player.pause();
    edit(Number(block.dataset.index));
  };
  const items = virtual.getVirtualItems();
  return (
    <div className="relative min-h-0">
      <ScrollRegion
        ref={scroller}
        label={t('transcript.text')}
        onDoubleClick={onDoubleClick}
        onWheel={yieldToReader}
        onTouchMove={yieldToReader}
        onClick={onClick}
        onPointerDown={(event) => {
          // The scroll bar is no part of what it scrolls.
          if (event.target === scroller.current) yieldToReader();
        }}
        onKeyDown={(event) => {
          if (/^(PageUp|PageDown|Home|End|ArrowUp|ArrowDown)$/.test(event.key)) yieldToReader();
        }}
        className="h-full overflow-y-auto py-4 outline-offset-[-2px] [scrollbar-gutter:stable]"
      >
        <div
          ref={paper}
          className="relative mx-auto max-w-[678px]"
          style={{ height: virtual.getTotalSize() + 64 }}
        >
          {items.map((item) => {
            const block = doc.blocks[item.index];
            return block === undefined ? null : (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-first={block.firstWord}
                data-end={block.endWord}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <BlockView doc={doc} index={item.index} />
              </div>
            );
          })}
        </div>
      </ScrollRegion>
      {playing && !following && (
        <Button
          className="enter absolute bottom-4 left-1/2 -translate-x-1/2 rounded-full shadow-high"
          onClick={() => {
            view.setState({ following: true });
            reveal.current(placeAt(doc, player.time()));
          }}
        >
          {t('transcript.follow')}
        </Button>
      )}
    </div>
  );
};
