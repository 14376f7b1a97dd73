import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkWithTlc } from './tlc.ts';

// What the command says and does, with a stand-in for Java: neither TLC nor the specification is part of the project.

const folder = mkdtempSync(join(tmpdir(), 'replsim-tlc-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Finds as many states as it is told, in the folder where it is called. */
function fakeJava(name: string, states: string, code: number): string {
  const path = file(
    name,
    `#!/bin/sh
[ "$1" = -version ] && exit 0
ls "$PWD" | tr '\\n' ' '
steps=$(grep -c '\\[action |-> ' "$9")
echo "$* ; ${states} distinct states found"
exit ${code}
`,
  );
  chmodSync(path, 0o755);
  return path;
}

const SPEC = file('RaftMongo.tla', '');
const JAR = file('tla2tools.jar', '');
const SCENARIO = file(
  'elects.yaml',
  'name: A set elects a primary\nreplicaSet: { members: 3 }\nsteps:\n  - eventually: { within: 30s, primary: any }\n',
);

async function run(args: readonly string[], java: string) {
  let [out, err] = ['', ''];
  const code = await checkWithTlc(
    args,
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    },
    java,
  );
  return { code, out, err };
}

const all = ['--spec', SPEC, '--tlc', JAR, SCENARIO];

test.for<[what: string, args: readonly string[], java: string, says: RegExp[]]>([
  ['nothing at all', [], join(folder, 'nowhere'), [/--spec \(missing\): .*RaftMongo\.tla/, /--tlc \(missing\): .*tla2tools\.jar/, /java: TLC needs a Java runtime/]],
  ['another specification', ['--spec', JAR, '--tlc', JAR], 'true', [/--spec .*tla2tools\.jar: it has to be/]],
  ['no Java', all, join(folder, 'nowhere'), [/^java: TLC needs/]],
  ['no such scenario', [...all, join(folder, 'none.yaml')], 'true', [/none\.yaml: no such file or folder/]],
  ['an unknown option', ['--sepc', SPEC], 'true', [/Unknown option '--sepc'/]],
])('exit code 2 for %s', async ([, args, java, says]) => {
  const { code, out, err } = await run(args, java);
  for (const text of [...says, /npm run tla -- --spec/]) expect(err).toMatch(text);
  expect({ code, out }).toEqual({ code: 2, out: '' });
}); // biome-ignore format: a row a line

test('each run is a module of its own, and the specification stays where it is', async () => {
  const { code, out } = await run(all, fakeJava('holds', '$((steps + 1))', 0));
  expect(out).toMatch(/^ok {6}.*elects\.yaml: \d+ steps\n1 of 1 runs are behaviours of RaftMongo\n$/);
  expect(code).toBe(0);
});

test.for<[what: string, states: string, code: number]>([
  ['finds a step that RaftMongo does not allow', '$((steps + 1))', 12],
  ['does not come to the end', '$steps', 0],
])('exit code 1, and what TLC says, if it %s', async ([, states, tlcCode]) => {
  const { code, out } = await run(all, fakeJava('fails', states, tlcCode));
  expect(out).toMatch(/FAILED .*elects\.yaml: \d+ steps; TLC says\nRun_elects\.cfg Run_elects\.tla /);
  expect(out).toContain(`-DTLA-Library=${folder} -cp ${JAR} tlc2.TLC`);
  expect(out).toMatch(/0 of 1 runs/);
  expect(code).toBe(1);
});
