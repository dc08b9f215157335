import { useCallback } from 'react';
import { type DocxParagraph, readDocx } from '../../api/docx-preview.ts';
import { type ExportOptions, fetchExport } from '../../api/export.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { cx } from '../../lib/classes.ts';
import { errorText } from '../../lib/errors.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useReader } from './reader.tsx';

const CHARACTERS = 4000;
const PARAGRAPHS = 60;

type Shown = { readonly text?: string; readonly paragraphs?: readonly DocxParagraph[] };

/** The beginning of the file as it would be saved. */
export const ExportPreview = ({ options }: { options: ExportOptions }) => {
  const { id } = useReader();
  const { client } = useServices();
  const { t } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal): Promise<Shown> => {
      const { blob } = await fetchExport(client, id, options, signal);
      return options.format === 'docx'
        ? { paragraphs: await readDocx(blob, PARAGRAPHS) }
        : { text: (await blob.slice(0, CHARACTERS * 2).text()).slice(0, CHARACTERS) };
    },
    [client, id, options],
  );
  const { loaded } = useLoaded(load);
  if (loaded.state === 'failed') {
    return (
      <p role="alert" className="rounded-box bg-bad-soft p-4 text-bad">
        {errorText(loaded.error, t)}
      </p>
    );
  }
  const shown: Shown = loaded.state === 'ready' ? loaded.value : {};
  return (
    <ScrollRegion
      label={t('export.preview')}
      className={cx('h-[420px] overflow-auto rounded-box p-4', shown.paragraphs ? 'bg-sunken' : 'bg-ground')}
    >
      {shown.paragraphs !== undefined && <Page paragraphs={shown.paragraphs} />}
      {shown.text !== undefined && (
        <pre className="font-mono text-xs leading-relaxed whitespace-pre-wrap">{shown.text}</pre>
      )}
    </ScrollRegion>
  );
};

const LOOKS: Readonly<Record<DocxParagraph['kind'], string>> = {
  title: 'mb-2 text-lg font-semibold',
  heading: 'mt-4 mb-1.5 text-base font-semibold',
  speaker: 'mt-2.5 font-sans text-xs font-[580] text-ink-2',
  text: 'mb-1 leading-normal',
};

const Page = ({ paragraphs }: { paragraphs: readonly DocxParagraph[] }) => {
  // The same words may come twice: their place tells them apart.
  const listed = paragraphs.map((paragraph, place) => ({ ...paragraph, key: `${place}` }));
  return (
    <div className="mx-auto max-w-[440px] rounded-[3px] border border-line bg-raised px-8 py-7 font-serif shadow-low">
      {listed.map(({ key, kind, text }) => (
        <p key={key} className={LOOKS[kind]}>
          {text}
        </p>
      ))}
    </div>
  );
};
