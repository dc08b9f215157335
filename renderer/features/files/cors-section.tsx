import { useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import { CORS_METHODS, type CorsRequest } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatDateTime } from '../../lib/format.ts';
import { Chip } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';

type Method = CorsRequest['allowedMethods'][number];
type Draft = {
  readonly origins: string;
  readonly methods: readonly Method[];
  readonly headers: string;
  readonly seconds: string;
};

const splitList = (text: string) =>
  text
    .split(/[\n,]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** The CORS rules of the object store. */
export const CorsSection = () => {
  const { t, locale } = useI18n();
  const answer = useApi('corsConfig');
  const [open, setOpen] = useState(false);
  if (answer.data === undefined) {
    return (
      <div className="mt-10 max-w-[720px]">
        <Section title={t('cors.title')}>
          <QueryView query={answer} rows={1}>
            {() => null}
          </QueryView>
        </Section>
      </div>
    );
  }
  const config = answer.data.data;
  const hasNoRules = config.lastUpdated === null || config.allowedOrigins.length === 0;
  return (
    <div className="mt-10 max-w-[720px]">
      <Section
        title={t('cors.title')}
        text={hasNoRules ? t('cors.none') : t('cors.some', { origins: config.allowedOrigins.join(', ') })}
        action={
          <Button aria-expanded={open} onClick={() => setOpen(!open)}>
            {t('cors.change')}
          </Button>
        }
      >
        {open ? (
          <CorsForm
            initial={{
              origins: config.allowedOrigins.join('\n'),
              methods: hasNoRules
                ? ['GET']
                : CORS_METHODS.filter((method) => config.allowedMethods.includes(method)),
              headers: hasNoRules ? '*' : config.allowedHeaders.join(', '),
              seconds: String(hasNoRules ? 3600 : config.maxAgeSeconds),
            }}
            onSaved={() => {
              setOpen(false);
              void answer.refetch();
            }}
          />
        ) : (
          config.lastUpdated !== null && (
            <p className="text-xs text-ink-3">
              {t('cors.updated', { when: formatDateTime(config.lastUpdated, locale) })}
            </p>
          )
        )}
      </Section>
    </div>
  );
};

const CorsForm = ({ initial, onSaved }: { initial: Draft; onSaved: () => void }) => {
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const [draft, setDraft] = useState(initial);
  const [error, setError] = useState<string>();
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    setError(undefined);
    try {
      await client.call('configureCors', {
        body: {
          allowedOrigins: splitList(draft.origins),
          allowedMethods: [...draft.methods],
          allowedHeaders: splitList(draft.headers),
          maxAgeSeconds: Number(draft.seconds),
        },
      });
      toasts.show(t('cors.saved'));
      onSaved();
    } catch (reason) {
      if (reason instanceof ApiError && reason.status === 400) {
        setError(
          reason.details.map((detail) => `${detail.path}: ${detail.message}`).join('\n') || reason.message,
        );
      } else setError(describeError(reason, t));
    }
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={t('cors.origins')} hint={t('cors.origins.hint')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            value={draft.origins}
            placeholder="https://example.com"
            onChange={(event) => change({ origins: event.target.value })}
            className="w-full rounded-ctl border border-line-2 bg-raised px-2.5 py-1.5 font-mono text-xs"
          />
        )}
      </Field>
      {splitList(draft.origins).includes('*') && <Callout tone="warn">{t('cors.wildcardWarning')}</Callout>}
      <MethodChips methods={draft.methods} onChange={(methods) => change({ methods })} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('cors.headers')} hint={t('cors.headers.hint')}>
          {(ids) => (
            <TextInput
              {...ids}
              value={draft.headers}
              onChange={(event) => change({ headers: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('cors.maxAge')} hint={t('cors.maxAge.hint')}>
          {(ids) => (
            <TextInput
              {...ids}
              inputMode="numeric"
              value={draft.seconds}
              onChange={(event) => change({ seconds: event.target.value })}
            />
          )}
        </Field>
      </div>
      {error !== undefined && (
        <div role="alert" className="whitespace-pre-line">
          <Callout tone="bad">{error}</Callout>
        </div>
      )}
      <Button type="submit" variant="primary" className="self-start">
        {t('common.save')}
      </Button>
    </form>
  );
};

type ChipsProps = { methods: readonly Method[]; onChange: (methods: readonly Method[]) => void };

const MethodChips = ({ methods, onChange }: ChipsProps) => {
  const { t } = useI18n();
  return (
    <div>
      <p className="mb-1.5 text-xs font-medium text-ink-2">{t('cors.methods')}</p>
      <div className="flex flex-wrap gap-1.5">
        {CORS_METHODS.map((method) => (
          <Chip
            key={method}
            isOn={methods.includes(method)}
            onClick={() =>
              onChange(
                methods.includes(method) ? methods.filter((each) => each !== method) : [...methods, method],
              )
            }
          >
            {t(`cors.method.${method}`)}
          </Chip>
        ))}
      </div>
    </div>
  );
};
