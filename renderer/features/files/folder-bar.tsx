import { ChevronRight, Folder } from 'lucide-react';
import { useI18n } from '../../hooks/services.tsx';
import { hrefOf } from '../../stores/router.ts';

const LINK =
  'inline-flex h-7 items-center gap-1.5 rounded-ctl px-2 text-ink-2 hover:bg-sunken hover:text-ink';

/** The path of the folder and its subfolders. */
export const FolderBar = ({ folder, folders }: { folder: string; folders: readonly string[] }) => {
  const { t } = useI18n();
  const parts = folder === '' ? [] : folder.split('/');
  const prefix = folder === '' ? '' : `${folder}/`;
  const subfolders = [
    ...new Set(
      folders
        .filter((each) => each.startsWith(prefix) && each !== folder)
        .map((each) => each.slice(prefix.length).split('/')[0] ?? ''),
    ),
  ].filter((name) => name !== '');
  return (
    <nav aria-label={t('files.folders')} className="flex flex-wrap items-center gap-0.5">
      <a href={hrefOf({ screen: 'files' })} className={LINK}>
        {t('files.all')}
      </a>
      {parts.map((part, index) => (
        <span key={parts.slice(0, index + 1).join('/')} className="inline-flex items-center">
          <ChevronRight size={14} className="text-ink-3 rtl:rotate-180" aria-hidden />
          <a
            href={hrefOf({ screen: 'files', param: parts.slice(0, index + 1).join('/') })}
            aria-current={index === parts.length - 1 ? 'page' : undefined}
            className={LINK}
          >
            {part}
          </a>
        </span>
      ))}
      {subfolders.length > 0 && <span className="mx-1 h-4 w-px bg-line-2" aria-hidden />}
      {subfolders.map((name) => (
        <a key={name} href={hrefOf({ screen: 'files', param: prefix + name })} className={LINK}>
          <Folder size={14} strokeWidth={1.75} aria-hidden />
          {name}
        </a>
      ))}
    </nav>
  );
};
