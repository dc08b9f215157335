import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { MALLOC_ENVIRONMENT, NODE_OPTIONS } from '../../electron/cli/bootstrap/places.mjs';
import { unlockedPackages } from '../notices/notices.ts';
import { ROOT } from '../support/paths.ts';

const Versions = z.record(z.string(), z.string());
const { optionalDependencies, dependencies, devDependencies } = z
  .object({ dependencies: Versions, devDependencies: Versions, optionalDependencies: Versions })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

it('brings the same Node for every platform', () => {
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(nodes.map(([name]) => name.replace(/^node-(?:bin-)?/, '')).toSorted()).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-x64',
    'win-x64',
  ]);
  expect(new Set(nodes.map(([, version]) => version)).size).toBe(1);
});

it('needs beside its bundles what has libraries of its own, and nothing that is compiled or bundled', () => {
  expect(Object.keys(dependencies)).toEqual(['@node-rs/crc32', 'better-sqlite3', 'sherpa-onnx-node']);
  expect(devDependencies).toMatchObject({
    'nodejs-whisper': expect.any(String),
    'node-addon-api': expect.any(String),
    'node-api-headers': expect.any(String),
  });
});

it('pins every package to one version', () => {
  const versions = Object.values({ ...optionalDependencies, ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('locks the packages of every platform', () => {
  expect(unlockedPackages()).toEqual([]);
});

it.each(['server', 'desktop'])(
  'starts the command of the package (%s) with the options and the environment of the other ways to start it',
  (name) => {
    const launcher = readFileSync(join(ROOT, 'packages', name, 'files', 'earshot'), 'utf8');
    expect(launcher).toContain(`"$program/node" ${NODE_OPTIONS.join(' ')} "$program/out/main/earshot.js"`);
    for (const [name, value] of Object.entries(MALLOC_ENVIRONMENT)) {
      expect(launcher).toContain(`export ${name}="\${${name}:-${value}}"`);
    }
  },
);
