import { Check, ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import sampleUrl from '../../../resources/samples/two-readers.mp3?url';
import { describeError } from '../../api/errors.ts';
import { findModel, listSpeechModels, usableModel } from '../../domain/model-choice.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { useApi, useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import { formatBytes } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';

/** Shown for an empty library: privacy, choice of a model, first recording. */
export const FirstSteps = () => {
  const { t } = useI18n();
  return (
    <section aria-label={t('welcome.label')} className="mt-8 grid gap-x-8 gap-y-8 lg:grid-cols-3">
      <Step number={1} title={t('welcome.privacy')}>
        <p>{t('welcome.privacy.text')}</p>
        <p className="mt-3 flex items-center gap-2 text-good">
          <ShieldCheck size={16} strokeWidth={1.75} aria-hidden />
          {t('welcome.privacy.proof')}
        </p>
      </Step>
      <Step number={2} title={t('welcome.model')}>
        <ModelChoice />
      </Step>
      <Step number={3} title={t('welcome.begin')}>
        <p>{t('welcome.begin.text')}</p>
        <SampleButton />
      </Step>
    </section>
  );
};

const Step = ({ number, title, children }: { number: number; title: string; children: ReactNode }) => (
  <div className="border-t border-line pt-4">
    <p className="tnum font-mono text-xs text-accent-text">{number}</p>
    <h2 className="mt-1 mb-2 font-serif text-lg font-semibold tracking-[-.01em]">{title}</h2>
    <div className="text-ink-2">{children}</div>
  </div>
);

const listChoices = (models: readonly Model[]) => {
  const speech = listSpeechModels(models);
  return speech.filter((model) => model.aliases.length > 0 || model.installed).slice(0, 5);
};

const ModelChoice = () => {
  const { prefs } = useServices();
  const { t, locale } = useI18n();
  const options = usePrefs((state) => state.options);
  const models = useApi('listModels', { query: { catalog: true } });
  const choose = (model: Model) =>
    prefs.set({ options: { ...options, model: model.aliases[0] ?? model.id } });
  const isChosen = (model: Model, all: readonly Model[]) =>
    model === findModel(all, usableModel(all, options.model));
  return (
    <>
      <p>{t('welcome.model.text')}</p>
      <QueryView query={models}>
        {({ data }) => (
          <ul className="mt-3 flex flex-col">
            {listChoices(data).map((model) => (
              <li key={model.id} className="flex min-h-9 items-center gap-2 border-b border-line">
                <span className="min-w-0 flex-1 truncate text-ink">
                  {model.name}
                  <span className="tnum ms-2 text-xs text-ink-3">{formatBytes(model.size, locale)}</span>
                </span>
                {!model.installed && (
                  <a
                    href={hrefOf({ screen: 'models' })}
                    className="text-accent-text underline underline-offset-[3px]"
                  >
                    {t('welcome.model.get')}
                  </a>
                )}
                {model.installed && isChosen(model, data) && (
                  <span className="inline-flex items-center gap-1 text-good">
                    <Check size={14} aria-hidden />
                    {t(model.in_use ? 'welcome.model.chosen' : 'welcome.model.selected')}
                  </span>
                )}
                {model.installed && !isChosen(model, data) && (
                  <Button variant="link" onClick={() => choose(model)}>
                    {t('welcome.model.use')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </>
  );
};

/** Opens the New dialog with the bundled sample. */
const SampleButton = () => {
  const { dialogs, toasts } = useServices();
  const { t } = useI18n();
  const [isFetching, setIsFetching] = useState(false);
  const open = async () => {
    setIsFetching(true);
    try {
      const response = await fetch(sampleUrl);
      const file = new File([await response.blob()], 'two-readers.mp3', { type: 'audio/mpeg' });
      dialogs.open({ kind: 'create', sources: [{ kind: 'file', file }] });
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
    setIsFetching(false);
  };
  return (
    <Button className="mt-3" disabled={isFetching} aria-busy={isFetching} onClick={() => void open()}>
      {t('welcome.sample')}
    </Button>
  );
};
