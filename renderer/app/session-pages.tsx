import { KeyRound, PlugZap } from 'lucide-react';
import { useEffect, useState } from 'react';
import { describeError } from '../api/errors.ts';
import { openCommand, rememberPlace, signInWithKey } from '../api/session.ts';
import { useCoreServices, useI18n } from '../hooks/services.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { BrandMark, CenteredPage } from '../ui/page.tsx';

export const StartingPage = () => {
  const { t } = useI18n();
  return (
    <CenteredPage>
      <div role="status" className="fade flex items-center gap-3 text-ink-2">
        <BrandMark size={28} />
        {t('session.starting')}
      </div>
    </CenteredPage>
  );
};

export const UnreachablePage = ({ onRetry }: { onRetry: () => void }) => {
  const { t } = useI18n();
  return (
    <CenteredPage>
      <div className="max-w-[440px]">
        <PlugZap size={28} className="text-ink-3" aria-hidden />
        <h1 className="mt-4 font-serif text-xl font-semibold">{t('session.unreachable.title')}</h1>
        <p className="mt-2 text-ink-2">{t('session.unreachable.text')}</p>
        <Button variant="primary" className="mt-5" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      </div>
    </CenteredPage>
  );
};

type SignInProps = {
  /** The address had a link, which was used before. */
  hadLink: boolean;
  onSignedIn: () => void;
};

/** Shown without a valid session: explains how to get a link, and accepts an API key. */
export const SignInPage = ({ hadLink, onSignedIn }: SignInProps) => {
  const { baseUrl } = useCoreServices();
  const { t } = useI18n();
  const [key, setKey] = useState('');
  const command = openCommand(localStorage);
  useEffect(() => rememberPlace(window.location.hash, localStorage), []);
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      if (await signInWithKey(baseUrl, key.trim(), sessionStorage)) onSignedIn();
      else setError(t('session.signedOut.wrong'));
    } catch (error) {
      setError(describeError(error, t));
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <CenteredPage>
      <div className="w-full max-w-[440px]">
        <KeyRound size={28} className="text-ink-3" aria-hidden />
        <h1 className="mt-4 font-serif text-xl font-semibold">
          {t(hadLink ? 'session.signedOut.title' : 'session.noLink.title')}
        </h1>
        <p className="mt-2 text-ink-2">{t(hadLink ? 'session.signedOut.text' : 'session.noLink.text')}</p>
        <div className="mt-3">
          <CodeBlock
            code={command ?? 'earshot open'}
            label={t('session.command')}
            copyLabel={t('common.copy')}
            copiedLabel={t('common.copied')}
          />
        </div>
        {command === undefined && <p className="mt-2 text-ink-2">{t('session.clone')}</p>}
        <p className="mt-4 text-ink-2">{t('session.kept')}</p>
        <form
          className="mt-6 flex items-start gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field label={t('session.signedOut.key')} error={error} className="flex-1">
            {(ids) => (
              <TextInput
                {...ids}
                type="password"
                autoComplete="off"
                placeholder="ek_…"
                value={key}
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
          <Button
            type="submit"
            variant="primary"
            className="mt-[23px]"
            disabled={isBusy || key.trim() === ''}
          >
            {t('session.signedOut.open')}
          </Button>
        </form>
      </div>
    </CenteredPage>
  );
};
