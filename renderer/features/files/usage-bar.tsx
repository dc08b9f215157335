import type { z } from 'zod';
import type { StorageUsage } from '../../../electron/contract/storage.ts';
import { useI18n } from '../../app/services.tsx';
import { formatBytes } from '../../lib/format.ts';
import { ProgressBar } from '../../ui/bits.tsx';

export const UsageBar = ({ usage }: { usage: z.output<typeof StorageUsage>['data'] }) => {
  const { t, locale } = useI18n();
  const share = usage.storageLimit === 0 ? 0 : usage.totalStorageUsed / usage.storageLimit;
  return (
    <div className="max-w-[520px]">
      <p className="tnum mb-1.5 flex text-xs text-ink-2">
        <span className="flex-1">
          {t('files.used', {
            used: formatBytes(usage.totalStorageUsed, locale),
            limit: formatBytes(usage.storageLimit, locale),
          })}
        </span>
        {t('files.count', { count: usage.fileCount })}
      </p>
      <ProgressBar value={share} label={t('files.usage')} />
    </div>
  );
};
