/** What to build into the engine; by default what fits this machine. */
export type EngineFlags = {
  /** All CPU variants as loadable libraries beside the addon, for packages that run on other machines. */
  portable?: boolean;
  /** A library for graphics processors beside a portable addon. */
  vulkan?: boolean;
  cuda?: boolean;
  /** On by default on macOS. */
  metal?: boolean;
};

export type BuildOptions = EngineFlags & {
  /** Gets progress, a line at a time. */
  log?: (line: string) => void;
};

/** The folder for everything that can be made again. */
export const cacheDir: () => string;
/** The addon built from these sources for this machine, or undefined. Takes milliseconds. */
export const addonPath: (options?: EngineFlags) => string | undefined;
/** The whisper-cli built from these sources for this machine, or undefined. */
export const whisperCliPath: (options?: EngineFlags) => string | undefined;
/** Builds the addon unless it is cached; with `cli` also whisper-cli, in the same run. */
export const buildAddon: (options?: BuildOptions & { cli?: boolean }) => Promise<string>;
/** Builds whisper.cpp's own command-line program unless it is cached. */
export const buildWhisperCli: (options?: BuildOptions) => Promise<string>;
/**
 * Builds the program that measures the engine's parts; with `original` over whisper.cpp as released, with `avx2` for any
 * x86-64 machine that has AVX2.
 */
export const buildEngineBench: (
  options?: BuildOptions & { original?: boolean; avx2?: boolean },
) => Promise<string>;
