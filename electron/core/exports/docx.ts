import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { ExportQuery } from '../../contract/exports.ts';
import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { formatLongClock } from '../base/time.ts';
import {
  documentFacts,
  documentTitle,
  type ExportTranscript,
  languageName,
  makeParagraphs,
  showsSpeakers,
  speakerName,
  summaryLines,
} from './document.ts';

/** Word's units: font sizes in half points, widths and spacing in twentieths of a point. */
const BODY_SIZE = 22;
const SMALL_SIZE = 18;
const GREY = '666666';
const INK = '1F2937';
const LABEL_WIDTH = 1600;
const VALUE_WIDTH = 7400;

/** Removes the noncharacters that XML 1.0 forbids; control characters are removed before. */
const xmlText = (text: string): string => text.replace(/[\ufffe\uffff]/g, '');

/** Word picks fonts and proofing by separate tags for East Asian and right-to-left languages. */
const languageTags = (language: string | null) => {
  const tag = language ?? 'und';
  if (tag === 'zh' || tag === 'yue') return { value: 'en-US', eastAsia: 'zh-CN' };
  if (tag === 'ja') return { value: 'en-US', eastAsia: 'ja-JP' };
  if (tag === 'ko') return { value: 'en-US', eastAsia: 'ko-KR' };
  return isRtlLanguage(language) ? { value: 'en-US', bidirectional: tag } : { value: tag };
};

type RunOptions = {
  bold?: boolean;
  color?: string;
  size?: number;
  language?: ReturnType<typeof languageTags>;
};

const run = (text: string, options: RunOptions = {}): TextRun =>
  new TextRun({ ...options, text: xmlText(text), rightToLeft: startsRtl(text) });

const factsTable = (transcript: ExportTranscript): Table => {
  const line = { style: BorderStyle.SINGLE, size: 2, color: 'E5E7EB' };
  const none = { style: BorderStyle.NONE, size: 0, color: 'auto' };
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    columnWidths: [LABEL_WIDTH, VALUE_WIDTH],
    borders: {
      top: line,
      bottom: line,
      left: none,
      right: none,
      insideHorizontal: line,
      insideVertical: none,
    },
    rows: documentFacts(transcript).map(
      ([label, value]) =>
        new TableRow({
          children: [
            new TableCell({
              width: { size: LABEL_WIDTH, type: WidthType.DXA },
              children: [new Paragraph({ children: [run(label, { color: GREY, size: SMALL_SIZE })] })],
            }),
            new TableCell({
              width: { size: VALUE_WIDTH, type: WidthType.DXA },
              children: [new Paragraph({ children: [run(value, { size: SMALL_SIZE })] })],
            }),
          ],
        }),
    ),
  });
};

const summarySection = (summary: string): Paragraph[] => [
  new Paragraph({ heading: HeadingLevel.HEADING_1, children: [run('Summary')] }),
  ...summaryLines(summary).map(
    ({ kind, text }) =>
      new Paragraph({
        ...(kind === 'heading' ? { heading: HeadingLevel.HEADING_2 } : {}),
        ...(kind === 'bullet' ? { bullet: { level: 0 } } : {}),
        bidirectional: startsRtl(text),
        children: [run(text)],
      }),
  ),
];

const transcriptSection = (transcript: ExportTranscript, query: ExportQuery): Paragraph[] => {
  const named = showsSpeakers(transcript, query.speakers);
  let { language } = transcript;
  return makeParagraphs(transcript).flatMap(({ text, start, speaker, newLanguage }) => {
    const head: TextRun[] = [];
    if (named && speaker !== null) {
      head.push(run(`${speakerName(transcript, speaker)}  `, { bold: true, color: INK }));
    }
    if (query.times !== false) head.push(run(formatLongClock(start), { color: GREY, size: SMALL_SIZE }));
    if (newLanguage !== null) {
      language = newLanguage;
      const name = `${head.length > 0 ? '  ' : ''}${languageName(newLanguage)}`;
      head.push(run(name, { color: GREY, size: SMALL_SIZE }));
    }
    const bidirectional = startsRtl(text);
    // The document's own language is that of its styles.
    const tags = language === transcript.language ? {} : { language: languageTags(language) };
    const body = new Paragraph({ style: 'Speech', bidirectional, children: [run(text, tags)] });
    if (head.length === 0) return [body];
    return [new Paragraph({ style: 'SpeakerLine', keepNext: true, bidirectional, children: head }), body];
  });
};

const footer = (): Footer =>
  new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.CENTER,
        children: [
          new TextRun({
            color: GREY,
            size: SMALL_SIZE,
            children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES],
          }),
        ],
      }),
    ],
  });

/**
 * A Word document: title, facts, warnings, summary, then paragraphs with speaker names and times. Named styles let the
 * user change the look in one place. Not reproducible: the file contains its creation time.
 */
export const renderDocx = async (transcript: ExportTranscript, query: ExportQuery): Promise<Uint8Array> => {
  const title = xmlText(documentTitle(transcript));
  const document = new Document({
    title,
    creator: 'Earshot',
    lastModifiedBy: 'Earshot',
    styles: {
      default: {
        document: {
          run: { font: 'Calibri', size: BODY_SIZE, language: languageTags(transcript.language) },
          paragraph: { spacing: { line: 276 } },
        },
        title: { run: { size: 40, bold: true, color: INK }, paragraph: { spacing: { after: 160 } } },
        heading1: {
          run: { size: 28, bold: true, color: INK },
          paragraph: { spacing: { before: 320, after: 120 } },
        },
        heading2: {
          run: { size: 24, bold: true, color: INK },
          paragraph: { spacing: { before: 160, after: 80 } },
        },
      },
      paragraphStyles: [
        { id: 'Speech', name: 'Speech', basedOn: 'Normal', paragraph: { spacing: { after: 160 } } },
        {
          id: 'SpeakerLine',
          name: 'Speaker Line',
          basedOn: 'Normal',
          paragraph: { spacing: { before: 80, after: 20 } },
        },
        {
          id: 'Notice',
          name: 'Notice',
          basedOn: 'Normal',
          run: { italics: true, color: GREY },
          paragraph: { spacing: { before: 120, after: 0 } },
        },
      ],
    },
    sections: [
      {
        footers: { default: footer() },
        children: [
          new Paragraph({
            heading: HeadingLevel.TITLE,
            bidirectional: startsRtl(title),
            children: [run(title)],
          }),
          factsTable(transcript),
          ...transcript.warnings.map((text) => new Paragraph({ style: 'Notice', children: [run(text)] })),
          ...(transcript.summary === undefined ? [] : summarySection(transcript.summary.text)),
          new Paragraph({ heading: HeadingLevel.HEADING_1, children: [run('Transcript')] }),
          ...transcriptSection(transcript, query),
        ],
      },
    ],
  });
  return new Uint8Array(await Packer.toBuffer(document));
};
