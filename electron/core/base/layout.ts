import { dirname, join, resolve } from 'node:path';

/**
 * Where the parts of the program lie, in its sources and bundled, which `npm start` and the packages are. `in` says
 * below which folder: `program` is the application, which the desktop package puts into an archive; `files` holds what
 * must be a file of its own. Both are the same folder everywhere but in the desktop package.
 */
export const LAYOUT = {
  main: { in: 'program', sources: 'electron/main/index.ts', bundled: 'out/main/index.js' },
  preload: { in: 'program', sources: 'electron/preload/index.ts', bundled: 'out/preload/index.cjs' },
  commandLine: { in: 'program', sources: 'electron/cli/main.ts', bundled: 'out/main/earshot.js' },
  worker: { in: 'program', sources: 'electron/worker/main.ts', bundled: 'out/main/worker.js' },
  analysisThread: {
    in: 'program',
    sources: 'electron/core/analysis/analysis-thread.ts',
    bundled: 'out/main/analysis-thread.js',
  },
  databaseThread: {
    in: 'program',
    sources: 'electron/core/stores/database-thread.ts',
    bundled: 'out/main/database-thread.js',
  },
  renderingThread: {
    in: 'program',
    sources: 'electron/core/http/long/rendering-thread.ts',
    bundled: 'out/main/rendering-thread.js',
  },
  /** The built window. */
  renderer: { in: 'program', sources: 'out/renderer', bundled: 'out/renderer' },
  /** Bundled models, samples, the guide and icons. */
  resources: { in: 'files', sources: 'resources', bundled: 'resources' },
  /** ffmpeg and ffprobe, if the package brings them. */
  ffmpeg: { in: 'files', sources: 'resources/ffmpeg', bundled: 'resources/ffmpeg' },
  /** The native addon with its libraries beside it. Outside of packages, EARSHOT_ADDON names the one in the cache. */
  addon: { in: 'files', sources: 'native/earshot_engine.node', bundled: 'native/earshot_engine.node' },
} as const;

export type Part = keyof typeof LAYOUT;

/** The absolute path of each part. */
export type ProgramLayout = Readonly<Record<Part, string>>;

type Folders = {
  readonly form: 'sources' | 'bundled';
  readonly program: string;
  readonly files?: string;
};

export const layoutOf = ({ form, program, files = program }: Folders): ProgramLayout => {
  const place = (part: Part) => join(LAYOUT[part].in === 'files' ? files : program, LAYOUT[part][form]);
  return {
    main: place('main'),
    preload: place('preload'),
    commandLine: place('commandLine'),
    worker: place('worker'),
    analysisThread: place('analysisThread'),
    databaseThread: place('databaseThread'),
    renderingThread: place('renderingThread'),
    renderer: place('renderer'),
    resources: place('resources'),
    ffmpeg: place('ffmpeg'),
    addon: place('addon'),
  };
};

/** The layout of the program that this module belongs to. The bundle puts every module into `out/main`. */
export const ownLayout = (files?: string): ProgramLayout =>
  import.meta.filename.endsWith('.ts')
    ? layoutOf({ form: 'sources', program: resolve(import.meta.dirname, '..', '..', '..') })
    : layoutOf({ form: 'bundled', program: resolve(import.meta.dirname, '..', '..'), files });

/** The library for graphics processors, which a portable addon may have beside it. `native/CMakeLists.txt` names it. */
export const vulkanLibrary = (addonPath: string): string =>
  join(dirname(addonPath), process.platform === 'win32' ? 'earshot_vulkan.dll' : 'libearshot_vulkan.so');

/** The part of a service's configuration that the layout decides. `EARSHOT_ADDON` names another addon. */
export const layoutConfig = (layout: ProgramLayout, environment: NodeJS.ProcessEnv) => ({
  addonPath: environment.EARSHOT_ADDON ?? layout.addon,
  resourcesDir: layout.resources,
  rendererDir: layout.renderer,
  ffmpegDir: layout.ffmpeg,
});
