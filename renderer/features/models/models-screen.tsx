import { AudioLines, UsersRound } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { Page } from '../../app/page.tsx';
import { PageHead, Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { debounce } from '../../lib/debounce.ts';
import { errorText } from '../../lib/errors.ts';
import { bytes, languageName, number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Blank, Note, Tag } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { DownloadLine, ModelActions } from './model-actions.tsx';

/** The models: what each is good for, and what is on this computer. */
const ModelsScreen = () => {
  const { client, live } = useServices();
  const { t } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('listModels', { signal })).data,
    [client],
  );
  const { loaded, again } = useLoaded(load);
  useEffect(() => {
    const refresh = debounce(again, 250);
    const stop = live.listen((event) => {
      if (event.type === 'model.progress') refresh();
    });
    return () => {
      stop();
      refresh.cancel();
    };
  }, [live, again]);
  const models = loaded.state === 'ready' ? loaded.value : [];
  const real = models.some((model) => model.installed && model.kind === 'whisper' && !model.demonstration);
  return (
    <Page>
      <div className="max-w-[880px]">
        <PageHead title={t('nav.models')} text={t('models.text')} />
        {loaded.state === 'failed' && (
          <Blank role="alert" title={t('models.failed')} text={errorText(loaded.error, t)}>
            <Button onClick={again}>{t('common.retry')}</Button>
          </Blank>
        )}
        {loaded.state === 'ready' && (
          <>
            {!real && (
              <div className="mb-5">
                <Note tone="warn">{t('models.nothing')}</Note>
              </div>
            )}
            <ModelGroup
              title={t('models.installed')}
              models={models.filter((model) => model.installed)}
              onChanged={again}
            />
            <ModelGroup
              title={t('models.available')}
              models={models.filter((model) => !model.installed)}
              onChanged={again}
            />
          </>
        )}
      </div>
    </Page>
  );
};
export default ModelsScreen;

type GroupProps = { title: string; models: readonly Model[]; onChanged: () => void };

const ModelGroup = ({ title, models, onChanged }: GroupProps) => {
  if (models.length === 0) return null;
  return (
    <Section title={title}>
      <ul>
        {models.map((model) => (
          <ModelRow key={model.id} model={model} onChanged={onChanged} />
        ))}
      </ul>
    </Section>
  );
};

const ModelRow = ({ model, onChanged }: { model: Model; onChanged: () => void }) => {
  const { t, locale } = useI18n();
  const Icon = model.kind === 'whisper' ? AudioLines : UsersRound;
  const languages =
    model.kind === 'speakers'
      ? t('models.speakers')
      : model.languages === 'multilingual'
        ? t('model.multilingual')
        : model.languages.map((code) => languageName(code, locale)).join(', ');
  const facts = [
    languages,
    bytes(model.size, locale),
    model.installed && model.kind === 'whisper'
      ? model.speed === null
        ? t('models.unmeasured')
        : t('models.speed', { speed: number(model.speed, locale, 1) })
      : '',
  ];
  return (
    <li className="flex items-start gap-4 border-b border-line py-3.5 last:border-0">
      <Icon size={18} strokeWidth={1.6} className="mt-0.5 text-ink-3" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-[580]">{model.demonstration ? t('models.demo') : model.name}</span>
          {model.aliases.length > 0 && <Tag>{t('models.answers', { names: model.aliases.join(', ') })}</Tag>}
        </p>
        <p className="mt-0.5 text-ink-2">{model.description}</p>
        <p className="tnum mt-0.5 text-xs text-ink-3">{facts.filter((fact) => fact !== '').join(' · ')}</p>
        <DownloadLine model={model} />
      </div>
      <ModelActions model={model} onChanged={onChanged} />
    </li>
  );
};
