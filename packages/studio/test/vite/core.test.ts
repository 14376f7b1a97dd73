import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { editorScript, wholeScript } from '../../vite/laterScripts.ts';
import { oneScript } from '../../vite/oneScript.ts';

const folder = mkdtempSync(join(tmpdir(), 'studio-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.for(['node:fs', 'fs/promises', 'path'])(
  'a build that would take in %s fails, and says who asks for it',
  async (name) => {
    const file = join(folder, 'asks.ts');
    writeFileSync(file, `import * as all from '${name}';\nconsole.log(all);\n`);
    await expect(oneScript(file)).rejects.toThrow(`asks.ts imports ${name}, which no browser has`);
  },
);

test('what has no need of Node is bundled', async () => {
  const file = join(folder, 'alone.ts');
  writeFileSync(file, `const greeting: string = 'hello';\nconsole.log(greeting);\n`);
  expect(await oneScript(file)).toContain('hello');
});

test('the editor is a script that leaves the program of its page alone', async () => {
  const script = await editorScript();
  expect(script).toContain('replsimEditor');
  expect(script).not.toContain('replsimWholeProgram');
});

test('the whole core is left behind as a function that the page does not call', async () => {
  const script = await wholeScript();
  expect(script).not.toContain('this page knows nothing of');
  const self: Record<string, unknown> = {};
  // Nothing of it runs: it would ask for what only a worker has.
  runInNewContext(script, { self });
  expect(Object.keys(self)).toEqual(['replsimWholeProgram']);
  expect(self.replsimWholeProgram).toBeTypeOf('function');
});

test('of the language there is what checks scenarios, and not what editors are told of it', async () => {
  const schema = fileURLToPath(new URL('../../../scenario/src/language/scenarioSchema.ts', import.meta.url));
  const file = join(folder, 'schema.ts');
  writeFileSync(file, `export * from '${schema}';\nimport * as all from '${schema}';\nself.all = all;\n`);
  const script = await oneScript(file);
  expect(script).toContain('expected at least one step');
  for (const description of ['Its claim, in one sentence', 'What happens, in order'])
    expect(script).not.toContain(description);
  const self: { all?: typeof import('../../../scenario/src/language/scenarioSchema.ts') } = {};
  runInNewContext(script, { self, TextEncoder, TextDecoder, crypto, performance, navigator: {} });
  const { scenarioSchema, scenarioJsonSchema } = self.all!;
  expect(scenarioSchema.safeParse({ name: 'It', steps: [{ advance: '1s' }] }).success).toBe(true);
  expect(scenarioSchema.safeParse({ name: 'It', steps: [] }).error?.issues.map(({ message }) => message)).toEqual([
    'expected at least one step',
  ]);
  expect(() => scenarioJsonSchema()).toThrow('the page makes no JSON Schema of what it has');
});
