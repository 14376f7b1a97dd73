import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Blocks that the README takes from files, with the comment that names the file before them. */
const blocks = [...readme.matchAll(/<!-- (?:scenario|transcript|example): (\S+) -->\n+```\w*\n([\s\S]*?)\n```/g)].map(
  (match) => [match[1]!, match[2]!] as const,
);

test('the README shows a scenario and its transcript, a test, and two runs side by side', () => {
  expect(blocks.map(([file]) => file)).toEqual([
    'scenarios/election/failover-on-kill.yaml',
    'scenarios/election/failover-on-kill.transcript',
    'test/runners/examples/vitest.test.ts',
    'scenarios/ttl/starvation-document-by-document.transcript',
    'scenarios/ttl/fairness-in-rounds.transcript',
  ]);
});

// `test/scenarios.test.ts` compares that transcript with a run.
test.for(blocks)('%s stands in the README as it is', ([file, block]) => {
  expect(block).toBe(readFileSync(join(root, file), 'utf8').trimEnd());
});

test('the README shows how a transcript with a workload ends', () => {
  const [, file, block] = /<!-- end of: (\S+) -->\n+```text\n([\s\S]*?)\n```/.exec(readme)!;
  expect(file).toBe('scenarios/clients/w1-writes-lost-at-a-partition.transcript');
  expect(block).toMatch(/ledger of w1/);
  expect(readFileSync(join(root, file!), 'utf8').trimEnd().endsWith(block!)).toBe(true);
});

// `packages/cli/test/readme.test.ts` compares that README with a forecast.
test('the README shows a part of a forecast', () => {
  const [, file, block] = /<!-- part of: (\S+) -->\n+```text\n([\s\S]*?)\n```/.exec(readme)!;
  expect(block).toMatch(/^deleted documents: /);
  expect(readFileSync(join(root, file!), 'utf8')).toContain(block);
});

test('the two commands stand first', () => {
  const first = /```sh\n([\s\S]*?)```/.exec(readme)![1]!;
  expect(first).toMatch(/^npm ci && npm start .*\nnpm ci && npm test /);
});

test('the folder list names the packages that exist', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(workspaces).toEqual(['packages/*']);
  const listed = [...readme.matchAll(/^(?:people|doors|machine|mongod|rules|words|\s+) +(\w+)\/ /gm)].map(
    (match) => match[1]!,
  );
  expect(listed.sort()).toEqual(readdirSync(join(root, 'packages')).sort());
});
