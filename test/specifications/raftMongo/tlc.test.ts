import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Writes the module of a scenario, without a word to TLC. */
async function written(name: string, text: string) {
  const said = await run(['--out', folder, file(`${name}.yaml`, text)], join(folder, 'nowhere'));
  const read = (ending: string) => readFileSync(join(folder, `Run_${name}.${ending}`), 'utf8');
  return { ...said, tla: read('tla'), cfg: read('cfg') };
}

const ELECTS = readFileSync(SCENARIO, 'utf8');

test('--out writes the run as a module over RaftMongo, and what TLC is to check beside it', async () => {
  const { code, err, tla, cfg } = await written('Elected', ELECTS);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(tla).toMatch(/^-+ MODULE Run_Elected -+\n\\\* A set elects a primary, seed 1, as a behaviour of RaftMongo/);
  expect(tla).toMatch(/\nEXTENDS RaftMongo, TLC\n/);
  expect(tla).toMatch(
    /\[action \|-> "BecomePrimaryByMagic", after \|-> \("(n\d)" :> Is\(1, "Leader", 0, 0, << >>\)\) @@ .*\n(?:.*\n)?.*"ClientWrite", after \|-> \("\1" :> Is\(1, "Leader", 0, 0, Of\(\d+, 1\)\)\)/,
  );
  expect(cfg).toMatch(/SPECIFICATION RunSpec[\s\S]*Server = \{"n1", "n2", "n3"\}[\s\S]*PROPERTY SpecBehavior/);
});

test('a module says where it ends before the run, and that it is empty where nobody was elected', async () => {
  const loses = `${ELECTS}  - stepUp: n1
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: a.b, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - kill: n1
  - start: n1
  - advance: 1s
`;
  const lost = await written('Lost', loses);
  expect(lost.out).toMatch(
    /Run_Lost\.tla: \d+ steps; it ends at \d+\.\d{3}s: n1 comes back without entries that it had/,
  );
  expect(lost.tla).toMatch(/\n\\\* It ends at \d+\.\d{6}s: n1 comes back/);
  const none = 'name: Nobody\nreplicaSet: { members: 3, initiate: false }\nsteps:\n  - advance: 1s\n';
  expect((await written('None', none)).out).toMatch(/0 steps; it holds no step: nobody was elected/);
});

test('a run that fails is no module', async () => {
  const fails = file('fails.yaml', `${ELECTS}  - expect: { primary: none }\n`);
  const { code, err } = await run(['--out', folder, fails], 'true');
  expect(code).toBe(1);
  expect(err).toMatch(/fails\.yaml: the run fails: /);
});

const all = ['--spec', SPEC, '--tlc', JAR, SCENARIO];

test.for<[what: string, args: readonly string[], java: string, says: RegExp[]]>([
  ['nothing at all', [], join(folder, 'nowhere'), [/--spec \(missing\): .*RaftMongo\.tla/, /--tlc \(missing\): .*tla2tools\.jar/, /java: TLC needs a Java runtime/]],
  ['another specification', ['--spec', JAR, '--tlc', JAR], 'true', [/--spec .*tla2tools\.jar: it has to be/]],
  ['no Java', all, join(folder, 'nowhere'), [/^java: TLC needs/]],
  ['no such scenario', [...all, join(folder, 'none.yaml')], 'true', [/none\.yaml: no such file or folder/]],
  ['modules in the place of a file', ['--out', JAR, SCENARIO], 'true', [/--out .*tla2tools\.jar: it is a file/]],
  ['modules, and TLC', ['--out', folder, ...all], 'true', [/--out only writes the modules: leave out --spec and --tlc/]],
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
