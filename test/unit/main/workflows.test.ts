import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../../support/paths.ts';

const Step = z.strictObject({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z
    .string()
    .regex(/^[\w-]+\/[\w-]+@v\d+$/)
    .optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  run: z.string().optional(),
  shell: z.enum(['bash']).optional(),
  env: z.record(z.string(), z.string()).optional(),
});

const Job = z.strictObject({
  'runs-on': z.string(),
  'timeout-minutes': z.number().optional(),
  needs: z.string().optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
  strategy: z.object({ matrix: z.record(z.string(), z.array(z.unknown())) }).optional(),
  steps: z.array(Step).min(1),
});

const Workflow = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  concurrency: z.record(z.string(), z.unknown()).optional(),
  permissions: z.strictObject({ contents: z.literal('read') }),
  jobs: z.record(z.string(), Job),
});

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).scripts;

describe.each(globSync('.github/workflows/*.yml', { cwd: ROOT }))('%s', (name) => {
  const workflow = Workflow.parse(parse(readFileSync(join(ROOT, name), 'utf8')));
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('has steps that either run something or use an action', () => {
    for (const step of steps)
      expect([step.run, step.uses].filter(Boolean), JSON.stringify(step)).toHaveLength(1);
  });

  it('runs npm scripts that exist', () => {
    const asked = steps.flatMap(({ run }) =>
      [...(run ?? '').matchAll(/npm run ([\w:]+)/g)].map((match) => match[1]),
    );
    expect(asked.filter((script) => script === undefined || !Object.hasOwn(scripts, script))).toEqual([]);
  });

  it('needs jobs that exist, and names every value of its matrix', () => {
    for (const { needs } of jobs) if (needs !== undefined) expect(workflow.jobs).toHaveProperty(needs);
    for (const job of jobs) {
      const text = JSON.stringify(job);
      for (const [, key] of text.matchAll(/\$\{\{[^}]*?matrix\.(\w+)/g)) {
        const known = Object.entries(job.strategy?.matrix ?? {}).flatMap(([one, values]) =>
          one === 'include' ? Object.keys(z.record(z.string(), z.unknown()).parse(values[0])) : [one],
        );
        expect(known).toContain(key);
      }
    }
  });
});
