import type { Summary } from '../../../electron/contract/analysis.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n } from '../../hooks/services.tsx';
import { Tag } from '../../ui/badge.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { findMatches } from './model/find.ts';
import { findTopicPlaces } from './model/topic-places.ts';
import { useReader } from './reader.tsx';
import { NotRequested, PlaceChip, SideHeading, TimeLink, useGoToWord } from './side-panel-parts.tsx';

export const SummaryTab = ({ transcript }: { transcript: Transcription }) => {
  const { t } = useI18n();
  const { summary, topics, key_phrases: phrases, content_safety: safety } = transcript;
  if (summary === undefined && topics === undefined && safety === undefined)
    return <NotRequested>{t('side.summary.none')}</NotRequested>;
  if (transcript.text === '') return <p className="mt-4 text-ink-2">{t('transcript.empty.text')}</p>;
  return (
    <>
      {summary !== undefined && <SummaryText summary={summary} />}
      {topics !== undefined && topics.length > 0 && <TopicList topics={topics} />}
      {phrases !== undefined && phrases.length > 0 && <PhraseList phrases={phrases} />}
      {safety !== undefined && <Safety safety={safety} />}
    </>
  );
};

/** Topics; each goes to the next place where one of its words occurs. */
const TopicList = ({ topics }: { topics: readonly string[] }) => {
  const { editor, player } = useReader();
  const { t, topicName } = useI18n();
  const goToWord = useGoToWord();
  const find = async (topic: string) => {
    const { default: taxonomy } = await import('../../../resources/topics/topics.json', {
      with: { type: 'json' },
    });
    const { doc } = editor.store.getState();
    const terms = taxonomy.topics.find(({ name }) => name === topic)?.terms ?? {};
    if (doc === undefined) return;
    const places = findTopicPlaces(doc, Object.keys(terms));
    const now = player.time();
    const next = places.find((word) => (doc.words[word]?.start ?? 0) > now + 0.05) ?? places[0];
    if (next !== undefined) goToWord(next);
  };
  return (
    <>
      <SideHeading>{t('side.topics')}</SideHeading>
      <ul className="flex flex-wrap gap-1.5">
        {topics.map((topic) => (
          <li key={topic}>
            <PlaceChip onClick={() => void find(topic)}>{topicName(topic)}</PlaceChip>
          </li>
        ))}
      </ul>
    </>
  );
};

/** Key phrases; each opens the search in the text, and again goes to its next place. */
const PhraseList = ({ phrases }: { phrases: readonly string[] }) => {
  const { view, editor } = useReader();
  const { t } = useI18n();
  const find = (phrase: string) => {
    const { panel, query, matchIndex } = view.getState();
    const { doc } = editor.store.getState();
    const count = doc === undefined ? 0 : findMatches(doc, phrase).length;
    const isNext = panel === 'find' && query === phrase && matchIndex + 1 < count;
    view.setState({
      panel: 'find',
      query: phrase,
      matchIndex: isNext ? matchIndex + 1 : 0,
      isSidePanelOpen: false,
    });
  };
  return (
    <>
      <SideHeading>{t('side.phrases')}</SideHeading>
      <ul className="flex flex-wrap gap-1.5">
        {phrases.map((phrase) => (
          <li key={phrase}>
            <PlaceChip onClick={() => find(phrase)}>{phrase}</PlaceChip>
          </li>
        ))}
      </ul>
    </>
  );
};

const PROSE = 'font-serif text-base leading-normal';

const SummaryText = ({ summary }: { summary: Summary }) => {
  const { t } = useI18n();
  const { bullets } = summary;
  return (
    <>
      <SideHeading>{t('side.summary')}</SideHeading>
      {bullets !== undefined && bullets.length > 0 ? (
        <ul>
          {bullets.map((bullet) => (
            <li key={`${bullet.source.start}-${bullet.text}`} className={`relative mb-2 pl-3.5 ${PROSE}`}>
              <span aria-hidden className="absolute left-0 text-accent">
                •
              </span>
              {bullet.text} <TimeLink seconds={bullet.source.start} />
            </li>
          ))}
        </ul>
      ) : (
        <MarkdownLines text={summary.text} />
      )}
      <p className="mt-2 text-xs text-ink-2">
        {summary.engine === 'extractive' ? t('side.summary.own') : t('side.summary.model')}
      </p>
    </>
  );
};

/** Renders the Markdown that summaries consist of: headings, list items and paragraphs. */
const MarkdownLines = ({ text }: { text: string }) => (
  <>
    {text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line, index) => {
        const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
        const item = /^[-*•]\s+(.*)$/.exec(line)?.[1];
        const key = `${index}-${line.slice(0, 24)}`;
        if (heading !== undefined)
          return (
            <h3 key={key} className="mt-3 mb-1 font-serif text-base font-semibold">
              {heading}
            </h3>
          );
        return (
          <p key={key} className={item === undefined ? `mb-2 ${PROSE}` : `relative mb-1.5 pl-3.5 ${PROSE}`}>
            {item !== undefined && (
              <span aria-hidden className="absolute left-0 text-accent">
                •
              </span>
            )}
            {item ?? line}
          </p>
        );
      })}
  </>
);

const Safety = ({ safety }: { safety: NonNullable<Transcription['content_safety']> }) => {
  const { t } = useI18n();
  return (
    <>
      <SideHeading>{t('side.safety')}</SideHeading>
      {safety.labels.length === 0 ? (
        <Callout tone="good">{t('side.safety.none')}</Callout>
      ) : (
        <ul>
          {safety.labels.map((label) => (
            <li key={label.label} className="mb-2.5">
              <span className="flex items-center gap-2">
                <span className="font-[550]">{t(`safety.${label.label}`)}</span>
                <Tag
                  tone={label.severity === 'high' ? 'bad' : label.severity === 'medium' ? 'warn' : 'plain'}
                >
                  {t(`severity.${label.severity}`)}
                </Tag>
              </span>
              <span className="mt-1 flex flex-wrap gap-x-2.5">
                {label.segments.slice(0, 12).map((segment) => (
                  <TimeLink key={segment.id} seconds={segment.start} />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
