import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundled } from '../browser/bundled.ts';

const folder = mkdtempSync(join(tmpdir(), 'studio-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.for(['node:fs', 'fs/promises', 'path'])(
  'a build that would take in %s fails, and says who asks for it',
  async (name) => {
    const file = join(folder, 'asks.ts');
    writeFileSync(file, `import * as all from '${name}';\nconsole.log(all);\n`);
    await expect(bundled(file)).rejects.toThrow(`asks.ts imports ${name}, which no browser has`);
  },
);

test('what has no need of Node is bundled', async () => {
  const file = join(folder, 'alone.ts');
  writeFileSync(file, `const greeting: string = 'hello';\nconsole.log(greeting);\n`);
  expect(await bundled(file)).toContain('hello');
});
