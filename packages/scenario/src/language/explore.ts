import { didYouMeanOneOf } from '@replsim/kernel';
import { duration, either, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { DRAWN_KINDS, DRAWS, drawOf } from '../drawing/draws.ts';
import type { Reader } from '../reading/reader.ts';
import type { Exploring } from '../scenario.ts';
import { natural, withDefault } from '../schema/parts.ts';

/** What `atMost` is where nobody says it. */
export const DRAWN_AT_MOST = 6;
const EXAMPLE = 'explore: { faults: [kill, partition], atMost: 3 }';

/** Editors complete these; of any other text the reader says why it cannot be drawn. */
const kind = either('the name of a fault, such as kill', [z.enum(DRAWN_KINDS as [string, ...string[]]), text]);

/** Within which bounds `replsim explore` draws faults for a scenario. */
export const exploreShape = strict(
  'explore',
  {
    faults: z
      .array(kind, { error: 'expected a list of faults: [kill, partition]' })
      .min(1, { error: 'expected at least one fault: [kill, partition]' })
      .optional()
      .describe('The kinds that are drawn; without it, all that can be'),
    during: duration.optional().describe('They begin in this stretch after the first step begins; without it, in any'),
    atMost: withDefault(natural, DRAWN_AT_MOST, 'At most this many in a run'),
    members: z
      .array(text, { error: 'expected a list of members: [n1, n2]' })
      .min(1, { error: 'expected at least one member' })
      .optional()
      .describe('Only these members are affected; without it, every member'),
    overlap: withDefault(
      flag,
      false,
      'Faults of the same process or network may overlap; one that cannot happen by then is passed over',
    ),
    heal: withDefault(flag, true, 'All that was drawn is over before the final checks; false: some of it may last'),
  },
  {
    kinds: 'did you mean "faults"?',
    within: 'did you mean "during"?',
    for: 'did you mean "during"?',
    on: 'did you mean "members"?',
    seed: 'it stands beside "explore", or is given as --seed',
    runs: 'it is an option of the command: --runs 1000',
    mode: 'it is an option of the command: --mode faults',
  },
).describe('Which faults `replsim explore` draws; other commands do not use it');

type ExploreInput = z.infer<typeof exploreShape>;

/** Reads the bounds; what no exploration could draw is a mistake. */
export function readExplore(reader: Reader, input: ExploreInput | undefined): Exploring | undefined {
  if (input === undefined) return undefined;
  const { source } = reader;
  const { faults, during, atMost, members, overlap, heal } = input;
  if (Object.keys(input).length === 0)
    source.mistakeAtPath(['explore'], 'this says nothing about what is drawn', `leave it out, or write ${EXAMPLE}`);
  faults?.forEach((each, i) => {
    const path = ['explore', 'faults', i];
    if (faults.indexOf(each) < i) source.mistakeAtPath(path, `"${each}" is in this list already`, 'leave it out');
    else judgeKind(reader, path, each);
  });
  if (faults && faults.length > 0 && reader.members.size < 2 && faults.every((each) => needsOthers(each)))
    source.mistakeAtPath(
      ['explore', 'faults'],
      'these faults need a set of several members',
      'add members, or for example kill',
    );
  members?.forEach((each, i) => {
    const path = ['explore', 'members', i];
    if (members.indexOf(each) < i) source.mistakeAtPath(path, `"${each}" is in this list already`, 'leave it out');
    else if (!reader.zones.has(each)) reader.member(path, each, [...reader.zones.keys()]);
  });
  const duringMicros = during === undefined ? undefined : reader.span(['explore', 'during'], during);
  if (duringMicros === 0)
    source.mistakeAtPath(['explore', 'during'], 'in no time nothing can be drawn', 'for example during: 60s');
  return {
    ...(faults && { faults }),
    ...(duringMicros !== undefined && { duringMicros }),
    ...(atMost !== undefined && { atMost }),
    ...(members && { members: [...new Set(members.flatMap((each) => reader.zones.get(each) ?? [each]))] }),
    ...(heal !== undefined && { heal }),
    ...(overlap !== undefined && { overlap }),
  };
}

function needsOthers(kind: string): boolean {
  return drawOf(kind)?.needs.includes('several members') ?? false;
}

function judgeKind({ source }: Reader, path: readonly (string | number)[], kind: string): void {
  if (DRAWN_KINDS.includes(kind)) return;
  const row = Object.hasOwn(DRAWS, kind) ? DRAWS[kind as keyof typeof DRAWS] : undefined;
  if (row !== undefined && 'never' in row)
    source.mistakeAtPath(
      path,
      `"${kind}" is not drawn by itself: ${row.never}`,
      `these are: ${DRAWN_KINDS.join(', ')}`,
    );
  else
    source.mistakeAtPath(
      path,
      `no fault that can be drawn is called "${kind}"`,
      didYouMeanOneOf(kind, DRAWN_KINDS) ?? `these can be: ${DRAWN_KINDS.join(', ')}`,
    );
}
