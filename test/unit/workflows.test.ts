import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../support/paths.ts';

const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      environment: z.string().optional(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() }).loose()),
    }),
  ),
});
const folder = join(ROOT, '.github', 'workflows');
const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
const jobs = workflows.flatMap((text) => Object.values(Workflow.parse(parse(text)).jobs));
const steps = jobs.flatMap((job) => job.steps);

it('workflows run actions of a commit, which nobody can move', () => {
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  expect(parse(readFileSync(join(ROOT, '.github', 'dependabot.yml'), 'utf8'))).toMatchObject({
    updates: [{ 'package-ecosystem': 'npm' }, { 'package-ecosystem': 'github-actions' }],
  });
});

it('secrets are read in a protected environment alone', () => {
  const reading = jobs.filter((job) => JSON.stringify(job).includes('secrets.'));
  expect(reading.map(({ environment }) => environment)).toEqual(['release']);
});

it('the name of a tag is never a part of a script', () => {
  const scripts = steps.flatMap(({ run }) => run ?? []);
  expect(scripts.filter((script) => /\$\{\{\s*github\.(?:ref|head|event)/.test(script))).toEqual([]);
  expect(scripts.filter((script) => /(?<!")\$\{?GITHUB_REF/.test(script))).toEqual([]);
});
