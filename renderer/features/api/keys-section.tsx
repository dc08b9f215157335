import { Plus, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, KeyWithSecret } from '../../../electron/contract/account.ts';
import { describeError } from '../../api/errors.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatRelativeDay } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { TextInput } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';

type PendingAction = { readonly action: 'rotate' | 'revoke'; readonly key: ApiKey };

/** Creates, rotates and revokes API keys. A new key is shown once. */
export const KeysSection = () => {
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const apiKeys = useApi('listKeys');
  const [secret, setSecret] = useState<KeyWithSecret>();
  const [pending, setPending] = useState<PendingAction>();

  const run = async (work: () => Promise<KeyWithSecret | undefined>) => {
    try {
      setSecret(await work());
      void apiKeys.refetch();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const confirm = () => {
    if (pending === undefined) return;
    const { id } = pending.key;
    setPending(undefined);
    void run(async () => {
      if (pending.action === 'rotate') return (await client.call('rotateKey', { params: { id } })).data;
      await client.call('revokeKey', { params: { id } });
      return undefined;
    });
  };
  return (
    <Section title={t('keys.section')} text={t('keys.section.text')}>
      <NewKeyForm
        onCreate={(name) => void run(async () => (await client.call('createKey', { body: { name } })).data)}
      />
      {secret !== undefined && (
        <div className="enter my-3">
          <Callout tone="good">{t('keys.once', { name: secret.name })}</Callout>
          <div className="mt-2">
            <CodeBlock
              label={t('keys.secret')}
              code={secret.key}
              copyLabel={t('common.copy')}
              copiedLabel={t('common.copied')}
            />
          </div>
        </div>
      )}
      <QueryView query={apiKeys} rows={1}>
        {({ data: keys }) =>
          keys.length === 0 ? (
            <p className="mt-3 text-ink-2">{t('keys.none')}</p>
          ) : (
            <ul aria-label={t('keys.section')} className="mt-1">
              {keys.map((key) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  onRotate={() => setPending({ action: 'rotate', key })}
                  onRevoke={() => setPending({ action: 'revoke', key })}
                />
              ))}
            </ul>
          )
        }
      </QueryView>
      {pending !== undefined && (
        <ConfirmDialog
          title={t(pending.action === 'rotate' ? 'keys.rotate.title' : 'keys.revoke.title', {
            name: pending.key.name,
          })}
          text={t(pending.action === 'rotate' ? 'keys.rotate.text' : 'keys.revoke.text')}
          confirmLabel={t(pending.action === 'rotate' ? 'keys.rotate' : 'keys.revoke')}
          cancelLabel={t('common.cancel')}
          onConfirm={confirm}
          onCancel={() => setPending(undefined)}
        />
      )}
    </Section>
  );
};

const NewKeyForm = ({ onCreate }: { onCreate: (name: string) => void }) => {
  const { t } = useI18n();
  const [name, setName] = useState('');
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(name.trim());
        setName('');
      }}
    >
      <TextInput
        aria-label={t('keys.name')}
        placeholder={t('keys.name')}
        value={name}
        maxLength={200}
        className="max-w-[320px]"
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        <Plus size={15} aria-hidden />
        {t('keys.create')}
      </Button>
    </form>
  );
};

type RowProps = { apiKey: ApiKey; onRotate: () => void; onRevoke: () => void };

const KeyRow = ({ apiKey, onRotate, onRevoke }: RowProps) => {
  const { t, locale } = useI18n();
  return (
    <li className="flex items-center gap-3 border-b border-line py-2">
      <div className="min-w-0 flex-1">
        <span className="block truncate font-[580]">{apiKey.name}</span>
        <span className="text-xs text-ink-2">
          <span className="font-mono text-2xs">{apiKey.prefix}…</span>
          {' · '}
          {apiKey.last_used_at === null
            ? t('keys.unused')
            : t('keys.used', { when: formatRelativeDay(apiKey.last_used_at, locale) })}
        </span>
      </div>
      <IconButton label={t('keys.rotate.of', { name: apiKey.name })} onClick={onRotate}>
        <RefreshCw size={15} aria-hidden />
      </IconButton>
      <IconButton label={t('keys.revoke.of', { name: apiKey.name })} onClick={onRevoke}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </li>
  );
};
