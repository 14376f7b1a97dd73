import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import { type Drawings, drawingsOf } from '../../src/set/draw.ts';

async function drawn(file: string): Promise<Drawings> {
  const text = readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, file), (setup) => ReplSet.create({ ...setup, causes: true }), {
    onTrace: (event) => trace.push(event),
  });
  return drawingsOf(trace);
}

/** What is written in a picture, but for its title and what only those hear who do not see it. */
const words = (svg: string) =>
  Array.from(svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g), ([, text]) => text!.trim()).filter((text) => text !== '');

const golden = (svg: string, name: string) => expect(svg).toMatchFileSnapshot(`golden/${name}`);

describe('an election', async () => {
  const election = await drawn('lessons/02-how-an-election-goes');

  test('who died, what is asked, and what is answered, is in the picture', async () => {
    expect(words(election.instant(17e6))).toEqual(
      expect.arrayContaining(['DOWN · was primary', 'killed 4.5 s ago', 'waits 5.5 s more']),
    );
    const dryRun = election.instant(22.512e6);
    expect(words(dryRun)).toEqual(expect.arrayContaining(['would you?', 'CANDIDATE · term 1']));
    expect(dryRun).toMatch(/class="message vote said dry/);
    const real = election.instant(22.5175e6);
    expect(words(real)).toEqual(expect.arrayContaining(['vote!', 'CANDIDATE · term 2']));
    expect(real).not.toMatch(/class="message vote said dry/);
    expect(words(election.instant(22.523e6))).toEqual(expect.arrayContaining(['yes', 'votes for n2', 'yes to n2']));
    expect(words(election.instant(22.53e6))).toContain('no writes yet');
    expect(words(election.instant(22.5418e6))).toContain('accepts writes');
  });

  test('a primary that has died was one, until it starts again', () => {
    expect(election.instant(12.46e6)).toContain('class="crown full"');
    expect(election.instant(17e6)).toContain('class="crown fallen"');
    expect(election.instant(34.4e6).split('class="foot"')[0]).toMatch(/class="crown (full|fallen)"/);
  });

  test('whoever is asked and cannot answer is seen not to', () => {
    expect(words(election.instant(22.5125e6))).toContain('no answer');
    expect(words(election.instant(22.5175e6))).toContain('lost');
  });

  test('below the set is what happens, and what signs mean', () => {
    expect(words(election.instant(22.523e6))).toEqual(
      expect.arrayContaining([
        'At 22.523s: n3 votes for n2',
        'dashed: a dry run',
        'insert, update, delete; −5: five in one entry',
      ]),
    );
    const long = words(election.instant(17e6)).filter((each) => each.startsWith('At 17.000s.'));
    expect(long).toEqual(['At 17.000s. Last, at 12.489s: n3 notices: n1 does not answer']);
  });

  test('what a healthy primary has just written is not said to be only there', () => {
    const writes = election.instant(22.5422e6);
    expect(writes).not.toContain('only here');
    expect(writes).not.toMatch(/class="cell [^"]* lone"/);
  });

  test('the ring of a pass is whole only where that deletes', () => {
    const passes = election.instant(12.4574e6).match(/class="ring pass[^"]*"/g);
    expect(passes?.sort()).toEqual([
      'class="ring pass idle"',
      'class="ring pass idle"',
      'class="ring pass"',
      // The legend's.
      'class="ring pass"',
    ]);
  });

  test('an instant, to the letter', () => golden(election.instant(22.523e6), 'election.svg'));

  test('where its scenario begins, nothing of the first election is left', () => {
    const [begins = ''] = election.instant(12_457_254).split('class="foot"');
    expect(begins).not.toMatch(/class="(bubble|burst|flash|message (?!heartbeat))/);
    expect(words(begins)).not.toEqual(expect.arrayContaining(['yes']));
    expect(words(begins)).not.toEqual(expect.arrayContaining(['accepts writes']));
    // So it is two seconds after the last one as well, which is seen at its leisure.
    expect(words(election.instant(24.6e6))).not.toContain('accepts writes');
  });

  test('a stretch as a sequence diagram, to the letter', async () => {
    await golden(election.stretch(22e6, 23e6, 'svg'), 'election.sequence.svg');
    await golden(election.stretch(22e6, 23e6, 'mermaid'), 'election.mmd');
  });

  test('a stretch that can be read is not refused', () => {
    expect(election.refusal(22e6, 23e6)).toBeUndefined();
  });

  test('an instant is drawn alike, whatever was drawn before', () => {
    const once = election.instant(22.52e6);
    election.instant(30e6);
    expect(election.instant(22.52e6)).toBe(once);
  });
});

test('a rollback lets entries fall, and shows the file that keeps documents', async () => {
  const rollback = await drawn('lessons/05-what-a-rollback-takes-away');
  expect(words(rollback.instant(14e6))).toEqual(expect.arrayContaining(['PRIMARY · term 1']));
  const cutOff = rollback.instant(16e6);
  expect(words(cutOff)).toContain('3 entries only here');
  expect(cutOff.match(/class="cell [^"]* lone"/g)).toHaveLength(3);
  // One wall through between two sides, and no blocks besides.
  expect(cutOff.match(/class="wall"/g)).toHaveLength(1);
  expect(cutOff).not.toContain('class="block"');
  expect(words(cutOff).join('\n')).toMatch(/^16\.000s of 65\.537s · step \d of 9$/m);
  const during = rollback.instant(35_525_500);
  expect(words(during)).toContain('rollback file');
  expect(during).toContain('fallen');
  expect(during).toContain('class="kept"');
  await golden(during, 'rollback.svg');
});

test('documents that TTL deletes fade on the primary, then on the others', async () => {
  const ttl = await drawn('lessons/06-who-deletes-expired-documents');
  expect(words(ttl.instant(120_002_300))).toContain('TTL deletes 5');
  expect(words(ttl.instant(120_004_700))).toContain('5 deleted, by the oplog');
  // They are one entry.
  expect(words(ttl.instant(120_004_700))).toContain('−5');
  await golden(ttl.instant(120_002_300), 'ttl.svg');
});

test('a member is far behind when it lacks for a while what others have, and not while a batch is on its way', async () => {
  const text = `name: Far behind
replicaSet: { members: [n1, n2, n3] }
begin: with a primary
steps:
  - hold: { on: n3, part: fetch }
  - insert: { into: app.c, documents: [${Array.from({ length: 20 }, (_, i) => `{ _id: ${i} }`)}], ordered: true }
  - advance: 5s
`;
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, 'far'), (setup) => ReplSet.create({ ...setup, causes: true }), {
    onTrace: (event) => trace.push(event),
  });
  const written = trace.find(
    (event) =>
      event.type === 'oplogWritten' &&
      event.entries.some(({ operations }) => operations.some(({ op, ns }) => op === 'i' && ns === 'app.c')),
  );
  const far = drawingsOf(trace);
  for (let later = 0; later < 900_000; later += 20_000)
    expect(words(far.instant(written!.atMicros + later))).not.toContain('‹ far behind');
  expect(words(far.instant(written!.atMicros + 1_500_000))).toContain('‹ far behind');
});

test('a stretch with too many rows is refused, with the instant before which one must end', async () => {
  const busy = await drawn('clients/w1-writes-lost-at-a-partition');
  const said = busy.refusal(0, Number.MAX_SAFE_INTEGER) ?? '';
  const [, secs] = /^this stretch has \d+ rows, and at most 300 are drawn: .* before ([\d.]+)s$/.exec(said) ?? [];
  expect(busy.refusal(0, Number(secs) * 1e6 - 1000)).toBeUndefined();
});
