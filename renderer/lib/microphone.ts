/** In place of a microphone's id: the sound of a tab or of the screen, which the person chooses. */
export const SCREEN_SOUND = 'screen';
/** Electron has no chooser for it. */
export const canShareSound = (): boolean =>
  window.earshot === undefined && 'getDisplayMedia' in navigator.mediaDevices;

/**
 * Opens the microphone with this id if it is connected, else the system's, or the sound of the screen. Rejects if there is none,
 * access is denied, or what was shared has no sound.
 */
export const openSound = async (deviceId: string): Promise<MediaStream> => {
  if (deviceId !== SCREEN_SOUND)
    return navigator.mediaDevices.getUserMedia({
      audio: deviceId === '' ? true : { deviceId: { ideal: deviceId } },
    });
  // Browsers share no sound without a picture.
  const shared = await navigator.mediaDevices.getDisplayMedia({ audio: true, video: true });
  for (const track of shared.getVideoTracks()) track.stop();
  if (shared.getAudioTracks().length === 0)
    throw new DOMException('Nothing with sound was shared.', 'NotFoundError');
  return new MediaStream(shared.getAudioTracks());
};

export type Microphone = {
  /** Samples per second. */
  readonly rate: number;
  close(): void;
};

/** Opens a microphone as `openSound` does. `onSamples` gets 16-bit samples of one channel, a tenth of a second at a time. */
export const openMicrophone = async (
  deviceId: string,
  onSamples: (samples: Int16Array<ArrayBuffer>) => void,
  /** Samples per second; default: the device's own. */
  rate?: number,
): Promise<Microphone> => {
  const stream = await openSound(deviceId);
  const context = new AudioContext(rate === undefined ? {} : { sampleRate: rate });
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    context.close().catch(reportError);
  };
  try {
    await context.audioWorklet.addModule(new URL('microphone.js', document.baseURI));
    const node = new AudioWorkletNode(context, 'microphone', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    node.port.addEventListener('message', ({ data }: MessageEvent<Int16Array<ArrayBuffer>>) =>
      onSamples(data),
    );
    node.port.start();
    context.createMediaStreamSource(stream).connect(node);
    // A browser that saw no click yet, as after a reload, keeps a context suspended.
    await context.resume();
    return { rate: context.sampleRate, close };
  } catch (error) {
    close();
    throw error;
  }
};

/** The highest sample, 0 to 1, raised so that speech fills a meter. */
export const levelOf = (samples: Int16Array): number =>
  Math.min(1, (samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0) / 0x7fff) * 1.8);
