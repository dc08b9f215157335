import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { ApiError } from '../../../electron/contract/client.ts';
import { damageIn } from '../../../electron/contract/warnings.ts';
import { describeError } from '../../api/errors.ts';
import { fetchAudioUrl } from '../../api/session.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { ScreenProps } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, EmptyState } from '../../ui/feedback.tsx';

import { AnalyzeTranscriptDialog } from './analyze-transcript-dialog.tsx';
import { AssignDialog } from './assign-dialog.tsx';
import { DiarizeDialog } from './diarize-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FindBar } from './find-bar.tsx';
import { JobView, ProgressCard, StoppedNotice } from './job-view.tsx';
import { readAcceptedWords } from './model/low-confidence.ts';
import { findSilenceGaps, getTimeline, isPartial } from './model/timeline.ts';
import { createPlayer } from './player.ts';
import { PlayerBar } from './player-bar.tsx';
import { createReaderView, type Reader, ReaderProvider, useReader } from './reader.tsx';
import { RedactDialog } from './redact-dialog.tsx';
import { ReviewBar } from './review-bar.tsx';
import { ConflictNotices, SaveErrorNotice } from './save-notices.tsx';
import { SidePanel } from './side-panel.tsx';
import { TextView } from './text-view.tsx';
import { createTranscriptEditor, isReadable, isReanalyzing } from './transcript-editor.ts';
import { TranscriptHeader } from './transcript-header.tsx';
import { useHistory } from './use-history.ts';
import { useReaderShortcuts } from './use-reader-shortcuts.ts';

const useOpenReader = (id: string, at: number | undefined): Reader => {
  const { client, prefs, live } = useServices();
  const [reader] = useState<Reader>(() => {
    const { rate, volume, isMuted, skipSilence } = prefs.store.getState();
    return {
      id,
      editor: createTranscriptEditor(client, id, localStorage),
      player: createPlayer({ rate, volume, isMuted, skipSilence }),
      view: createReaderView(readAcceptedWords(localStorage, id)),
      reveal: { current: () => undefined },
      focusParagraph: { current: () => undefined },
    };
  });

  const first = useRef(at ?? 0);
  useEffect(() => {
    const controller = new AbortController();
    void reader.editor.load(controller.signal, first.current);
    return () => {
      controller.abort();
      void reader.editor.close();
      reader.player.close();
    };
  }, [reader]);
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type === 'transcript.progress' && event.id === id)
          reader.editor.appendSegments(event.segments_from, event.segments);
        else if ('transcript' in event && event.transcript.id === id)
          reader.editor.handleEvent(event.transcript.revision);
      }),
    [live, reader, id],
  );
  useEffect(
    () =>
      live.store.subscribe((now, before) => {
        if (now.connection === 'live' && before.connection !== 'live') reader.editor.handleReconnect();
      }),
    [live, reader],
  );
  useEffect(() => {
    if (at !== undefined) reader.player.seek(at);
  }, [reader, at]);
  useEffect(
    () =>
      reader.player.store.subscribe(({ rate, volume, isMuted, skipSilence }) =>
        prefs.set({ rate, volume, isMuted, skipSilence }),
      ),
    [reader, prefs],
  );
  // Save before a reload in the middle of an edit.
  useEffect(() => {
    const onHide = () => void reader.editor.save();
    window.addEventListener('pagehide', onHide);
    return () => window.removeEventListener('pagehide', onHide);
  }, [reader]);
  return reader;
};

/** Plays, shows and edits one transcript. */
const TranscriptScreen = ({ param: id, at }: ScreenProps) => <OpenTranscript key={id} id={id} at={at} />;
export default TranscriptScreen;

const OpenTranscript = ({ id, at }: { id: string; at: number | undefined }) => {
  const reader = useOpenReader(id, at);
  const { t } = useI18n();
  const status = useStore(reader.editor.store, (state) => state.transcript?.status);
  const name = useStore(reader.editor.store, (state) => state.transcript?.name);
  const error = useStore(reader.editor.store, (state) => state.error);
  const hasText = useStore(reader.editor.store, (state) => isReadable(state.transcript));

  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Earshot`;
  }, [name]);

  if (error !== undefined && status === undefined) {
    const isMissing = error instanceof ApiError && error.status === 404;
    return (
      <EmptyState
        role="alert"
        title={isMissing ? t('transcript.missing') : t('transcript.failed')}
        text={isMissing ? t('transcript.missing.text') : describeError(error, t)}
      >
        <Button asChild>
          <a href="#/">{t('transcript.back')}</a>
        </Button>
        {!isMissing && (
          <Button variant="primary" onClick={() => void reader.editor.load()}>
            {t('common.retry')}
          </Button>
        )}
      </EmptyState>
    );
  }
  return (
    <ReaderProvider value={reader}>
      <div className="flex h-full flex-col px-4 pt-4 lg:px-8 short:pt-2">
        <TranscriptHeader />
        {status === undefined && <LoadingView />}
        {hasText && <DamageNotice />}
        {hasText && <ReadingView reader={reader} />}
        {status !== undefined && !hasText && <JobView />}
      </div>
    </ReaderProvider>
  );
};

/** Says above the text that parts of the recording are missing. */
const DamageNotice = () => {
  const { editor } = useReader();
  const { warningText } = useI18n();
  const damage = useStore(editor.store, ({ transcript }) =>
    transcript === undefined ? undefined : damageIn(transcript.warning_details),
  );
  return damage === undefined ? null : (
    <div className="mb-3">
      <Callout tone="warn">{warningText(damage)}</Callout>
    </div>
  );
};

/** Passes the start of the audio and the transcribed range to the player. */
const usePlayerTimeline = ({ editor, player }: Reader) => {
  const offset = useStore(editor.store, (state) => state.transcript?.audio_offset ?? 0);
  const from = useStore(editor.store, (state) => getTimeline(state.transcript, 0).from);
  const to = useStore(editor.store, ({ transcript }) =>
    transcript !== undefined &&
    isPartial(transcript) &&
    (transcript.duration > 0 || transcript.audio_end_at > 0)
      ? getTimeline(transcript, 0).to
      : Number.POSITIVE_INFINITY,
  );
  useEffect(() => player.setTimeline(offset, from, to), [player, offset, from, to]);
};

/** Shows a toast when an analysis ends: its new warning, if any; with Undo after speakers were identified again. */
const useAnalysisOutcome = ({ editor }: Reader) => {
  const { toasts } = useServices();
  const { offerUndo } = useHistory();
  const { t, warningText } = useI18n();
  useEffect(
    () =>
      editor.store.subscribe(({ transcript: now }, { transcript: before }) => {
        if (!isReanalyzing(before) || now?.status !== 'completed') return;
        const warning = now.warning_details.find(
          ({ message }) => before?.warnings.includes(message) === false,
        );
        const edit = now.edits?.undo?.id;
        const isUndoable = edit !== undefined && edit !== before?.edits?.undo?.id;
        if (warning === undefined) offerUndo(t('analyze.done'), isUndoable ? edit : undefined);
        else toasts.show(warningText(warning), { tone: 'bad' });
      }),
    [editor, toasts, t, warningText, offerUndo],
  );
};

const ReadingView = ({ reader }: { reader: Reader }) => {
  const { client, baseUrl } = useServices();
  const { t } = useI18n();
  const doc = useStore(reader.editor.store, (state) => state.doc);
  const isProcessing = useStore(reader.editor.store, (state) => state.transcript?.status === 'processing');
  const isStopped = useStore(reader.editor.store, (state) => state.transcript?.status_reason === 'cancelled');
  const panel = useStore(reader.view, (state) => state.panel);
  const isExporting = useStore(reader.view, (state) => state.isExporting);
  const isAnalyzing = useStore(reader.view, (state) => state.isAnalyzing);
  const assigned = useStore(reader.view, (state) => state.assigned);
  const redacted = useStore(reader.view, (state) => state.redacted);
  const diarizedFrom = useStore(reader.view, (state) => state.diarizedFrom);
  useReaderShortcuts(reader);
  usePlayerTimeline(reader);
  useAnalysisOutcome(reader);

  useEffect(() => {
    reader.player.open(() => fetchAudioUrl(client, baseUrl, reader.id));
  }, [reader, client, baseUrl]);
  const gaps = useMemo(() => (doc === undefined ? [] : findSilenceGaps(doc)), [doc]);
  useEffect(() => reader.player.setGaps(gaps), [reader, gaps]);

  return (
    <>
      {isStopped && (
        <div className="mb-3">
          <StoppedNotice />
        </div>
      )}
      <PlayerBar />
      {panel === 'find' && <FindBar />}
      {panel === 'review' && <ReviewBar />}
      <SaveErrorNotice />
      <ConflictNotices />
      {isProcessing && (
        <div className="mt-2">
          <ProgressCard />
        </div>
      )}
      <div className="mt-3 grid min-h-0 flex-1 grid-cols-1 gap-8 short:mt-1 lg:grid-cols-[minmax(0,1fr)_320px]">
        {doc !== undefined && doc.words.length === 0 ? (
          <EmptyState title={t('transcript.empty')} text={t('transcript.empty.text')} />
        ) : (
          <TextView />
        )}
        <SidePanel />
      </div>
      {isExporting && <ExportDialog />}
      {isAnalyzing && <AnalyzeTranscriptDialog />}
      {doc !== undefined && assigned !== undefined && <AssignDialog doc={doc} span={assigned} />}
      {doc !== undefined && redacted !== undefined && <RedactDialog doc={doc} words={redacted} />}
      {doc !== undefined && diarizedFrom !== undefined && <DiarizeDialog doc={doc} from={diarizedFrom} />}
    </>
  );
};

const LoadingView = () => {
  const { t } = useI18n();
  return (
    <div role="status" aria-label={t('common.loading')}>
      <div className="skeleton h-[132px] rounded-sheet" />
      <div className="mx-auto mt-8 max-w-[660px]">
        {[92, 78, 85, 40].map((width) => (
          <div key={width} className="skeleton mb-3 h-5" style={{ width: `${width}%` }} />
        ))}
      </div>
    </div>
  );
};
