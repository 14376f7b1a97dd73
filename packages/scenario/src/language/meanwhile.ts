import { formatInstant } from '@replsim/kernel';
import { duration, flag, strict } from '@replsim/replset';
import * as z from 'zod';
import type { WordJudge } from '../judging/judgeWords.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import type { Meanwhile } from '../scenario.ts';
import { withDefault } from '../schema/parts.ts';
import { clientSteps } from '../steps/clientSteps.ts';
import { failPointStep } from '../steps/failPoint.ts';
import { faultSteps } from '../steps/faultSteps.ts';
import type { AnyStep } from '../steps/row.ts';
import { setSteps } from '../steps/setSteps.ts';

const { stepDown, stepUp, freeze, reconfig, addMember, removeMember } = setSteps;
/** What befalls a set at an instant: faults, what an operator asks of it, and mongod's own fail points. */
const FAULTS: Readonly<Record<string, AnyStep>> = {
  ...faultSteps.processes,
  failPoint: failPointStep,
  ...faultSteps.network,
  ...faultSteps.machines,
  ...{ stepDown, stepUp, freeze, reconfig, addMember, removeMember },
  run: clientSteps.run,
};
/** What an entry says beside its fault. */
const BESIDE: readonly string[] = ['at', 'optional'];
const example = '- { at: 21.5s, kill: primary }';

/** Faults at instants, each with one key of that table. */
export const meanwhileShape = z
  .array(
    strict('a fault at an instant', {
      at: duration.describe('The instant after time zero at which it happens'),
      optional: withDefault(flag, false, 'If it cannot be done at that instant, the run continues without it'),
      ...Object.fromEntries(Object.entries(FAULTS).map(([key, { shape }]) => [key, shape.optional()])),
    }),
    { error: `expected a list of faults at instants: ${example}` },
  )
  .min(1, { error: `expected at least one fault: ${example}` })
  .describe('Faults that happen at their instants, whatever step is in progress then');

type MeanwhileInput = z.infer<typeof meanwhileShape>;

/** Reads what happens while steps are under way, in the order of time; mistakes that the shape cannot see are told here. */
export function readMeanwhile(
  reader: Reader,
  input: MeanwhileInput | undefined,
  judge: WordJudge,
): readonly Meanwhile[] {
  if (!Array.isArray(input)) return [];
  const { source } = reader;
  const all = input.flatMap((each, i): Meanwhile[] => {
    const path = ['meanwhile', i];
    const [key, second] = Object.keys(each).filter((name) => !BESIDE.includes(name));
    const row = key === undefined || !Object.hasOwn(FAULTS, key) ? undefined : FAULTS[key];
    if (key === undefined || row === undefined) {
      source.mistakeAtPath(path, 'nothing happens at this instant', `for example "${example}"`);
      return [];
    }
    if (second !== undefined) {
      source.mistakeAtKey(
        path,
        second,
        `one fault each, and this is "${key}" already`,
        'begin a new entry with its own "at"',
      );
      return [];
    }
    const atMicros = reader.span([...path, 'at'], each.at);
    judge.step([...path, key], key, each[key as keyof typeof each]);
    const action = row.read(reader, [...path, key], each[key as keyof typeof each], () => []);
    const text = `${key}: ${flowText(source, source.nodeAt([...path, key]))}`;
    const where = `meanwhile, at ${formatInstant(atMicros)}`;
    const optional = each.optional === true;
    return [{ atMicros, where, optional, step: { index: -1 - i, line: source.lineOf(path), key, text, action } }];
  });
  return all.sort((a, b) => a.atMicros - b.atMicros);
}
