import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { insertStep } from '../../../src/core/edit/insertStep.ts';
import { History } from '../../../src/core/history/history.ts';
import { ScenarioPlayer } from '../../../src/core/run/play.ts';

const SCENARIOS = fileURLToPath(new URL('../../../../../scenarios/', import.meta.url));
const NEW = 'name: My scenario\nbegin: with a primary\nsteps:\n  - advance: 30s\n';
const read = (file: string) => readFileSync(SCENARIOS + file, 'utf8');
/** Runs that take seconds; what is before their steps is as in others. */
const SLOW = /a-secondary-adds-up-a-snapshot|chain-without-its-end|initial-sync-in-a-chain/;
const texts = readdirSync(SCENARIOS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !SLOW.test(file))
  .sort()
  .map((file) => [file, read(file)] as const);

async function run(text: string) {
  const history = new History();
  const kills: { readonly member: string; readonly atMicros: number }[] = [];
  const played = await new ScenarioPlayer().play(text, undefined, ({ events }) => {
    history.add(events);
    for (const event of events)
      if (event.type === 'processStopped' && event.how === 'killed')
        kills.push({
          member: history.memberNames.find((name) => name === event.member) ?? event.member,
          atMicros: event.atMicros,
        });
  });
  if (played.kind !== 'played') throw new Error(JSON.stringify(played));
  return { history, kills, played };
}

/** What stands before the steps decides how an instant is read; of those that have the same, the shortest is played with what was clicked. */
const headOf = (text: string) =>
  ['begin', 'hide', 'zones'].filter((key) => new RegExp(`^${key}:`, 'm').test(text)).join();
/** Lessons, and of each folder the shortest text with each head. Without one, steps begin at time zero, and nothing is against an instant. */
const kindOf = ([file, text]: readonly [string, string]) =>
  file.startsWith('lessons/') ? file : `${file.split('/')[0]} ${headOf(text)}`;
const chosen = new Map(
  texts
    .filter(([file, text]) => file.startsWith('lessons/') || headOf(text) !== '')
    .sort(([, a], [, b]) => b.length - a.length)
    .map((each) => [kindOf(each), each]),
);
const all = [['an empty scenario', NEW] as const, ...chosen.values()];
const played = new Set(
  [...new Set(all.map(([, text]) => headOf(text)))].map(
    (head) => all.filter(([, text]) => headOf(text) === head).sort(([, a], [, b]) => a.length - b.length)[0]![0],
  ),
);

/** The step by which a text has a member killed at an instant. */
function killIn(text: string, member: string, atMicros: number) {
  const { steps } = parseScenario(text, 'clicked.yaml');
  return steps.find(
    (step) => 'atMicros' in step.action && step.action.atMicros === atMicros && step.text.includes(`kill: ${member}`),
  );
}

test.for(all)('%s: a member can be killed in the middle of it', { timeout: 60_000 }, async ([name, text]) => {
  const { history, played: whole } = await run(text);
  // Nothing can happen while the set of `begin` comes about.
  const stands = history.steps.find(({ index }) => index === 0)?.endedMicros ?? 0;
  const atMicros = Math.max(stands, Math.floor(whole.virtualMicros / 2));
  const { name: member = '' } = history.at(atMicros).members.find(({ process }) => process === 'running') ?? {};
  const edited = insertStep(text, atMicros, { kind: 'fault', texts: [`kill: ${member}`] }, history.steps)!;
  const kill = killIn(edited.text, member, atMicros);
  // What is done before it is done by then, and the run up to it is the same: it happens at that instant.
  expect(kill?.index).toBeGreaterThan(0);
  for (const { index, endedMicros } of history.steps)
    if (index < kill!.index) expect(endedMicros, `step ${index}`).toBeLessThanOrEqual(atMicros);
  if (!played.has(name)) return;
  const { kills } = await run(edited.text);
  expect(kills).toContainEqual({ member, atMicros });
});

test('what is clicked while the set comes about happens as soon as it stands', async () => {
  const { history } = await run(NEW);
  const stands = history.steps[0]!.endedMicros!;
  const edited = insertStep(NEW, 1_000_000, { kind: 'fault', texts: ['kill: n1'] }, history.steps)!;
  const { kills, played } = await run(edited.text);
  expect(kills).toEqual([{ member: 'n1', atMicros: stands }]);
  expect(played).toMatchObject({ ok: true });
});
