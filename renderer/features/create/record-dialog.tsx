import { Mic, Pause, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useI18n, useServices } from '../../app/services.tsx';
import { clock } from '../../lib/format.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DiscardRecording } from './discard-recording.tsx';
import { createRecorder, type Recorder } from './recorder.ts';

const LEVELS = 48;
const BARS = Array.from({ length: LEVELS }, (_, place) => `bar-${place}`);

type Recording = {
  readonly state: 'none' | 'running' | 'held';
  readonly fault: boolean;
  readonly seconds: number;
  readonly levels: readonly number[];
};

const useRecording = () => {
  const { dialogs } = useServices();
  const recorder = useRef<Recorder>(undefined);
  const [recording, setRecording] = useState<Recording>({
    state: 'none',
    fault: false,
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
        levels: [...before.levels.slice(1 - LEVELS), now.level()],
      }));
    }, 100);
    return () => clearInterval(timer);
  }, [state]);

  return {
    ...recording,
    begin: async () => {
      try {
        recorder.current = await createRecorder();
        setRecording((before) => ({ ...before, state: 'running', fault: false }));
      } catch (error) {
        console.info('No microphone.', error instanceof Error ? error.name : '');
        setRecording((before) => ({ ...before, fault: true }));
      }
    },
    hold: (on: boolean) => {
      recorder.current?.hold(on);
      setRecording((before) => ({ ...before, state: on ? 'held' : 'running' }));
    },
    finish: async () => {
      const file = await recorder.current?.finish();
      recorder.current = undefined;
      if (file !== undefined)
        dialogs.open({ kind: 'create', sources: [{ kind: 'file', file, recorded: true }] });
    },
  };
};

/** Records from the microphone; the recording then goes the way of every other file. */
const RecordDialog = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  const { state, fault, seconds, levels, begin, hold, finish } = useRecording();
  const [leaving, setLeaving] = useState(false);
  return (
    <Dialog
      title={t('record.title')}
      description={t('record.text')}
      closeLabel={t('common.close')}
      onClose={() => (state === 'none' ? dialogs.close() : setLeaving(true))}
      width={460}
    >
      <Levels levels={levels} held={state === 'held'} />
      {fault && (
        <div className="mt-3" role="alert">
          <Note tone="bad">{t('record.fault')}</Note>
        </div>
      )}
      <div className="mt-4 flex items-center gap-2">
        <span role="timer" className="tnum flex-1 text-lg font-semibold">
          {clock(seconds)}
          {state === 'held' && (
            <span className="ms-3 text-xs font-normal text-ink-2">{t('record.held')}</span>
          )}
        </span>
        {state === 'none' ? (
          <Button look="primary" className="h-9" onClick={() => void begin()}>
            <Mic size={16} aria-hidden />
            {t('record.begin')}
          </Button>
        ) : (
          <>
            <Button className="h-9" onClick={() => hold(state === 'running')}>
              {state === 'held' ? <Mic size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
              {state === 'held' ? t('record.resume') : t('record.hold')}
            </Button>
            <Button look="primary" className="h-9" onClick={() => void finish()}>
              <Square size={14} fill="currentColor" aria-hidden />
              {t('record.finish')}
            </Button>
          </>
        )}
      </div>
      {leaving && <DiscardRecording onKeep={() => setLeaving(false)} />}
    </Dialog>
  );
};
export default RecordDialog;

const Levels = ({ levels, held }: { levels: readonly number[]; held: boolean }) => (
  <div className="flex h-16 items-center justify-center gap-[3px] rounded-box bg-ground px-4" aria-hidden>
    {BARS.map((bar, index) => {
      const level = levels[index - (LEVELS - levels.length)] ?? 0;
      return (
        <i
          key={bar}
          className="w-[3px] rounded-full bg-accent"
          style={{ height: `${4 + level * 52}px`, opacity: level === 0 || held ? 0.25 : 1 }}
        />
      );
    })}
  </div>
);
