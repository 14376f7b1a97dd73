import { didYouMeanOneOf } from '@replsim/kernel';
import { either, isNobody, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { ttlRefusal } from '../lateness/ttlRefusal.ts';
import type { TtlPart } from '../scenario.ts';
import { filter, namespace } from '../schema/parts.ts';
import { readTtl } from './readTtl.ts';
import type { Refusal } from './refusal.ts';
import { type CheckInput, check } from './row.ts';
import { sameData } from './sameData.ts';
import type { Sight } from './sight.ts';

const STATES = [
  'STARTUP',
  'PRIMARY',
  'SECONDARY',
  'RECOVERING',
  'STARTUP2',
  'UNKNOWN',
  'ARBITER',
  'DOWN',
  'ROLLBACK',
  'REMOVED',
] as const;

/** Who is what. */
export const roleChecks = {
  primary: check({
    shape: text.describe("A member's name, any or none"),
    read: (reader, path, who) => {
      if (who !== 'none' && isNobody(who) && !reader.members.has(who))
        reader.source.mistakeAtPath([...path, 'primary'], `no member is called "${who}"`, 'did you mean "none"?');
      else if (who !== 'any' && who !== 'none') reader.member([...path, 'primary'], who, ['any', 'none']);
      return { kind: 'primary', who, asks: { form: 'primary', look: { kind: 'primary' } } };
    },
    judge: ({ who }, sight) => primaryRefusal(who, sight),
    reasons: ({ who }, reasons) => (who === 'none' ? [] : reasons.primary(who === 'any' ? undefined : who)),
  }),
  state: check({
    shape: z
      .record(z.string(), z.enum(STATES, { error: `expected one of ${STATES.join(', ')}` }), {
        error: 'expected { member: STATE }',
      })
      .describe("The state in each member's own replSetGetStatus; DOWN means that its process is not running"),
    read: ({ members, source }, path, given) => {
      for (const name of Object.keys(given))
        if (!members.has(name))
          source.mistakeAtKey(
            [...path, 'state'],
            name,
            `no member is called "${name}"`,
            didYouMeanOneOf(name, [...members.keys()]),
          );
      const states = Object.entries(given);
      const [[on] = [], second] = states;
      const isOne = on !== undefined && second === undefined;
      return {
        kind: 'state',
        states,
        ...(isOne && { asks: { form: { state: on }, look: { kind: 'state', on } } }),
      };
    },
    judge: ({ states }, sight) => {
      const wrong = states
        .map(([member, wanted]) => ({ member, wanted, is: sight.stateOf(member) }))
        .filter(({ wanted, is }) => wanted !== is);
      if (wrong.length === 0) return undefined;
      return {
        asked: wrong.map(({ member, wanted }) => `${member} is ${wanted}`).join(', '),
        got: wrong.map(({ member, is }) => `${member} is ${is}`).join(', '),
      };
    },
    reasons: ({ states }, reasons) =>
      states.flatMap(([member, wanted]) => (wanted === 'PRIMARY' ? reasons.primary(member) : reasons.state(member))),
  }),
};

/** What holds of the set as a whole. */
export const setChecks = {
  same: check({
    shape: either('a list of namespaces, or all', [
      z.literal('all'),
      z.array(namespace).min(1, { error: 'expected at least one namespace' }),
    ]).describe('These collections, or all, are equal on all running members, by dbHash'),
    read: (_reader, _path, namespaces) => ({ kind: 'same', namespaces }),
    judge: ({ namespaces }, { set, members }) => sameData(set, members, namespaces),
    reasons: (_part, reasons, members) => reasons.data(members.names, ''),
  }),
  ttl: check({
    shape: strict('ttl', {
      index: text.describe("A TTL index's name; _id_ for a collection's own expireAfterSeconds"),
      ns: namespace.optional().describe('Needed only where several collections have an index of this name'),
      on: text
        .optional()
        .describe('Measure until the document is gone on this member. Default: until it is deleted on the primary'),
      lateness: filter.describe('On { count, medianMs, p99Ms, worstMs, because, worst: { sleepMs, … }, … }'),
    }).describe('How late documents were deleted by TTL so far, and why'),
    read: (reader, path, ttl): TtlPart => readTtl(reader, [...path, 'ttl'], ttl),
    judge: (part, { lateness, fillings }) => ttlRefusal(part, lateness, fillings.for(part.on)),
  }),
};

/** @param innerCheck a check by itself, which is known only when the table is made */
export const notCheck = (innerCheck: z.ZodType<CheckInput>) =>
  check({
    shape: innerCheck,
    read: (_reader, path, given, _beside, inner) => ({ kind: 'not', check: inner([...path, 'not'], given) }),
    // What nobody can answer holds neither as it is nor the other way round.
    judge: ({ check }, _sight, refusalOf) => {
      const refusal = refusalOf(check);
      const asked = `not (${check.text})`;
      if (!refusal) return { asked, got: 'it holds' };
      return refusal.unanswered ? { ...refusal, asked } : undefined;
    },
  });

/** n1's own word, and nobody of an equal or higher term who says the same. */
function primaryRefusal(who: string, { set, members }: Sight): Refusal {
  const primaries = members.names
    .filter((member) => set.status(member).saysPrimary)
    .map((member) => members.hello(member));
  const got =
    primaries.length === 0
      ? 'no member says it is a writable primary'
      : `${primaries.map(({ member }) => member).join(' and ')} ${primaries.length > 1 ? 'say' : 'says'} so`;
  const noPrimary = primaries.length === 0;
  if (who === 'any') return noPrimary ? { asked: 'some primary', got, noPrimary } : undefined;
  if (who === 'none') return primaries.length === 0 ? undefined : { asked: 'no primary', got };
  const own = primaries.find(({ member }) => member === who);
  const rival = own && primaries.find(({ member, electionId }) => member !== who && electionId >= own.electionId);
  return own && !rival
    ? undefined
    : { asked: `${who} is primary`, got: members.answers(who) ? got : members.silence(who), noPrimary };
}
