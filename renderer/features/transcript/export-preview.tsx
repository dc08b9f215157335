import { useQuery } from '@tanstack/react-query';
import { type DocxParagraph, readDocx } from '../../api/docx-preview.ts';
import { describeError } from '../../api/errors.ts';
import { type ExportOptions, fetchExport } from '../../api/export.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useReader } from './reader.tsx';

const MAX_CHARACTERS = 4000;
const MAX_PARAGRAPHS = 60;

type Preview = { readonly text?: string; readonly paragraphs?: readonly DocxParagraph[] };

type PreviewProps = {
  options: ExportOptions;
  /** Why the export could not be saved or copied; undefined if nothing failed. */
  failure: unknown;
};

/** The beginning of the exported file, or why there is none. */
export const ExportPreview = ({ options, failure }: PreviewProps) => {
  const { id } = useReader();
  const { client } = useServices();
  const { t } = useI18n();
  const answer = useQuery({
    queryKey: ['exportTranscript', id, options],
    // What the preview shows must be what the download would contain now.
    gcTime: 0,
    queryFn: async ({ signal }): Promise<Preview> => {
      const { blob } = await fetchExport(client, id, options, signal);
      return options.format === 'docx'
        ? { paragraphs: await readDocx(blob, MAX_PARAGRAPHS) }
        : { text: (await blob.slice(0, MAX_CHARACTERS * 2).text()).slice(0, MAX_CHARACTERS) };
    },
  });
  if (failure !== undefined || answer.isError) {
    return (
      <p role="alert" className="rounded-box bg-bad-soft p-4 text-bad">
        {describeError(failure ?? answer.error, t)}
      </p>
    );
  }
  const preview: Preview = answer.data ?? {};
  return (
    <ScrollRegion
      label={t('export.preview')}
      className={cx(
        'h-[420px] overflow-auto rounded-box p-4',
        preview.paragraphs ? 'bg-sunken' : 'bg-ground',
      )}
    >
      {preview.paragraphs !== undefined && <DocxPage paragraphs={preview.paragraphs} />}
      {preview.text !== undefined && (
        <pre className="font-mono text-xs leading-relaxed whitespace-pre-wrap">{preview.text}</pre>
      )}
    </ScrollRegion>
  );
};

const PARAGRAPH_CLASSES: Readonly<Record<DocxParagraph['kind'], string>> = {
  title: 'mb-2 text-lg font-semibold',
  heading: 'mt-4 mb-1.5 text-base font-semibold',
  speaker: 'mt-2.5 font-sans text-xs font-[580] text-ink-2',
  text: 'mb-1 leading-normal',
};

const DocxPage = ({ paragraphs }: { paragraphs: readonly DocxParagraph[] }) => {
  // Paragraphs may have equal texts.
  const listed = paragraphs.map((paragraph, index) => ({ ...paragraph, key: `${index}` }));
  return (
    <div className="mx-auto max-w-[440px] rounded-[3px] border border-line bg-raised px-8 py-7 font-serif shadow-low">
      {listed.map(({ key, kind, text }) => (
        <p key={key} className={PARAGRAPH_CLASSES[kind]}>
          {text}
        </p>
      ))}
    </div>
  );
};
