// Programs that npm cannot install: ffmpeg, a C++ compiler with CMake, Chromium for the tests, and what the engine's Vulkan
// library is built with.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFile, onPath } from './places.mjs';
import { HelperError, printLine, runHelper, SetupError, step } from './processes.mjs';

const { platform, env } = process;

const findFfmpeg = () => {
  if (!env.FFMPEG_PATH) return onPath('ffmpeg');
  if (isFile(env.FFMPEG_PATH)) return env.FFMPEG_PATH;
  throw new SetupError(`FFMPEG_PATH is ${env.FFMPEG_PATH}, and there is no such file.`);
};

const findFfprobe = () => {
  const beside =
    env.FFMPEG_PATH && join(dirname(env.FFMPEG_PATH), platform === 'win32' ? 'ffprobe.exe' : 'ffprobe');
  if (env.FFPROBE_PATH && isFile(env.FFPROBE_PATH)) return env.FFPROBE_PATH;
  return beside && isFile(beside) ? beside : onPath('ffprobe');
};

const findCompiler = () => {
  if (env.CXX && (isFile(env.CXX) || onPath(env.CXX))) return env.CXX;
  // On Windows, CMake finds Visual Studio, which is not on the PATH.
  return platform === 'win32' ? 'msvc' : onPath('c++', 'g++', 'clang++');
};

const findMake = () => {
  return platform === 'win32' ? 'msbuild' : onPath('make', 'gmake', 'ninja');
};

/** A header in the folders where package managers and Vulkan's SDK put them. */
const findHeader = (...parts) => {
  const folders = [env.VULKAN_SDK, '/usr', '/usr/local', '/opt/homebrew'].filter(Boolean);
  return folders
    .flatMap((folder) => [join(folder, 'include', ...parts), join(folder, 'Include', ...parts)])
    .find(isFile);
};

const isDebian = () => {
  const release = '/etc/os-release';
  return isFile(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
};

const BROWSERS = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
    folder
      ? [
          join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
          join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
        ]
      : [],
  ),
};

/** The path of Chromium, Chrome or Edge, or undefined. EARSHOT_CHROMIUM overrides it. */
export const findChromium = () => {
  if (env.EARSHOT_CHROMIUM) return isFile(env.EARSHOT_CHROMIUM) ? env.EARSHOT_CHROMIUM : undefined;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  return (BROWSERS[platform] ?? []).find(isFile) ?? onPath(...names);
};

/** Python's modules for D-Bus come with the system's own Python. */
const PYTHON_MODULES = '/usr/lib/python3/dist-packages';

/** Electron loads it for notifications, and shows none without it. */
const NOTIFICATIONS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'].map((folder) =>
  join(folder, 'libnotify.so.4'),
);

/** What a window of Electron on a virtual screen takes. The modules of Python play the desktop's tray and notifications. */
const findScreen = () =>
  ['Xvfb', 'dbus-daemon', 'openbox', 'xdotool', 'gdbus'].every((name) => onPath(name)) &&
  ['dbus', 'gi'].every((name) => existsSync(join(PYTHON_MODULES, name))) &&
  NOTIFICATIONS.some(existsSync)
    ? onPath('Xvfb')
    : undefined;

/** Debian has a second program with Chromium, in which the same tests take a quarter less processor time. */
const CHROMIUM_ON_APT = isDebian() ? 'chromium chromium-headless-shell' : 'chromium';

/**
 * How to find each tool, and its package by package manager. An empty name means that the manager does not need one.
 * @type {Record<string, { find: () => string | undefined, label: string, packages: Record<string, string> }>}
 */
const TOOLS = {
  ffmpeg: {
    label: 'ffmpeg',
    find: findFfmpeg,
    packages: { default: 'ffmpeg', dnf: 'ffmpeg-free', winget: 'Gyan.FFmpeg', choco: 'ffmpeg' },
  },
  ffprobe: {
    label: 'ffprobe',
    find: findFfprobe,
    packages: { default: 'ffmpeg', dnf: 'ffmpeg-free', winget: 'Gyan.FFmpeg', choco: 'ffmpeg' },
  },
  cmake: {
    label: 'CMake',
    find: () => onPath('cmake'),
    packages: { default: 'cmake', winget: 'Kitware.CMake', choco: 'cmake' },
  },
  compiler: {
    label: 'a C++ compiler',
    find: findCompiler,
    packages: { default: 'g++', dnf: 'gcc-c++', pacman: 'gcc', brew: '', winget: '', choco: '' },
  },
  make: {
    label: 'make',
    find: findMake,
    packages: { default: 'make', brew: '', winget: '', choco: '' },
  },
  glslc: {
    label: 'glslc',
    find: () => onPath('glslc'),
    packages: {
      default: 'glslc',
      pacman: 'shaderc',
      apk: 'shaderc',
      brew: 'shaderc',
      winget: 'KhronosGroup.VulkanSDK',
      choco: 'vulkan-sdk',
    },
  },
  vulkan: {
    label: 'the headers of Vulkan',
    find: () => findHeader('vulkan', 'vulkan.hpp'),
    packages: {
      default: 'libvulkan-dev',
      dnf: 'vulkan-loader-devel',
      pacman: 'vulkan-headers vulkan-icd-loader',
      apk: 'vulkan-headers vulkan-loader-dev',
      brew: 'vulkan-headers vulkan-loader',
      winget: 'KhronosGroup.VulkanSDK',
      choco: 'vulkan-sdk',
    },
  },
  spirv: {
    label: 'the headers of SPIR-V',
    find: () => findHeader('spirv', 'unified1', 'spirv.hpp'),
    packages: {
      default: 'spirv-headers',
      dnf: 'spirv-headers-devel',
      winget: 'KhronosGroup.VulkanSDK',
      choco: 'vulkan-sdk',
    },
  },
  chromium: {
    label: 'Chromium',
    find: findChromium,
    packages: {
      default: 'chromium',
      apt: CHROMIUM_ON_APT,
      brew: '--cask chromium',
      winget: 'Google.Chrome',
      choco: 'googlechrome',
    },
  },
  screen: {
    label: 'a virtual screen',
    find: findScreen,
    packages: {
      default: '',
      apt: 'xvfb dbus openbox xdotool libglib2.0-bin python3-dbus python3-gi libgtk-3-0 libnss3 libgbm1 libnotify4',
    },
  },
};

/** Package managers in order of preference, with their install commands. */
const MANAGERS = [
  {
    name: 'apt',
    program: 'apt-get',
    install: 'apt-get update && {sudo}apt-get install -y --no-install-recommends',
    sudo: true,
  },
  { name: 'dnf', program: 'dnf', install: 'dnf install -y', sudo: true },
  { name: 'pacman', program: 'pacman', install: 'pacman -S --needed --noconfirm', sudo: true },
  { name: 'apk', program: 'apk', install: 'apk add', sudo: true },
  { name: 'brew', program: 'brew', install: 'brew install', sudo: false },
  { name: 'winget', program: 'winget', install: 'winget install', sudo: false },
  { name: 'choco', program: 'choco', install: 'choco install -y', sudo: false },
];

const packagesFor = (manager, needs) => {
  const names = needs.map((need) => TOOLS[need].packages[manager] ?? TOOLS[need].packages.default);
  return [...new Set(names.flatMap((name) => name.split(' ')))].filter(Boolean);
};

const isRoot = () => process.getuid?.() === 0;

/** The command that installs these tools with this machine's package manager, for the user to run. */
const installCommand = (needs) => {
  const manager = MANAGERS.find(({ program }) => onPath(program));
  const lines = [];
  if (manager) {
    const sudo = manager.sudo && !isRoot() ? 'sudo ' : '';
    const names = packagesFor(manager.name, needs);
    if (names.length > 0) lines.push(`${sudo}${manager.install.replace('{sudo}', sudo)} ${names.join(' ')}`);
  }
  if (needs.includes('compiler') && platform === 'darwin') lines.push('xcode-select --install');
  if (lines.length > 0) return lines.join('\n  ');
  return platform === 'darwin'
    ? 'brew install ffmpeg cmake    (Homebrew is at https://brew.sh)'
    : `install ${needs.map((need) => TOOLS[need].label).join(', ')} with your system's package manager`;
};

const hasAptLists = () => {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => /_Packages(?:\.\w+)?$/.test(name));
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
};

const installWithApt = async (needs) => {
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=120'];
  const update = () =>
    runHelper('apt-get', [...wait, 'update'], {
      name: 'apt-update',
      env: quiet,
      failure: 'apt-get update failed',
    });
  const install = () =>
    runHelper(
      'apt-get',
      [...wait, 'install', '-y', '--no-install-recommends', ...packagesFor('apt', needs)],
      {
        name: 'apt-install',
        env: quiet,
        failure: 'apt-get could not install them',
      },
    );
  if (!hasAptLists()) {
    await update();
    return install();
  }
  try {
    return await install();
  } catch {
    // The package lists may be outdated: retry with fresh ones, and report that failure.
    await update();
    return install();
  }
};

const missingOf = (needs) => needs.filter((need) => !TOOLS[need].find());
const labels = (needs) => needs.map((need) => TOOLS[need].label).join(', ');

const UNREACHABLE = /Temporary failure resolving|Could not resolve|Could not connect|Network is unreachable/;

const installOnDebian = async (needs) => {
  try {
    await installWithApt(needs);
  } catch (error) {
    if (!(error instanceof HelperError && UNREACHABLE.test(error.output))) throw error;
    throw new SetupError(
      `No network: apt-get cannot reach its servers to install ${packagesFor('apt', needs).join(', ')}. Connect and try again.`,
    );
  }
};

/** Installs what is missing if that may be done without asking; returns what is still missing. */
const installMissing = async (needs) => {
  const missing = missingOf(needs);
  if (missing.length > 0 && platform === 'linux' && isRoot() && onPath('apt-get')) {
    printLine(`This changes your system: apt-get installs ${packagesFor('apt', missing).join(', ')}.`);
    await step('tools', `installing ${labels(missing)}`, () => installOnDebian(missing));
  }
  return missingOf(missing);
};

/**
 * Ensures that these tools are installed. Root on Debian and Ubuntu gets them through apt-get, which is announced first;
 * everyone else gets the command to run.
 * @param {string[]} needs names in TOOLS
 */
export const ensureTools = async (needs) => {
  const missing = await installMissing(needs);
  if (missing.length === 0) return;
  throw new SetupError(`Not found: ${labels(missing)}. Install with:\n\n  ${installCommand(missing)}\n`);
};

/**
 * As `ensureTools`, but goes on without them.
 * @param {string[]} needs names in TOOLS
 * @returns {Promise<string | undefined>} what is missing and how to install it, in one line; undefined if nothing is
 */
export const missingTools = async (needs) => {
  const missing = await installMissing(needs);
  return missing.length === 0 ? undefined : `${labels(missing)} not found (${installCommand(missing)})`;
};
