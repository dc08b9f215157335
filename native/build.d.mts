/** What to build into the engine; by default what fits this machine. */
export type EngineFlags = {
  /** All CPU variants as loadable libraries beside the addon, for packages that travel. */
  portable?: boolean;
  vulkan?: boolean;
  cuda?: boolean;
  /** On by default on macOS. */
  metal?: boolean;
};

export type BuildOptions = EngineFlags & {
  /** Gets what is going on, a line at a time. */
  log?: (line: string) => void;
};

/** The folder for what can be made again. */
export function cacheDir(): string;
/** The built addon for these sources and this machine, or undefined. Takes milliseconds. */
export function addonPath(options?: EngineFlags): string | undefined;
/** The built whisper-cli for these sources and this machine, or undefined. */
export function whisperCliPath(options?: EngineFlags): string | undefined;
/** Builds the addon unless it is there; with `cli` also whisper-cli, in the same run. */
export function buildAddon(options?: BuildOptions & { cli?: boolean }): Promise<string>;
/** Builds whisper.cpp's own command-line program unless it is there. */
export function buildWhisperCli(options?: BuildOptions): Promise<string>;
