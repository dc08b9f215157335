import { Terminal } from 'lucide-react';
import { useState } from 'react';
import { useI18n, usePrefs, useServices } from '../../app/services.tsx';
import { useApi } from '../../app/use-api.ts';
import type { Source } from '../../stores/dialogs.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { AnalysisSwitches } from './analysis-switches.tsx';
import { DiscardRecordingDialog } from './discard-recording-dialog.tsx';
import { LanguageAndSpeakers } from './language-fields.tsx';
import { ModelPicker } from './model-picker.tsx';
import { type Range, toCurl, toRequest, WHOLE_RECORDING } from './request.ts';
import { SourceSection } from './source-section.tsx';
import { sourceName, startTranscriptions } from './start.ts';

/** The request for the first source as a `curl` command; a file that is not uploaded yet has a placeholder. */
const describeRequest = (
  baseUrl: string,
  source: Source | undefined,
  options: TranscriptionOptions,
  range: Range,
) => {
  const url =
    source === undefined
      ? 'https://…'
      : source.kind === 'url'
        ? source.url
        : `storage:${source.kind === 'stored' ? source.key : `…/${sourceName(source)}`}`;
  return toCurl(baseUrl, toRequest(url, options, range));
};

/** The sources, with the range and the duration of a single one. */
const useSources = (initialSources: readonly Source[]) => {
  const [sources, setSources] = useState(initialSources);
  const [range, setRange] = useState<Range>(WHOLE_RECORDING);
  const [duration, setDuration] = useState(0);
  const isSingle = sources.length === 1;
  return {
    sources,
    setSources: (next: readonly Source[]) => {
      setSources(next);
      setRange(WHOLE_RECORDING);
      setDuration(0);
    },
    range: isSingle ? range : WHOLE_RECORDING,
    setRange,
    setDuration,
    /** Length of the range; 0 while unknown. */
    seconds: isSingle && duration > 0 ? (range.to > 0 ? range.to : duration) - range.from : 0,
  };
};

const CreateDialog = ({ initialSources }: { initialSources: readonly Source[] }) => {
  const services = useServices();
  const { dialogs, prefs, toasts, router, baseUrl } = services;
  const { t } = useI18n();
  const { sources, setSources, range, setRange, setDuration, seconds } = useSources(initialSources);
  const options = usePrefs((state) => state.options);
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false);
  const models = useApi('listModels');
  const change = (part: Partial<TranscriptionOptions>) => prefs.set({ options: { ...options, ...part } });

  const isRangeInvalid = range.to !== 0 && range.to <= range.from;
  const canSubmit = sources.length > 0 && !isRangeInvalid;
  const submit = () => {
    if (!canSubmit) return;
    startTranscriptions(services, t, sources, options, range);
    dialogs.close();
    router.go({ screen: 'library' });
  };
  // A recording from the microphone is not stored anywhere yet.
  const close = () => {
    if (sources.some((source) => source.kind === 'file' && source.isUnsavedRecording === true))
      setIsConfirmingDiscard(true);
    else dialogs.close();
  };
  const copyCurl = async () => {
    await navigator.clipboard.writeText(describeRequest(baseUrl, sources[0], options, range));
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
            {sources.length > 1 ? t('create.startMany', { count: sources.length }) : t('create.start')}
            <Kbd className="max-sm:hidden">Ctrl ↵</Kbd>
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => event.preventDefault()}>
        <SourceSection
          sources={sources}
          range={range}
          onSources={setSources}
          onRange={setRange}
          onDuration={setDuration}
        />
        <ModelPicker
          models={models.data?.data ?? []}
          value={options.model}
          seconds={seconds}
          onChange={(model) => change({ model })}
        />
        <LanguageAndSpeakers options={options} onChange={change} />
        <AnalysisSwitches options={options} onChange={change} />
      </form>
      {isConfirmingDiscard && <DiscardRecordingDialog onKeep={() => setIsConfirmingDiscard(false)} />}
    </Dialog>
  );
};
export default CreateDialog;
