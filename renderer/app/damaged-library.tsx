import { DatabaseZap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { createClient } from '../../electron/contract/client.ts';
import { useI18n, useServices } from '../hooks/services.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CenteredPage } from '../ui/page.tsx';

/** Whether the server says that its library is damaged. False if it does not answer. */
export const hasDamagedLibrary = async (baseUrl: string): Promise<boolean> => {
  try {
    return (await createClient({ baseUrl }).call('health')).status === 'damaged';
  } catch {
    return false;
  }
};

const Step = ({ text, children }: { text: string; children?: ReactNode }) => (
  <li className="ps-1">
    {text}
    {children !== undefined && <div className="mt-2">{children}</div>}
  </li>
);

/** In place of a library that does not open: what happened, and how to repair it. */
export const DamagedLibraryPage = ({ onRetry }: { onRetry: () => void }) => {
  const { t } = useI18n();
  const code = (command: string) => (
    <CodeBlock code={command} label={command} copyLabel={t('common.copy')} copiedLabel={t('common.copied')} />
  );
  return (
    <CenteredPage>
      <div className="w-full max-w-[520px]">
        <DatabaseZap size={28} className="text-bad" aria-hidden />
        <h1 className="mt-4 font-serif text-xl font-semibold">{t('damaged.title')}</h1>
        <p className="mt-2 text-ink-2">{t('damaged.text')}</p>
        <p className="mt-2 text-ink-2">{t('damaged.backup')}</p>
        <h2 className="mt-6 font-semibold">{t('damaged.repair')}</h2>
        <ol className="mt-3 grid list-decimal gap-4 ps-5 text-ink-2">
          <Step text={t('damaged.quit')} />
          <Step text={t('damaged.doctor')}>{code('earshot doctor')}</Step>
          <Step text={t('damaged.doctorRepair')}>{code('earshot doctor --repair')}</Step>
          <Step text={t('damaged.start')} />
        </ol>
        <Button className="mt-6" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      </div>
    </CenteredPage>
  );
};

/** Stands above every screen once the server found its library damaged; what still works stays in reach. */
export const DamagedLibraryBanner = () => {
  const { t } = useI18n();
  const { live } = useServices();
  if (!useStore(live.store, ({ isLibraryDamaged }) => isLibraryDamaged)) return null;
  return (
    <p role="alert" className="flex items-center gap-2.5 bg-bad-soft px-4 py-2 text-bad lg:px-8">
      <DatabaseZap size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
      <span>{t('damaged.banner')}</span>
    </p>
  );
};
