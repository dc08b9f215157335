import { Mic, Pause, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { DiscardRecordingDialog } from '../../domain/discard-recording-dialog.tsx';
import { LevelMeter } from '../../domain/level-meter.tsx';
import { toLiveOptions } from '../../domain/transcript-request.ts';
import { useLiveFailure } from '../../domain/use-live-failure.ts';
import { useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { canShareSound, SCREEN_SOUND } from '../../lib/microphone.ts';
import { isRecording } from '../../stores/recording.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Records from the microphone, then opens the New dialog with the recording. Closing it does not end the recording. */
const RecordDialog = () => {
  const { dialogs, recording, liveSession, prefs, router } = useServices();
  const { t } = useI18n();
  const { state, hasFailed, unsaved, seconds, levels } = useStore(recording.store);
  const isOn = useStore(recording.store, isRecording);
  const microphone = usePrefs((prefs) => prefs.microphone);
  const isLive = usePrefs((prefs) => prefs.showsLiveText);
  const options = usePrefs((prefs) => prefs.options);
  const isListening = useStore(liveSession.store, (each) => each.state !== 'none');
  const liveFailure = useLiveFailure();
  useEffect(() => {
    if (!isListening) return;
    router.go({ screen: 'live' });
    dialogs.close();
  }, [isListening, router, dialogs]);
  const start = () =>
    isLive ? liveSession.start(microphone, toLiveOptions(options)) : recording.start(microphone);
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false);
  const finish = async () => {
    const finished = await recording.finish();
    if (finished !== undefined) dialogs.open({ kind: 'create', sources: [{ kind: 'file', ...finished }] });
  };
  return (
    <Dialog
      title={t('record.title')}
      description={t(isOn ? 'record.goesOn' : 'record.text')}
      closeLabel={t('common.close')}
      onClose={dialogs.close}
      width={460}
    >
      <LevelMeter
        levels={levels}
        isPaused={state === 'paused'}
        className="h-16 justify-center bg-ground px-4"
      />
      {(hasFailed || unsaved !== undefined) && (
        <div className="mt-3" role="alert">
          <Callout tone="bad">
            {hasFailed ? t('record.failed') : `${describeError(unsaved, t)} ${t('record.unsaved')}`}
          </Callout>
        </div>
      )}
      {liveFailure !== undefined && state === 'none' && (
        <div className="mt-3" role="alert">
          <Callout tone="bad">{liveFailure}</Callout>
        </div>
      )}
      <MicrophoneField isFixed={state !== 'none'} />
      <div className="mt-4">
        <Switch
          label={t('record.live')}
          hint={t(isLive && options.redact ? 'record.live.redact' : 'record.live.hint')}
          checked={isLive}
          disabled={state !== 'none'}
          onChange={(showsLiveText) => prefs.set({ showsLiveText })}
        />
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        <span role="timer" className="tnum flex-1 text-lg font-semibold max-sm:basis-full">
          {formatClock(seconds)}
          {state === 'paused' && (
            <span className="ms-3 text-xs font-normal text-ink-2">{t('record.paused')}</span>
          )}
        </span>
        {isOn ? (
          <>
            <Button variant="ghost" className="h-9" onClick={() => setIsConfirmingDiscard(true)}>
              {t('record.discard')}
            </Button>
            <Button className="h-9" onClick={() => recording.setPaused(state === 'running')}>
              {state === 'paused' ? <Mic size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
              {state === 'paused' ? t('record.resume') : t('record.pause')}
            </Button>
            <Button
              variant="primary"
              className="h-9"
              // The second click of a double click on Start lands here.
              onClick={({ detail }) => detail < 2 && void finish()}
            >
              <Square size={14} fill="currentColor" aria-hidden />
              {t('record.finish')}
            </Button>
          </>
        ) : (
          <Button
            variant="primary"
            className="h-9"
            disabled={state === 'starting'}
            onClick={() => void start()}
          >
            <Mic size={16} aria-hidden />
            {t('record.start')}
          </Button>
        )}
      </div>
      {isConfirmingDiscard && (
        <DiscardRecordingDialog
          onKeep={() => setIsConfirmingDiscard(false)}
          onDiscard={() => {
            recording.discard().catch(reportError);
            dialogs.close();
          }}
        />
      )}
    </Dialog>
  );
};
export default RecordDialog;

/**
 * The connected microphones, as they were when one could still be chosen. Their names are known once the browser has
 * allowed one.
 */
const useMicrophones = (isFixed: boolean): readonly MediaDeviceInfo[] => {
  const [microphones, setMicrophones] = useState<readonly MediaDeviceInfo[]>([]);
  useEffect(() => {
    if (isFixed) return;
    const devices = navigator.mediaDevices;
    const list = async () => {
      const all = await devices.enumerateDevices();
      setMicrophones(all.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== ''));
    };
    const update = () => void list().catch(reportError);
    update();
    devices.addEventListener('devicechange', update);
    return () => devices.removeEventListener('devicechange', update);
  }, [isFixed]);
  return microphones;
};

/** Chooses the microphone, which is remembered. It has its place before the list is known, so that nothing moves. */
const MicrophoneField = ({ isFixed }: { isFixed: boolean }) => {
  const { prefs } = useServices();
  const { t } = useI18n();
  const chosen = usePrefs((state) => state.microphone);
  const microphones = useMicrophones(isFixed).filter(({ deviceId }) => deviceId !== 'default');
  const choices = [
    { value: 'system', label: t('record.microphone.system') },
    ...microphones.map(({ deviceId, label }, index) => ({
      value: deviceId,
      label: label === '' ? t('record.microphone.number', { number: index + 1 }) : label,
    })),
    ...(canShareSound() ? [{ value: SCREEN_SOUND, label: t('record.screen') }] : []),
  ];
  const value = choices.some((choice) => choice.value === chosen) ? chosen : 'system';
  return (
    <Field
      label={t('record.microphone')}
      hint={value === SCREEN_SOUND ? t('record.screen.hint') : undefined}
      className="mt-4"
    >
      {(ids) => (
        <Select
          {...ids}
          disabled={isFixed}
          value={value}
          choices={choices}
          onChange={(id) => prefs.set({ microphone: id === 'system' ? '' : id })}
        />
      )}
    </Field>
  );
};
