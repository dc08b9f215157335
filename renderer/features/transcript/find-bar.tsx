import { CaseSensitive, ChevronDown, ChevronUp, WholeWord, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { formatNumber } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SearchField, TextInput } from '../../ui/field.tsx';
import type { Doc } from './model/document.ts';
import { countMatches, type FindOptions, findMatches, type Match, replaceMatches } from './model/find.ts';
import { useReader } from './reader.tsx';
import { useHistory } from './use-history.ts';

/** The segment of a match and its index among the segment's matches; undefined if the match spans two segments. */
const occurrenceOf = (doc: Doc, matches: readonly Match[], at: number) => {
  const match = matches[at];
  const segment = match === undefined ? undefined : doc.words[match.first]?.segment;
  if (segment === undefined || match === undefined || doc.words[match.last]?.segment !== segment)
    return undefined;
  const before = matches.slice(0, at).filter((each) => doc.words[each.first]?.segment === segment).length;
  return { segment, occurrence: before };
};

const useFindAndReplace = () => {
  const { editor, view, reveal } = useReader();
  const { offerUndo } = useHistory();
  const { t } = useI18n();
  const doc = useStore(editor.store, (state) => state.doc);
  const query = useStore(view, (state) => state.query);
  const options = useStore(view, (state) => state.findOptions);
  const matchIndex = useStore(view, (state) => state.matchIndex);
  const [replacement, setReplacement] = useState('');
  const matches = useMemo(
    () => (doc === undefined ? [] : findMatches(doc, query, options)),
    [doc, query, options],
  );

  useEffect(() => {
    const first = matches[Math.min(matchIndex, matches.length - 1)]?.first;
    if (first !== undefined) reveal.current(first);
  }, [matches, matchIndex, reveal]);

  const step = (by: number) => {
    if (matches.length > 0)
      view.setState({ matchIndex: (matchIndex + by + matches.length) % matches.length });
  };
  const replaceOne = () => {
    if (doc === undefined) return;
    const only = occurrenceOf(doc, matches, matchIndex);
    if (only !== undefined) editor.edit(replaceMatches(doc, query, replacement, only, options));
  };
  const replaceAll = () => {
    if (doc === undefined) return;
    const count = countMatches(doc, query, options);
    if (count === 0) return;
    editor.edit(replaceMatches(doc, query, replacement, undefined, options));
    void editor.saved().then((edit) => offerUndo(t('find.replaced', { count }), edit));
  };
  return { query, matches, matchIndex, step, replacement, setReplacement, replaceOne, replaceAll };
};

/** Switches an option of the search. */
const OptionButton = ({ option, children }: { option: keyof FindOptions; children: ReactNode }) => {
  const { view } = useReader();
  const { t } = useI18n();
  const options = useStore(view, (state) => state.findOptions);
  const isOn = options[option];
  return (
    <IconButton
      label={t(`find.${option}`)}
      pressed={isOn}
      onClick={() => view.setState({ findOptions: { ...options, [option]: !isOn }, matchIndex: 0 })}
    >
      {children}
    </IconButton>
  );
};

/** Finds and replaces text in the transcript. */
export const FindBar = () => {
  const { view, editor } = useReader();
  const { t, locale } = useI18n();
  const { query, matches, matchIndex, step, ...replace } = useFindAndReplace();
  const isCompleted = useStore(editor.store, (state) => state.transcript?.status === 'completed');
  const field = useRef<HTMLInputElement>(null);
  const close = () => view.setState({ panel: 'none', query: '', matchIndex: 0 });

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  return (
    <search
      className="mt-2 flex flex-wrap items-center gap-2"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
    >
      <SearchField
        inputRef={field}
        label={t('find.title')}
        clearLabel={t('common.clear')}
        value={query}
        onValueChange={(text) => view.setState({ query: text, matchIndex: 0 })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
        }}
        className="!h-8 w-[240px]"
      />
      <OptionButton option="matchCase">
        <CaseSensitive size={16} aria-hidden />
      </OptionButton>
      <OptionButton option="wholeWord">
        <WholeWord size={16} aria-hidden />
      </OptionButton>
      <span role="status" className="tnum min-w-14 text-xs text-ink-2">
        {query.trim() === ''
          ? ''
          : matches.length === 0
            ? t('find.none')
            : t('find.position', {
                at: formatNumber(Math.min(matchIndex, matches.length - 1) + 1, locale),
                of: formatNumber(matches.length, locale),
              })}
      </span>
      <IconButton
        label={t('find.previous')}
        hint="⇧ ↵"
        disabled={matches.length === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton label={t('find.next')} hint="↵" disabled={matches.length === 0} onClick={() => step(1)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      {isCompleted && (
        <>
          <TextInput
            aria-label={t('find.replacement')}
            placeholder={t('find.replacement')}
            value={replace.replacement}
            className="!w-[180px]"
            onChange={(event) => replace.setReplacement(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') replace.replaceOne();
            }}
          />
          <Button variant="ghost" disabled={matches.length === 0} onClick={replace.replaceOne}>
            {t('find.replace')}
          </Button>
          <Button variant="ghost" disabled={matches.length === 0} onClick={replace.replaceAll}>
            {t('find.replaceAll')}
          </Button>
        </>
      )}
      <span className="flex-1" />
      <IconButton label={t('common.close')} hint="Esc" onClick={close}>
        <X size={16} aria-hidden />
      </IconButton>
    </search>
  );
};
