import { AudioLines, FolderOpen, Link2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Range } from '../../domain/transcript-request.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { MessageKey } from '../../i18n/index.ts';
import { formatBytes, formatClock, parseLinks } from '../../lib/format.ts';
import type { Source } from '../../stores/dialogs.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { FileButton, RECORDINGS } from '../../ui/file-button.tsx';
import { type AudioPreview, previewFile, previewStoredFile } from './audio-preview.ts';
import { RangeFields } from './range-fields.tsx';
import { sourceName } from './start.ts';
import { useLengths } from './use-lengths.ts';

type Problem = MessageKey | undefined;

type Props = {
  sources: readonly Source[];
  /** Why sources cannot be transcribed. */
  problems: ReadonlyMap<Source, Problem>;
  /** How many of those that were added last were there already. */
  repeated: number;
  range: Range;
  onAdd: (sources: readonly Source[]) => void;
  onRemove: (source: Source) => void;
  /** Stores a recording of this window without transcribing it. */
  onKeep: (source: Source) => void;
  onRange: (range: Range) => void;
  onDuration: (seconds: number) => void;
};

/** The chosen recording with its waveform, or the list of several, or the ways to add one. */
export const SourceSection = (props: Props) => {
  const { sources, problems, repeated, range, onAdd, onRemove, onKeep, onRange, onDuration } = props;
  const { t } = useI18n();
  const single = sources.length === 1 ? sources[0] : undefined;
  return (
    <>
      {single !== undefined ? (
        <SingleSource
          source={single}
          problem={problems.get(single)}
          range={range}
          onRange={onRange}
          onDuration={onDuration}
          onRemove={() => onRemove(single)}
          onKeep={() => onKeep(single)}
        />
      ) : (
        <div className="rounded-box border border-line bg-ground p-3">
          {sources.length > 0 && <SourceList sources={sources} problems={problems} onRemove={onRemove} />}
          <AddSources onAdd={onAdd} />
        </div>
      )}
      {repeated > 0 && (
        <p role="status" className="mt-1.5 text-xs text-ink-2">
          {t('create.repeated', { count: repeated })}
        </p>
      )}
    </>
  );
};

/** Several sources, and above them how many, how long and how large they are. */
const SourceList = ({ sources, problems, onRemove }: Pick<Props, 'sources' | 'problems' | 'onRemove'>) => {
  const { t, locale } = useI18n();
  const lengths = useLengths(sources);
  const startable = sources.filter((source) => problems.get(source) === undefined);
  const isMeasured = startable.every((source) => lengths.has(source));
  const seconds = startable.map((source) => lengths.get(source) ?? 0);
  const unknown = isMeasured ? seconds.filter((each) => each === 0).length : 0;
  const total = seconds.reduce((sum, each) => sum + each, 0);
  const bytes = startable.reduce((sum, each) => sum + (each.kind === 'file' ? each.file.size : 0), 0);
  const facts = [
    t('create.total', { count: startable.length }),
    total > 0 || !isMeasured ? `${formatClock(total)}${isMeasured ? '' : '…'}` : '',
    unknown > 0 ? t('create.total.unknown', { count: unknown }) : '',
    bytes > 0 ? formatBytes(bytes, locale) : '',
    startable.length < sources.length
      ? t('create.total.problems', { count: sources.length - startable.length })
      : '',
  ].filter((fact) => fact !== '');
  // A link may have the name of a file.
  const listed = sources.map((source, index) => ({ source, key: `${index}-${sourceName(source)}` }));
  return (
    <>
      <p className="tnum mb-1 text-xs font-medium text-ink-2">{facts.join(' · ')}</p>
      <ul className="mb-3 max-h-44 overflow-y-auto">
        {listed.map(({ source, key }) => (
          <SourceItem
            key={key}
            source={source}
            seconds={lengths.get(source) ?? 0}
            problem={problems.get(source)}
            onRemove={() => onRemove(source)}
          />
        ))}
      </ul>
    </>
  );
};

type ItemProps = { source: Source; seconds: number; problem: Problem; onRemove: () => void };

const SourceItem = ({ source, seconds, problem, onRemove }: ItemProps) => {
  const { t, locale } = useI18n();
  return (
    <li className="flex items-center gap-2.5 border-b border-line py-1 last:border-0">
      <span className="min-w-0 flex-1 font-mono text-2xs [overflow-wrap:anywhere]">{sourceName(source)}</span>
      {problem !== undefined && (
        <span role="alert" className="text-xs text-bad">
          {t(problem)}
        </span>
      )}
      {problem === undefined && (
        <span className="tnum text-xs whitespace-nowrap text-ink-2">
          {[
            seconds > 0 ? formatClock(seconds) : '',
            source.kind === 'file' ? formatBytes(source.file.size, locale) : '',
          ]
            .filter((fact) => fact !== '')
            .join(' · ')}
        </span>
      )}
      <IconButton label={t('create.remove', { name: sourceName(source) })} onClick={onRemove}>
        <X size={14} aria-hidden />
      </IconButton>
    </li>
  );
};

const AddSources = ({ onAdd }: { onAdd: (sources: readonly Source[]) => void }) => {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const [isInvalid, setIsInvalid] = useState(false);
  const addLinks = () => {
    const urls = parseLinks(text);
    setIsInvalid(urls.length === 0);
    if (urls.length === 0) return;
    onAdd(urls.map((url) => ({ kind: 'url', url })));
    setText('');
  };
  return (
    <div className="flex flex-wrap items-start gap-2">
      <FileButton
        label={t('drop.choose')}
        icon={<FolderOpen size={16} strokeWidth={1.75} aria-hidden />}
        accept={RECORDINGS}
        onFiles={(files) => onAdd(files.map((file) => ({ kind: 'file', file })))}
      />
      <div className="min-w-[220px] flex-1">
        <div className="flex gap-2">
          <TextInput
            type="url"
            aria-label={t('create.link')}
            placeholder="https://…"
            value={text}
            aria-invalid={isInvalid}
            onChange={(event) => {
              setText(event.target.value);
              setIsInvalid(false);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              addLinks();
            }}
          />
          <Button onClick={addLinks} disabled={text.trim() === ''}>
            <Link2 size={16} strokeWidth={1.75} aria-hidden />
            {t('create.addLink')}
          </Button>
        </div>
        {isInvalid && (
          <p role="alert" className="mt-1.5 text-xs text-bad">
            {t('create.linkInvalid')}
          </p>
        )}
      </div>
    </div>
  );
};

/** For a stored file that the browser cannot decode; the server may still. */
const NO_PREVIEW: AudioPreview = { duration: 0, peaks: undefined };

type SingleSourceProps = {
  source: Source;
  problem: Problem;
  range: Range;
  onRange: (range: Range) => void;
  onDuration: (seconds: number) => void;
  onRemove: () => void;
  onKeep: () => void;
};

const SingleSource = (props: SingleSourceProps) => {
  const { source, problem, range, onRange, onDuration, onRemove, onKeep } = props;
  const { client, baseUrl } = useServices();
  const { t, locale } = useI18n();
  const [audio, setAudio] = useState<AudioPreview>();
  useEffect(() => {
    if (source.kind === 'url') return;
    const controller = new AbortController();
    const { signal } = controller;
    const reading =
      source.kind === 'file'
        ? previewFile(source.file)
        : previewStoredFile(client, baseUrl, source.key, signal).catch(() => NO_PREVIEW);
    void reading.then((read) => {
      if (signal.aborted) return;
      setAudio(read);
      onDuration(read.duration);
    });
    return () => controller.abort();
  }, [source, onDuration, client, baseUrl]);

  const facts = [
    audio !== undefined && audio.duration > 0 ? formatClock(audio.duration) : '',
    source.kind === 'file' ? formatBytes(source.file.size, locale) : '',
    source.kind === 'url' ? t('create.fromLink') : '',
    source.kind === 'stored' ? t('create.fromStore') : '',
  ].filter((fact) => fact !== '');
  return (
    <div className="rounded-box border border-line bg-ground p-3">
      <div className="flex items-center gap-3">
        <AudioLines size={18} strokeWidth={1.75} className="text-ink-2" aria-hidden />
        <div className="min-w-0 flex-1">
          <p className="font-[580] [overflow-wrap:anywhere]">{sourceName(source)}</p>
          <p className="tnum text-xs text-ink-2">{facts.join(' · ')}</p>
        </div>
        {source.kind === 'file' && source.recording !== undefined && (
          <Button variant="link" onClick={onKeep}>
            {t('record.recovered.keep')}
          </Button>
        )}
        <Button variant="link" onClick={onRemove}>
          {t('create.change')}
        </Button>
      </div>
      {problem === undefined ? (
        <RangeFields
          peaks={audio?.peaks}
          duration={audio?.duration ?? 0}
          range={range}
          onChange={onRange}
          isPending={source.kind !== 'url' && audio === undefined}
        />
      ) : (
        <p role="alert" className="mt-2.5 text-bad">
          {t(problem)}
        </p>
      )}
    </div>
  );
};
