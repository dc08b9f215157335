import { Mic, Pause, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useI18n, useServices } from '../../app/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { DiscardRecordingDialog } from './discard-recording-dialog.tsx';
import { createRecorder, type Recorder } from './recorder.ts';

const LEVEL_COUNT = 48;
const BARS = Array.from({ length: LEVEL_COUNT }, (_, index) => `bar-${index}`);

type Recording = {
  readonly state: 'none' | 'running' | 'paused';
  readonly hasFailed: boolean;
  readonly seconds: number;
  readonly levels: readonly number[];
};

const useRecording = () => {
  const { dialogs } = useServices();
  const recorder = useRef<Recorder>(undefined);
  const [recording, setRecording] = useState<Recording>({
    state: 'none',
    hasFailed: false,
    seconds: 0,
    levels: [],
  });
  const { state } = recording;

  useEffect(() => () => recorder.current?.discard(), []);
  useEffect(() => {
    if (state !== 'running') return;
    const timer = setInterval(() => {
      const now = recorder.current;
      if (now === undefined) return;
      setRecording((before) => ({
        ...before,
        seconds: now.seconds(),
        levels: [...before.levels.slice(1 - LEVEL_COUNT), now.level()],
      }));
    }, 100);
    return () => clearInterval(timer);
  }, [state]);

  return {
    ...recording,
    start: async () => {
      try {
        recorder.current = await createRecorder();
        setRecording((before) => ({ ...before, state: 'running', hasFailed: false }));
      } catch (error) {
        console.info('The microphone could not be opened.', error instanceof Error ? error.name : '');
        setRecording((before) => ({ ...before, hasFailed: true }));
      }
    },
    setPaused: (on: boolean) => {
      recorder.current?.setPaused(on);
      setRecording((before) => ({ ...before, state: on ? 'paused' : 'running' }));
    },
    finish: async () => {
      const file = await recorder.current?.finish();
      recorder.current = undefined;
      if (file !== undefined)
        dialogs.open({ kind: 'create', sources: [{ kind: 'file', file, isUnsavedRecording: true }] });
    },
  };
};

/** Records from the microphone, then opens the New dialog with the recording. */
const RecordDialog = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  const { state, hasFailed, seconds, levels, start, setPaused, finish } = useRecording();
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false);
  return (
    <Dialog
      title={t('record.title')}
      description={t('record.text')}
      closeLabel={t('common.close')}
      onClose={() => (state === 'none' ? dialogs.close() : setIsConfirmingDiscard(true))}
      width={460}
    >
      <LevelMeter levels={levels} isPaused={state === 'paused'} />
      {hasFailed && (
        <div className="mt-3" role="alert">
          <Callout tone="bad">{t('record.failed')}</Callout>
        </div>
      )}
      <div className="mt-4 flex items-center gap-2">
        <span role="timer" className="tnum flex-1 text-lg font-semibold">
          {formatClock(seconds)}
          {state === 'paused' && (
            <span className="ms-3 text-xs font-normal text-ink-2">{t('record.paused')}</span>
          )}
        </span>
        {state === 'none' ? (
          <Button variant="primary" className="h-9" onClick={() => void start()}>
            <Mic size={16} aria-hidden />
            {t('record.start')}
          </Button>
        ) : (
          <>
            <Button className="h-9" onClick={() => setPaused(state === 'running')}>
              {state === 'paused' ? <Mic size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
              {state === 'paused' ? t('record.resume') : t('record.pause')}
            </Button>
            <Button variant="primary" className="h-9" onClick={() => void finish()}>
              <Square size={14} fill="currentColor" aria-hidden />
              {t('record.finish')}
            </Button>
          </>
        )}
      </div>
      {isConfirmingDiscard && <DiscardRecordingDialog onKeep={() => setIsConfirmingDiscard(false)} />}
    </Dialog>
  );
};
export default RecordDialog;

const LevelMeter = ({ levels, isPaused }: { levels: readonly number[]; isPaused: boolean }) => (
  <div className="flex h-16 items-center justify-center gap-[3px] rounded-box bg-ground px-4" aria-hidden>
    {BARS.map((bar, index) => {
      const level = levels[index - (LEVEL_COUNT - levels.length)] ?? 0;
      return (
        <i
          key={bar}
          className="w-[3px] rounded-full bg-accent"
          style={{ height: `${4 + level * 52}px`, opacity: level === 0 || isPaused ? 0.25 : 1 }}
        />
      );
    })}
  </div>
);
