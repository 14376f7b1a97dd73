import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordedStep, recordingEnd, recordingHeader } from '@replsim/scenario';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

// What replsim shrink leaves of scenarios and of recordings, and what it says where there is nothing to shrink.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shrink-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(args: readonly string[], more: object = {}) {
  const io = testIo();
  const { out, err, colours } = io;
  const code = await main(args, { out, err, colours, progress: false, ...more });
  return { code, out: io.stdout, err: io.stderr };
}

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** What a client did to a set whose members were called as `serve` calls them; it ends as one ends that serve stops. */
function recording(): string {
  const at = (seconds: number) => Math.round(seconds * 1e6);
  const remote = '127.0.0.1:50000';
  const bytes = (command: object) => Buffer.from(JSON.stringify(command));
  const setOptions = { seed: 5, members: ['n1', 'n2', 'n3'].map((name) => ({ name })) };
  const steps = [
    recordedStep({ atMicros: at(13), type: 'connect', connection: 1, member: 'n2', remote } as never),
    recordedStep({ atMicros: at(13), type: 'connect', connection: 2, member: 'n1', remote } as never),
    ...[{ hello: 1, $db: 'admin' }, ...[1, 2, 3].map((_id) => insert(_id))].map(
      (command, i) =>
        `  - { at: ${14 + i}.123456s, send: { connection: 2, command: '${bytes(command).toString()}' } }\n`,
    ),
    recordedStep({ atMicros: at(20), type: 'hangUp', connection: 2 } as never),
    recordingEnd(at(40)),
  ];
  return [recordingHeader('Recorded', setOptions as never), ...steps].join('');
}

const insert = (_id: number) => ({
  insert: 'items',
  documents: [{ _id }],
  lsid: { id: { $uuid: '70ad35b2-4c3e-493f-8809-b236ef858699' } },
  $db: 'app',
});

test('of a recording the connection and the command are left that its failure needs, without fields of sessions', async () => {
  const file = written(
    'recording.yaml',
    `${recording()}  - expect: { on: n1, count: app.items, filter: { _id: 2 }, is: 0 }\n`,
  );
  const { code, out, err } = await replsim(['shrink', file, '--json']);
  expect([code, err]).toEqual([0, '']);
  const { text, from, to } = JSON.parse(out);
  expect([from, to]).toEqual([10, 4]);
  expect(text).toMatch(/^# what fails: step 4, [^\n]*\n# shrunk from \S+recording.yaml\nname:/);
  expect(text).toMatch(
    /steps:\n {2}- .*connect: .* to: n1.*\n {2}- .*command: '\{"insert":"items","documents":\[\{"_id":2\}\],"\$db":"app"\}' \} \}\n/,
  );
  expect(text).toContain('members: 1');
  // It fails as the recording did.
  expect((await replsim(['run', written('small.yaml', text)])).out).toContain('filter: {_id: 2}, is: 0}');
});

describe('nothing to shrink', () => {
  const refusal = async (...args: readonly string[]) => {
    const { code, out, err } = await replsim(['shrink', ...args]);
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  test('in a recording in which nothing fails', async () => {
    expect(await refusal(written('whole.yaml', recording()))).toMatch(
      /whole.yaml is a recording in which nothing fails, so .*; add to its steps what should hold/,
    );
  });

  test('in a scenario that holds, and in one that stops at what is no check', async () => {
    const held = written('held.yaml', 'name: x\nsteps:\n  - advance: 1s\n  - expect: { primary: none }\n');
    expect(await refusal(held)).toContain('does not fail with seed 1, so there is nothing to shrink; replsim explore');
    const stops = written('stops.yaml', 'name: x\nsteps:\n  - kill: n1\n  - kill: n1\n  - expect: { primary: any }\n');
    expect(await refusal(stops)).toMatch(
      /does not come to its end with seed 1, .* it stops at step 2, line 4: kill: n1, which is not a check/,
    );
  });

  test('in a file that is wrong, or that would be written over', async () => {
    expect(await refusal(written('wrong.yaml', 'name: x\nsteps:\n  - advanse: 1s\n'))).toContain(
      'unknown key "advanse"',
    );
    const file = written('fails.yaml', 'name: x\nsteps:\n  - expect: { primary: any }\n');
    expect(await refusal(file, '--out', file, '--force')).toContain('is read by this command');
    expect(readFileSync(file, 'utf8')).toContain('name: x');
  });
});

test('who interrupts it gets the smallest so far, and sees on a terminal how far it is', async () => {
  const file = written('fails.yaml', `name: x\nsteps:\n${'  - advance: 1s\n'.repeat(9)}  - expect: { primary: any }\n`);
  let shown = '';
  let stop = () => {};
  const io = {
    progress: true,
    onInterrupt(interrupted: () => void) {
      stop = interrupted;
    },
    err(text: string) {
      shown += text;
      if (text.includes('run 3')) stop();
    },
  };
  const { code, out } = await replsim(['shrink', file, '--json'], io);
  expect(code).toBe(130);
  expect(JSON.parse(out)).toMatchObject({ runs: 3 });
  expect(shown).toContain('run 2, 10 steps and faults left');
  expect(shown).toMatch(/not shrunk to the end: it may be smaller still\n$/);
});
