import { contextBridge, ipcRenderer } from 'electron';

// The window shows pages of the program alone, and the program checks who asks.
contextBridge.exposeInMainWorld('earshot', {
  ask: (action: string): void => ipcRenderer.send('earshot:ask', action),
  onPlayFrom: (listener: (point: { x: number; y: number }) => void): (() => void) => {
    const handler = (_event: unknown, point: { x: number; y: number }) => listener(point);
    ipcRenderer.on('earshot:play-from', handler);
    return () => {
      ipcRenderer.off('earshot:play-from', handler);
    };
  },
});
