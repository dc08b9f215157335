import { Terminal } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { RedactSource } from '../../../electron/contract/analysis.ts';
import type { VocabularyEntry } from '../../../electron/contract/vocabulary.ts';
import { invalidate } from '../../api/queries.ts';
import { AnalysisSwitches } from '../../domain/analysis-switches.tsx';
import { DiscardRecordingDialog } from '../../domain/discard-recording-dialog.tsx';
import { findModel, toUsableOptions, withoutChannels } from '../../domain/model-choice.ts';
import type { OriginalChoice } from '../../domain/redaction-fields.tsx';
import { type Range, toCurl, toRequest, WHOLE_RECORDING } from '../../domain/transcript-request.ts';
import { useTranscriptCounts } from '../../domain/use-library-actions.ts';
import { type Services, useApi, useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import type { Translate } from '../../i18n/index.ts';
import type { Source } from '../../stores/dialogs.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SkeletonRows } from '../../ui/feedback.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { ChannelsField } from './channels-field.tsx';
import { useFileProblems } from './check-file.ts';
import { LanguageAndSpeakers } from './language-fields.tsx';
import { ModelNote } from './model-note.tsx';
import { ModelPicker } from './model-picker.tsx';
import { SourceSection } from './source-section.tsx';
import { sourceName, startTranscriptions, uploadSource } from './start.ts';
import { useModelInstall } from './use-model-install.ts';
import { VerifyField } from './verify-field.tsx';
import { useTerms, VocabularyField } from './vocabulary-field.tsx';

/** The request for the first source as a `curl` command; a file that is not uploaded yet has a placeholder. */
const describeRequest = (
  baseUrl: string,
  source: Source | undefined,
  options: TranscriptionOptions,
  range: Range,
  original: RedactSource | undefined,
  vocabulary: readonly VocabularyEntry[],
) => {
  const url =
    source === undefined
      ? 'https://…'
      : source.kind === 'url'
        ? source.url
        : `storage:${source.kind === 'stored' ? source.key : `…/${sourceName(source)}`}`;
  return toCurl(baseUrl, { audio_url: url, ...toRequest(options, range, original, vocabulary) });
};

/** Stores a recording without transcribing it. */
const keepInFiles = async (services: Services, t: Translate, source: Source) => {
  try {
    await uploadSource(services, source);
    await invalidate(services.queries, ['listFiles']);
    services.toasts.show(t('record.kept', { name: sourceName(source) }));
  } catch (error) {
    // The list of uploads shows why it failed.
    console.info('The recording was not stored.', error instanceof Error ? error.name : '');
  }
};

/** The range and the duration of a single source. */
const useRange = (sources: readonly Source[]) => {
  const source = sources.length === 1 ? sources[0] : undefined;
  const [ranges, setRanges] = useState<ReadonlyMap<Source, Range>>(new Map());
  const [durations, setDurations] = useState<ReadonlyMap<Source, number>>(new Map());
  const range = (source && ranges.get(source)) ?? WHOLE_RECORDING;
  const duration = (source && durations.get(source)) ?? 0;
  return {
    range,
    setRange: (next: Range) => source !== undefined && setRanges(new Map([[source, next]])),
    setDuration: useCallback(
      (next: number) => source !== undefined && setDurations(new Map([[source, next]])),
      [source],
    ),
    /** Length of the range; 0 while unknown. */
    seconds: duration > 0 ? (range.to > 0 ? range.to : duration) - range.from : 0,
  };
};

/**
 * What becomes of the stored originals after a redaction: files given for this job alone are deleted, files that were
 * stored before are kept, unless the user says otherwise. Undefined if nothing is stored.
 */
const useOriginal = (sources: readonly Source[]): OriginalChoice | undefined => {
  const [chosen, setChosen] = useState<RedactSource>();
  const stored = sources.filter((source) => source.kind !== 'url');
  if (stored.length === 0) return undefined;
  const isOwn = stored.some((source) => source.kind === 'stored' && source.recovered === undefined);
  const usual = isOwn ? 'keep' : 'delete';
  return { value: chosen ?? usual, onChange: setChosen };
};

/** The choices that can work, the model among them, and its installation if it is missing. */
const useOptions = (onInstalled: () => void) => {
  const { prefs } = useServices();
  const remembered = usePrefs((state) => state.options);
  const [chosen, setChosen] = useState<string>();
  const query = useApi('listModels', { query: { catalog: true } });
  const models = query.data?.data ?? [];
  const options = toUsableOptions(models, remembered, chosen);
  const model = findModel(models, options.model);
  return {
    models,
    isPending: query.isPending,
    options,
    model,
    installation: useModelInstall(model, onInstalled),
    change: (part: Partial<TranscriptionOptions>) => {
      if (part.model !== undefined) setChosen(part.model);
      prefs.set({ options: { ...remembered, ...withoutChannels(part) } });
    },
  };
};

type CreateDialogProps = { sources: readonly Source[]; repeated: number };

const CreateDialog = ({ sources, repeated }: CreateDialogProps) => {
  const services = useServices();
  const { dialogs, toasts, router, baseUrl } = services;
  const { t } = useI18n();
  const { range, setRange, setDuration, seconds } = useRange(sources);
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false);
  const terms = useTerms();
  const isEmpty = useTranscriptCounts().all === 0;
  const problems = useFileProblems(sources);
  const startable = sources.filter((source) => problems.has(source) && problems.get(source) === undefined);
  const start = () => {
    const choices = {
      options,
      range,
      original: original?.value ?? 'keep',
      vocabulary: terms.vocabulary,
      isFirst: isEmpty && startable.length === 1,
    };
    startTranscriptions(services, t, startable, choices);
    dialogs.close();
    router.go({ screen: 'library' });
  };
  const original = useOriginal(sources);
  const { models, isPending, options, model, installation, change } = useOptions(start);
  const { isInstalling, error, install, stop } = installation;
  const isMissing = model?.installed === false;

  const isRangeInvalid = range.to !== 0 && range.to <= range.from;
  const canSubmit = startable.length > 0 && !isRangeInvalid && terms.isValid && !isPending && !isInstalling;
  const submit = () => {
    if (!canSubmit) return;
    if (isMissing) void install();
    else start();
  };
  const recordings = sources.flatMap((source) =>
    source.kind === 'file' && source.recording !== undefined ? [source.recording] : [],
  );
  const close = () => {
    if (recordings.length > 0) {
      setIsConfirmingDiscard(true);
      return;
    }
    stop();
    dialogs.close();
  };
  const copyCurl = async () => {
    await navigator.clipboard.writeText(
      describeRequest(baseUrl, sources[0], options, range, original?.value, terms.vocabulary),
    );
    toasts.show(t('common.copied'));
  };

  return (
    <Dialog
      title={t('create.title')}
      closeLabel={t('common.close')}
      onClose={close}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
      }}
      footer={
        <>
          <Button variant="ghost" onClick={() => void copyCurl()}>
            <Terminal size={16} strokeWidth={1.75} aria-hidden />
            {t('create.curl')}
          </Button>
          <span className="flex-1" />
          <Button variant="ghost" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button variant="primary" disabled={!canSubmit} onClick={submit}>
            {isMissing
              ? t('create.installAndStart')
              : sources.length > 1
                ? t('create.startMany', { count: startable.length })
                : t('create.start')}
            <Kbd className="max-sm:hidden">Ctrl ↵</Kbd>
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => event.preventDefault()}>
        <SourceSection
          sources={sources}
          problems={problems}
          range={range}
          repeated={repeated}
          onAdd={dialogs.addSources}
          onKeep={(source) => {
            dialogs.close();
            void keepInFiles(services, t, source);
          }}
          onRemove={(source) => {
            if (source.kind === 'file' && source.recording !== undefined)
              void services.recording.leave(source.recording);
            dialogs.open({ kind: 'create', sources: sources.filter((each) => each !== source) });
          }}
          onRange={setRange}
          onDuration={setDuration}
        />
        {isPending ? (
          // What depends on the models would move when they arrive.
          <div className="mt-5 min-h-[560px]">
            <SkeletonRows label={t('common.loading')} rows={6} />
          </div>
        ) : (
          <>
            <ModelPicker
              models={models}
              value={options.model}
              language={options.language}
              seconds={seconds}
              disabled={isInstalling}
              onChange={(name) => change({ model: name })}
            >
              <ModelNote model={model} error={error} isInstalling={isInstalling} onLeave={dialogs.close} />
            </ModelPicker>
            <VerifyField models={models} options={options} seconds={seconds} onChange={change} />
            <LanguageAndSpeakers options={options} model={model} onChange={change} />
            <VocabularyField terms={terms} />
            <ChannelsField options={options} onChange={change} />
            <AnalysisSwitches options={options} onChange={change} original={original} />
          </>
        )}
      </form>
      {isConfirmingDiscard && (
        <DiscardRecordingDialog
          onKeep={() => setIsConfirmingDiscard(false)}
          onDiscard={() => {
            for (const id of recordings) services.recording.remove(id).catch(reportError);
            dialogs.close();
          }}
        />
      )}
    </Dialog>
  );
};
export default CreateDialog;
