import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n } from '../../app/services.tsx';
import { SideHeading, TimeLink } from './side-panel-parts.tsx';

/** The page in which the recording was found, and its chapters, each to be heard; nothing for other recordings. */
export const SourcePage = ({ transcript }: { transcript: Transcription }) => {
  const { t } = useI18n();
  const { source, audio_url: url } = transcript;
  if (source === undefined) return null;
  return (
    <>
      <SideHeading>{t('source.page')}</SideHeading>
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        className="text-accent-text underline underline-offset-[3px] [overflow-wrap:anywhere]"
      >
        {source.title === '' ? url : source.title}
      </a>
      {source.recordings > 1 && (
        <p className="mt-1 text-xs text-ink-2">{t('source.several', { count: source.recordings })}</p>
      )}
      {source.chapters.length > 0 && (
        <>
          <SideHeading>{t('source.chapters')}</SideHeading>
          <ol>
            {source.chapters.map(({ title, start }) => (
              <li key={`${start}-${title}`} className="flex items-baseline gap-2.5 py-1">
                <TimeLink seconds={start} />
                <span className="min-w-0 [overflow-wrap:anywhere]">{title}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
};
