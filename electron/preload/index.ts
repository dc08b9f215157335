import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';

type Listener = (event: IpcRendererEvent, ...args: unknown[]) => void;

/** Returns a function that stops listening. */
const listen = (channel: string, listener: Listener): (() => void) => {
  ipcRenderer.on(channel, listener);
  return () => {
    ipcRenderer.off(channel, listener);
  };
};

// The window shows pages of the program alone, and the program checks who asks.
contextBridge.exposeInMainWorld('earshot', {
  ask: (action: string): void => ipcRenderer.send('earshot:ask', action),
  token: (): Promise<string | undefined> => ipcRenderer.invoke('earshot:token'),
  onPlace: (listener: (place: string) => void): (() => void) => {
    const stop = listen('earshot:place', (_event, place) => listener(String(place)));
    ipcRenderer.send('earshot:signed-in');
    return stop;
  },
  setTheme: (theme: string): void => ipcRenderer.send('earshot:theme', theme),
  setOnTop: (isOn: boolean): void => ipcRenderer.send('earshot:on-top', isOn),
  setRecording: (isOn: boolean): void => ipcRenderer.send('earshot:recording', isOn),
  setUploading: (isOn: boolean): void => ipcRenderer.send('earshot:uploading', isOn),
  onSaveRecording: (save: () => Promise<void>): (() => void) =>
    listen('earshot:save-recording', () => {
      void save().finally(() => ipcRenderer.send('earshot:recording-saved'));
    }),
  onPlayFrom: (listener: (point: { x: number; y: number }) => void): (() => void) => {
    const handler = (_event: unknown, point: { x: number; y: number }) => listener(point);
    ipcRenderer.on('earshot:play-from', handler);
    return () => {
      ipcRenderer.off('earshot:play-from', handler);
    };
  },
});
