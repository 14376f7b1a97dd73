import type { Fact, MemberLog } from '../logs/memberLog.ts';

/** How long a member may take to notice what another says of itself: a heartbeat interval, and some more. Unit: ms. */
const NOTICED_WITHIN_MS = 2600;
/** As long as a message may take; less than this nobody would call an error of a clock. Unit: ms. */
const PRECISION_MS = 250;

/**
 * How far each member's clock is ahead of that of the first, as far as the logs tell. A vote is given after it was asked for and
 * before its answer is there, and a state is noticed after it was taken; both bound the difference of two clocks.
 * @param hosts of the config, in its order: votes name a candidate by its place there
 * @returns ms by host; 0 where nothing speaks against it
 */
export function clockOffsets(
  logs: ReadonlyMap<string, MemberLog>,
  hosts: readonly string[],
): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const [reference] = logs.keys();
  if (reference === undefined) return offsets;
  offsets.set(reference, 0);
  // Whoever cannot be compared with the first may be with another.
  for (let round = 0; round < 2; round++)
    for (const host of logs.keys()) {
      if (offsets.has(host)) continue;
      const known = [...offsets].find(([other]) => boundsOf(logs, host, other, hosts) !== undefined);
      if (known !== undefined) offsets.set(host, known[1] + nearest(boundsOf(logs, host, known[0], hosts)!));
    }
  for (const host of logs.keys()) if (!offsets.has(host)) offsets.set(host, 0);
  return offsets;
}

type Bounds = readonly [least: number, most: number];

/** No error of a clock where none is needed to explain what the logs say. */
function nearest([least, most]: Bounds): number {
  if (least <= PRECISION_MS && most >= -PRECISION_MS) return 0;
  const middle = (least + most) / 2;
  // The roundest of those that fit: nobody can tell them apart.
  const round = [1000, 100, 10].map((step) => Math.round(middle / step) * step);
  return round.find((each) => each >= least && each <= most) ?? Math.round(middle);
}

/** Of the clock of `host` minus that of `other`. Bounds that contradict each other are of different times, and tell nothing. */
function boundsOf(
  logs: ReadonlyMap<string, MemberLog>,
  host: string,
  other: string,
  hosts: readonly string[],
): Bounds | undefined {
  const [a, b] = [logs.get(host)!.facts, logs.get(other)!.facts];
  const votes = [
    ...votesBetween(a, b, hosts.indexOf(other), host),
    ...votesBetween(b, a, hosts.indexOf(host), other).map(negated),
  ];
  const all = votes.length > 0 ? votes : [...statesNoticed(a, b, other), ...statesNoticed(b, a, host).map(negated)];
  if (all.length === 0) return undefined;
  const least = Math.max(...all.map(([low]) => low));
  const most = Math.min(...all.map(([, high]) => high));
  return least <= most ? [least, most] : undefined;
}

const negated = ([least, most]: Bounds): Bounds => [-most, -least];

/** What the votes of `voter` for `candidate` say of the voter's clock minus the candidate's. */
function votesBetween(voter: readonly Fact[], candidate: readonly Fact[], place: number, name: string): Bounds[] {
  return candidate.flatMap((answer, i): Bounds[] => {
    if (answer.kind !== 'answered' || answer.from !== name) return [];
    const asked = candidate.slice(0, i).findLast((each) => each.kind === 'asks' && each.dryRun === answer.dryRun);
    const vote = voter.find(
      (each) =>
        each.kind === 'votes' && each.candidate === place && each.term === answer.term && each.dryRun === answer.dryRun,
    );
    return asked === undefined || vote === undefined ? [] : [[vote.atMs - answer.atMs, vote.atMs - asked.atMs]];
  });
}

/** What `watcher` notices of the states of the member called `name` says of the watcher's clock minus that member's. */
function statesNoticed(watcher: readonly Fact[], member: readonly Fact[], name: string): Bounds[] {
  const taken = member.filter((each) => each.kind === 'state' && each.to === 'PRIMARY');
  const noticed = watcher.filter((each) => each.kind === 'heard' && each.from === name && each.state === 'PRIMARY');
  // A single one may be another's: the logs need not begin and end together.
  if (taken.length !== noticed.length || taken.length < 2) return [];
  return noticed.map(({ atMs }, i): Bounds => [atMs - taken[i]!.atMs - NOTICED_WITHIN_MS, atMs - taken[i]!.atMs]);
}
