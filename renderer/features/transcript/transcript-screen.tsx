import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { ApiError } from '../../../electron/contract/client.ts';
import { audioSource } from '../../api/audio.ts';
import type { ScreenProps } from '../../app/screens.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { Blank } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { readAccepted } from './accepted.ts';
import { AnalyseDialog } from './analyse-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FindBar } from './find-bar.tsx';
import { JobView, ProgressCard } from './job-view.tsx';
import { speechGaps } from './model/gaps.ts';
import { isRange, timelineOf } from './model/timeline.ts';
import { createPlayer } from './player.ts';
import { PlayerBar } from './player-bar.tsx';
import { createReaderView, type Reader, ReaderProvider } from './reader.tsx';
import { ReviewBar } from './review-bar.tsx';
import { ConflictNotes, SaveFault } from './saving-notes.tsx';
import { SidePanel } from './side-panel.tsx';
import { TextView } from './text-view.tsx';
import { Title } from './title.tsx';
import { createTranscriptStore, isAnalysedAgain } from './transcript-store.ts';
import { useReaderKeys } from './use-reader-keys.ts';

const useReaderParts = (id: string, at: number | undefined): Reader => {
  const { client, prefs, live } = useServices();
  const [reader] = useState<Reader>(() => {
    const { rate, volume, skipSilence } = prefs.store.getState();
    return {
      id,
      transcripts: createTranscriptStore(client, id, localStorage),
      player: createPlayer({ rate, volume, skipSilence }),
      view: createReaderView(readAccepted(localStorage, id)),
      reveal: { current: () => undefined },
    };
  });

  useEffect(() => {
    const controller = new AbortController();
    void reader.transcripts.load(controller.signal);
    return () => {
      controller.abort();
      void reader.transcripts.save();
      reader.player.close();
    };
  }, [reader]);
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type === 'transcript.progress' && event.id === id)
          reader.transcripts.grow(event.segments_from, event.segments);
        else if ('transcript' in event && event.transcript.id === id)
          reader.transcripts.follow(event.type === 'transcript.changed' ? 'changed' : 'other');
      }),
    [live, reader, id],
  );
  useEffect(
    () =>
      live.store.subscribe((now, before) => {
        if (now.connection === 'live' && before.connection !== 'live') reader.transcripts.reconnected();
      }),
    [live, reader],
  );
  useEffect(() => {
    if (at !== undefined) reader.player.seek(at);
  }, [reader, at]);
  useEffect(
    () =>
      reader.player.store.subscribe(({ rate, volume, skipSilence }) =>
        prefs.set({ rate, volume, skipSilence }),
      ),
    [reader, prefs],
  );
  // What is typed is saved before the page goes: a reload in the middle of an edit loses nothing.
  useEffect(() => {
    const onHide = () => void reader.transcripts.save();
    window.addEventListener('pagehide', onHide);
    return () => window.removeEventListener('pagehide', onHide);
  }, [reader]);
  return reader;
};

/** Plays, shows and edits one transcript. */
const TranscriptScreen = ({ param: id, at }: ScreenProps) => <OpenTranscript key={id} id={id} at={at} />;
export default TranscriptScreen;

const OpenTranscript = ({ id, at }: { id: string; at: number | undefined }) => {
  const reader = useReaderParts(id, at);
  const { t } = useI18n();
  const status = useStore(reader.transcripts.store, (state) => state.transcript?.status);
  const name = useStore(reader.transcripts.store, (state) => state.transcript?.name);
  const error = useStore(reader.transcripts.store, (state) => state.error);
  const again = useStore(reader.transcripts.store, (state) => isAnalysedAgain(state.transcript));
  const readable = status === 'completed' || again;

  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Earshot`;
  }, [name]);

  if (error !== undefined && status === undefined) {
    const gone = error instanceof ApiError && error.status === 404;
    return (
      <Blank
        role="alert"
        title={gone ? t('transcript.gone') : t('transcript.failed')}
        text={gone ? t('transcript.gone.text') : errorText(error, t)}
      >
        <Button asChild>
          <a href="#/">{t('transcript.back')}</a>
        </Button>
        {!gone && (
          <Button look="primary" onClick={() => void reader.transcripts.load()}>
            {t('common.retry')}
          </Button>
        )}
      </Blank>
    );
  }
  return (
    <ReaderProvider value={reader}>
      <div className="flex h-full flex-col px-4 pt-4 lg:px-8">
        <Title />
        {status === undefined && <LoadingView />}
        {readable && <ReadingView reader={reader} />}
        {status !== undefined && !readable && <JobView />}
      </div>
    </ReaderProvider>
  );
};

/** Lets the player know where the audio begins on the transcript's timeline, and what of it was transcribed. */
const useTimelineOfPlayer = ({ transcripts, player }: Reader) => {
  const offset = useStore(transcripts.store, (state) => state.transcript?.audio_offset ?? 0);
  const from = useStore(transcripts.store, (state) => timelineOf(state.transcript, 0).from);
  const to = useStore(transcripts.store, ({ transcript }) =>
    transcript !== undefined && isRange(transcript) ? timelineOf(transcript, 0).to : Number.POSITIVE_INFINITY,
  );
  useEffect(() => player.setTimeline(offset, from, to), [player, offset, from, to]);
};

/** Says how a further analysis ended: its warning, where it came to nothing. */
const useOutcomeOfAnalysis = ({ transcripts }: Reader) => {
  const { toasts } = useServices();
  const { t } = useI18n();
  useEffect(
    () =>
      transcripts.store.subscribe(({ transcript: now }, { transcript: before }) => {
        if (!isAnalysedAgain(before) || now?.status !== 'completed') return;
        const warning = now.warnings.find((each) => before?.warnings.includes(each) === false);
        if (warning === undefined) toasts.show(t('analyse.done'));
        else toasts.show(warning, { tone: 'bad' });
      }),
    [transcripts, toasts, t],
  );
};

const ReadingView = ({ reader }: { reader: Reader }) => {
  const { client, baseUrl } = useServices();
  const { t } = useI18n();
  const doc = useStore(reader.transcripts.store, (state) => state.doc);
  const working = useStore(reader.transcripts.store, (state) => state.transcript?.status === 'processing');
  const panel = useStore(reader.view, (state) => state.panel);
  const exporting = useStore(reader.view, (state) => state.exporting);
  const analysing = useStore(reader.view, (state) => state.analysing);
  useReaderKeys(reader);
  useTimelineOfPlayer(reader);
  useOutcomeOfAnalysis(reader);

  useEffect(() => {
    reader.player.open(() => audioSource(client, baseUrl, reader.id));
  }, [reader, client, baseUrl]);
  const gaps = useMemo(() => (doc === undefined ? [] : speechGaps(doc)), [doc]);
  useEffect(() => reader.player.setGaps(gaps), [reader, gaps]);

  return (
    <>
      <PlayerBar />
      {panel === 'find' && <FindBar />}
      {panel === 'review' && <ReviewBar />}
      <SaveFault />
      <ConflictNotes />
      {working && (
        <div className="mt-2">
          <ProgressCard />
        </div>
      )}
      <div className="mt-3 grid min-h-0 flex-1 grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_320px]">
        {doc !== undefined && doc.words.length === 0 ? (
          <Blank title={t('transcript.silent')} text={t('transcript.silent.text')} />
        ) : (
          <TextView />
        )}
        <SidePanel />
      </div>
      {exporting && <ExportDialog />}
      {analysing && <AnalyseDialog />}
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
