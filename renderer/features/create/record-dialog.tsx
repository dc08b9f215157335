import { Mic, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useI18n, useServices } from '../../app/services.tsx';
import { clock } from '../../lib/format.ts';
import { Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { createRecorder, type Recorder } from './recorder.ts';

const LEVELS = 48;
const BARS = Array.from({ length: LEVELS }, (_, place) => `bar-${place}`);

/** Records from the microphone; the recording then goes the way of every other file. */
const RecordDialog = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  const [recorder, setRecorder] = useState<Recorder>();
  const [fault, setFault] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const [levels, setLevels] = useState<readonly number[]>([]);
  const kept = useRef<Recorder>(undefined);

  useEffect(() => () => kept.current?.discard(), []);
  useEffect(() => {
    if (recorder === undefined) return;
    const timer = setInterval(() => {
      setSeconds(recorder.seconds());
      setLevels((before) => [...before.slice(1 - LEVELS), recorder.level()]);
    }, 100);
    return () => clearInterval(timer);
  }, [recorder]);

  const begin = async () => {
    setFault(false);
    try {
      const next = await createRecorder();
      kept.current = next;
      setRecorder(next);
    } catch (error) {
      console.info('No microphone.', error instanceof Error ? error.name : '');
      setFault(true);
    }
  };
  const finish = async () => {
    const file = await recorder?.finish();
    kept.current = undefined;
    if (file !== undefined) dialogs.open({ kind: 'create', sources: [{ kind: 'file', file }] });
  };

  return (
    <Dialog
      title={t('record.title')}
      description={t('record.text')}
      closeLabel={t('common.close')}
      onClose={dialogs.close}
      width={460}
    >
      <div className="flex h-16 items-center justify-center gap-[3px] rounded-box bg-ground px-4" aria-hidden>
        {BARS.map((bar, index) => {
          const level = levels[index - (LEVELS - levels.length)] ?? 0;
          return (
            <i
              key={bar}
              className="w-[3px] rounded-full bg-accent"
              style={{ height: `${4 + level * 52}px`, opacity: level === 0 ? 0.25 : 1 }}
            />
          );
        })}
      </div>
      {fault && (
        <div className="mt-3" role="alert">
          <Note tone="bad">{t('record.fault')}</Note>
        </div>
      )}
      <div className="mt-4 flex items-center gap-3">
        <span role="timer" className="tnum flex-1 text-lg font-semibold">
          {clock(seconds)}
        </span>
        {recorder === undefined ? (
          <Button look="primary" className="h-9" onClick={() => void begin()}>
            <Mic size={16} aria-hidden />
            {t('record.begin')}
          </Button>
        ) : (
          <Button look="primary" className="h-9" onClick={() => void finish()}>
            <Square size={14} fill="currentColor" aria-hidden />
            {t('record.finish')}
          </Button>
        )}
      </div>
    </Dialog>
  );
};
export default RecordDialog;
