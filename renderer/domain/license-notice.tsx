import type { Model } from '../../electron/contract/system.ts';
import { useI18n } from '../hooks/services.tsx';
import { licenseNotice } from './models.ts';

/** Names a model's author and license if the license asks for it. */
export const LicenseNotice = ({ model }: { model: Model }) => {
  const { t } = useI18n();
  const notice = licenseNotice(model, t);
  return notice === undefined ? null : <p className="mt-0.5 text-xs text-ink-3">{notice}</p>;
};
