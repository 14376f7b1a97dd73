import { compareOpTimes, decodePromoted, encodeDocument, type OpTime } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
const STATUS = encodeDocument({ replSetGetStatus: 1, $db: 'admin' });

/**
 * Whether all of these members that run have begun to serve, none still starting, recovering or without a config, and have
 * heard of one another, or that there is nobody to be heard: before that nobody stands, for want of a majority in sight.
 */
export function allServe(set: ReplSet, members: readonly string[]): boolean {
  return helloOf(set, members).every(({ name, hello }) => {
    if (!hello.secondary && !hello.isWritablePrimary && !hello.arbiterOnly) return false;
    const { members: seen = [] } = decodePromoted(set.ask(name, STATUS));
    return seen.every(({ stateStr }: { stateStr: string }) => stateStr !== 'UNKNOWN');
  });
}

/** The member that has the most of the oplog, if it is no secret who: undefined if several have equally much. */
export function newestMember(set: ReplSet): string | undefined {
  const [first, second] = helloOf(set, set.memberNames)
    .filter(({ hello }) => hello.lastWrite !== undefined && hello.passive !== true)
    .map(({ name, hello }) => ({ name, opTime: opTimeOf(hello) }))
    .sort((a, b) => compareOpTimes(b.opTime, a.opTime));
  if (first === undefined) return undefined;
  return second !== undefined && compareOpTimes(first.opTime, second.opTime) === 0 ? undefined : first.name;
}

type Hello = ReturnType<typeof decodePromoted>;

function helloOf(set: ReplSet, members: readonly string[]): { name: string; hello: Hello }[] {
  return members
    .filter((name) => set.status(name).running)
    .map((name) => ({ name, hello: decodePromoted(set.ask(name, HELLO)) }));
}

function opTimeOf({ lastWrite: { opTime } }: Hello): OpTime {
  const { t, i } = opTime.ts;
  return { ts: { t, i }, t: Number(opTime.t) };
}
