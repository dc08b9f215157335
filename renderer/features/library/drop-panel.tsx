import { FolderOpen } from 'lucide-react';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { FileButton, RECORDINGS } from '../../ui/file-button.tsx';

/** Peaks of the bundled sample recording, in hundredths. */
const SAMPLE_PEAKS = [
  0, 0, 15, 100, 16, 78, 36, 62, 17, 0, 62, 60, 67, 58, 45, 72, 54, 61, 5, 45, 86, 38, 4, 60, 21, 62, 54, 51,
  62, 24, 90, 71, 33, 55, 43, 6, 0, 0, 47, 77, 81, 44, 29, 39, 27, 81, 33, 79, 92, 15, 77, 71, 100, 47, 29, 5,
  0, 0, 0, 0, 69, 73, 100, 86, 74, 16, 51, 79, 99, 87, 19, 64, 18, 61, 67, 100, 79, 19, 23, 79, 40, 6, 0, 10,
  92, 96, 42, 47, 91, 92, 23, 53, 82, 74, 16, 13, 0, 0,
];
const SAMPLE_PATH = SAMPLE_PEAKS.map((peak, index) => {
  const half = 1.5 + peak * 0.44;
  return `M${index * 4 + 2} ${50 - half}v${half * 2}`;
}).join('');

/** Invites to drop files, and opens the file dialog. */
export const DropPanel = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  return (
    <section
      aria-label={t('drop.label')}
      className="relative flex flex-wrap items-center gap-x-6 gap-y-4 overflow-hidden rounded-sheet border-[1.5px] border-dashed border-line-2 bg-ground px-5 py-6 sm:px-7"
    >
      <svg
        aria-hidden
        viewBox="0 0 392 100"
        preserveAspectRatio="none"
        className="absolute inset-y-1.5 start-[58%] end-[180px] hidden h-[calc(100%-12px)] w-[calc(42%-180px)] opacity-60 [mask-image:linear-gradient(90deg,transparent,#000_40%,#000_75%,transparent)] lg:block"
      >
        <path d={SAMPLE_PATH} stroke="var(--line-2)" strokeWidth="1.6" strokeLinecap="round" />
      </svg>
      <div className="relative min-w-0 flex-1 basis-64">
        <h2 className="font-serif text-xl leading-tight font-semibold tracking-[-.012em]">
          {t('drop.title')}
        </h2>
        <p className="mt-1 text-ink-2">{t('drop.text')}</p>
      </div>
      <FileButton
        label={t('drop.choose')}
        icon={<FolderOpen size={16} strokeWidth={1.75} aria-hidden />}
        accept={RECORDINGS}
        className="relative h-9"
        testId="file-input"
        onFiles={(files) =>
          dialogs.open({ kind: 'create', sources: files.map((file) => ({ kind: 'file', file })) })
        }
      />
    </section>
  );
};
