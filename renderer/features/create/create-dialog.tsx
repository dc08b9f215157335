import { Terminal } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useI18n, usePrefs, useServices } from '../../app/services.tsx';
import { useLoaded } from '../../lib/use-loaded.ts';
import type { Source } from '../../stores/dialogs.ts';
import type { Options } from '../../stores/prefs.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { AnalysisSwitches } from './analysis-switches.tsx';
import { DiscardRecording } from './discard-recording.tsx';
import { LanguageAndSpeakers } from './language-fields.tsx';
import { ModelCards } from './model-cards.tsx';
import { type Range, toCurl, toRequest, WHOLE } from './request.ts';
import { SourceSection } from './source-section.tsx';
import { sourceName, startAll } from './start.ts';

const CreateDialog = ({ first }: { first: readonly Source[] }) => {
  const services = useServices();
  const { client, dialogs, prefs, toasts, router, baseUrl } = services;
  const { t } = useI18n();
  const [sources, setSources] = useState(first);
  const options = usePrefs((state) => state.options);
  const [range, setRange] = useState<Range>(WHOLE);
  const [duration, setDuration] = useState(0);
  const [leaving, setLeaving] = useState(false);
  const loadModels = useCallback(
    async (signal: AbortSignal) => (await client.call('listModels', { signal })).data,
    [client],
  );
  const models = useLoaded(loadModels);
  const change = (part: Partial<Options>) => prefs.set({ options: { ...options, ...part } });

  const seconds =
    sources.length === 1 && duration > 0 ? (range.to > 0 ? range.to : duration) - range.from : 0;
  const curl = useMemo(() => {
    const source = sources[0];
    const url =
      source === undefined
        ? 'https://…'
        : source.kind === 'url'
          ? source.url
          : `storage:${source.kind === 'stored' ? source.key : `…/${sourceName(source)}`}`;
    return toCurl(baseUrl, toRequest(url, options, range));
  }, [sources, options, range, baseUrl]);

  const fault = range.to !== 0 && range.to <= range.from;
  const ready = sources.length > 0 && !fault;
  const submit = () => {
    if (!ready) return;
    startAll(services, t, sources, options, sources.length === 1 ? range : WHOLE);
    dialogs.close();
    router.go({ screen: 'library' });
  };
  // A recording from the microphone exists nowhere else yet.
  const leave = () => {
    if (sources.some((source) => source.kind === 'file' && source.recorded === true)) setLeaving(true);
    else dialogs.close();
  };
  const copyCurl = async () => {
    await navigator.clipboard.writeText(curl);
    toasts.show(t('common.copied'));
  };

  return (
    <Dialog
      title={t('create.title')}
      closeLabel={t('common.close')}
      onClose={leave}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
      }}
      footer={
        <>
          <Button look="ghost" onClick={() => void copyCurl()}>
            <Terminal size={16} strokeWidth={1.75} aria-hidden />
            {t('create.curl')}
          </Button>
          <span className="flex-1" />
          <Button look="ghost" onClick={leave}>
            {t('common.cancel')}
          </Button>
          <Button look="primary" disabled={!ready} onClick={submit}>
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
          onSources={(next) => {
            setSources(next);
            setRange(WHOLE);
            setDuration(0);
          }}
          onRange={setRange}
          onDuration={setDuration}
        />
        <ModelCards
          models={models.loaded}
          value={options.model}
          seconds={seconds}
          onChange={(model) => change({ model })}
        />
        <LanguageAndSpeakers options={options} onChange={change} />
        <AnalysisSwitches options={options} onChange={change} />
      </form>
      {leaving && <DiscardRecording onKeep={() => setLeaving(false)} />}
    </Dialog>
  );
};
export default CreateDialog;
