import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { main } from '../../src/index.ts';
import { githubMistakes } from '../githubFiles.ts';
import { testIo } from '../io.ts';

// What docs/explore.md says of many machines is what those that read such files can read, and its commands are commands.

const page = readFileSync(new URL('../../../../docs/explore.md', import.meta.url), 'utf8');
const chapter = page.slice(page.indexOf('## Many machines'), page.indexOf('## The commands'));
const block = (name: string) =>
  new RegExp(`<!-- ${name} -->\n\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(chapter)?.[1] ?? '';

test("the matrix is a workflow, by GitHub's own parser", async () => {
  expect(await githubMistakes('workflow', block('github'))).toEqual([]);
  const { jobs } = parse(block('github'));
  const { shard } = jobs.explore.strategy.matrix;
  expect(shard).toEqual(shard.map((_: number, i: number) => i + 1));
  expect(block('github')).toContain(`--shard \${{ matrix.shard }}/${shard.length} `);
});

test('the Job of Kubernetes has as many pods as there are shards', () => {
  const { kind, spec } = parse(block('kubernetes'));
  expect([kind, spec.completionMode]).toEqual(['Job', 'Indexed']);
  const [container] = spec.template.spec.containers;
  expect(container.args.join(' ')).toContain(`--shard $((JOB_COMPLETION_INDEX + 1))/${spec.completions} `);
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
  expect(spec.template.spec.volumes.map(({ name }: { name: string }) => name)).toEqual(mounted);
});

test('the compose file starts workers beside a Redis that keeps what it is told', () => {
  const { services } = parse(block('compose'));
  expect(services.worker.depends_on).toEqual(['redis']);
  expect(services.worker.command).toEqual(['worker', '--queue', 'redis://redis:6379']);
  expect(services.redis.command).toContain('--appendonly');
});

describe('the commands have the options that they are shown with', () => {
  const shown = [...chapter.matchAll(/replsim (explore|merge|worker|queue status)\b([^`\n#]*)/g)];

  test.for(shown.map(([, command = '', rest = '']) => [command, rest] as const))('%s%s', async ([command, rest]) => {
    const io = testIo();
    await main([command.split(' ')[0]!, '--help'], io);
    for (const [option] of rest.matchAll(/--[\w-]+/g)) expect(io.stdout).toContain(`${option} `);
  });

  test('there are some', () => expect(shown.length).toBeGreaterThan(8));
});
