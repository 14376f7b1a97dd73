import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { blocksOf } from '../docs/markdown.ts';
import { home, mongosh } from './mongosh.ts';

// The example of docs/serve.md in mongosh, as it stands there.

const [example] = blocksOf('docs/serve.md').filter(({ what }) => what === 'in mongosh');

describe.each([0, 1])('at speed %i', (speed) => {
  const served = useServedSet({ speed });

  test('the shell kills the primary, and goes on', async () => {
    const file = join(home, `example-${speed}.js`);
    writeFileSync(file, example!.code);
    const { stdout, stderr, status } = await mongosh([
      `${served().uri}&readPreference=nearest`,
      '--quiet',
      '--file',
      file,
    ]);
    expect({ stdout: stdout.trim(), stderr, status }).toEqual({ stdout: '2', stderr: '', status: 0 });
  });
});
