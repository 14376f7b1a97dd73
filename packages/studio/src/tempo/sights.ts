import { durationText } from '@replsim/kernel';
import { refusalOf } from '../core/history/traffic.ts';
import { type EventSight, eventSight, type FlightSight, type Known } from './sight.ts';

/**
 * What is worth seeing, how long, and why. The sum for a failover with one dry run, one vote and one write is some 25 s: short enough to watch
 * to its end, long enough to follow each message with the eye.
 */
export const EVENT_SIGHTS: readonly EventSight[] = [
  ...processSights(),
  ...partSights(),
  ...networkSights(),
  ...electionSights(),
  ...dataSights(),
  ...rollbackSights(),
  ...ttlSights(),
  ...tellingSights(),
];

/** Messages that are seen to travel. All others fly by, heartbeats among them when they find what they expect. */
export const FLIGHT_SIGHTS: readonly FlightSight[] = [
  {
    kind: 'vote flight',
    filmMs: 600,
    why: 'who asks whom, and that the answer comes back, is what an election is',
    is: ({ what }) => what === 'replSetRequestVotes' || what.startsWith('vote reply'),
  },
  {
    kind: 'news of a win',
    filmMs: 400,
    why: 'the others know of their new primary only when it tells them',
    fades: true,
    is: ({ what, from, sentMicros }, { wonMicros }) =>
      what === 'replSetHeartbeat' && wonMicros.get(from) === sentMicros,
  },
  {
    kind: 'unanswered heartbeat',
    filmMs: 600,
    why: 'a member that is gone is noticed by heartbeats that nobody answers',
    fades: true,
    is: (flight, { silent }) =>
      flight.what.includes('eartbeat') && (flight.lost || refusalOf(flight) !== undefined || silent.has(flight.to)),
  },
  {
    kind: 'entries flight',
    filmMs: 600,
    why: 'a write gets to the others because they fetch it',
    fades: true,
    is: ({ what }, { isAwaited }) => isAwaited && what === 'fetch reply',
  },
  {
    kind: 'position flight',
    filmMs: 600,
    why: 'only these reports tell the primary that a majority has a write',
    fades: true,
    is: ({ what }, { isAwaited }) => isAwaited && what === 'replSetUpdatePosition',
  },
];

function processSights(): readonly EventSight[] {
  return [
    eventSight('processStopped', {
      kind: 'stop',
      filmMs: 1600,
      why: 'what follows comes of it',
      turns: true,
      says: ({ member, how }) =>
        ({ killed: `${member} is killed`, shutdown: `${member} shuts down`, fatal: `${member} crashes` })[how],
    }),
    eventSight('processStarted', {
      kind: 'start',
      filmMs: 900,
      why: 'a member comes back, with less than it had, perhaps',
      turns: true,
      is: ({ atMicros }) => atMicros > 0,
      says: ({ member, mode }) =>
        mode === 'standalone' ? `${member} starts as a standalone` : `${member} starts again`,
    }),
    eventSight('processPaused', {
      kind: 'pause',
      filmMs: 1300,
      why: 'what follows comes of it',
      turns: true,
      says: ({ member }) => `${member} is frozen: it neither acts nor answers`,
    }),
    eventSight('processResumed', {
      kind: 'resume',
      filmMs: 1000,
      why: 'it goes on, and knows nothing of what it missed',
      turns: true,
      says: ({ member }) => `${member} goes on where it was frozen`,
    }),
  ];
}

function partSights(): readonly EventSight[] {
  return [
    eventSight('partHeld', {
      kind: 'hold',
      filmMs: 800,
      why: 'a part that stands still explains why others wait',
      fades: true,
      says: ({ member, part }) => `${member} is held: its ${part} stands still`,
    }),
    eventSight('partReleased', {
      kind: 'release',
      filmMs: 600,
      why: 'what was held up goes on',
      fades: true,
      says: ({ member, part }) => `${member} is released: its ${part} goes on`,
    }),
    eventSight('clockChanged', {
      kind: 'clock',
      filmMs: 800,
      why: 'expiry is judged by the clock',
      fades: true,
      says: ({ member, jumpMs }) =>
        jumpMs ? `The clock of ${member} jumps by ${seconds(jumpMs)}` : `The clock of ${member} changes its speed`,
    }),
    eventSight('diskChanged', {
      kind: 'disk',
      filmMs: 600,
      why: 'a slow or full disk explains why others wait',
      fades: true,
      says: ({ member, full }) => (full ? `The disk of ${member} is full` : `The disk of ${member} changes`),
    }),
  ];
}

function networkSights(): readonly EventSight[] {
  return [
    eventSight('partitioned', {
      kind: 'partition',
      filmMs: 1600,
      why: 'what follows comes of it',
      turns: true,
      says: ({ groups }) =>
        `The network splits: ${groups.map((group) => list(group)).join(' on one side, ')} on the other`,
    }),
    eventSight('cut', {
      kind: 'cut',
      filmMs: 1000,
      why: 'what follows comes of it',
      fades: true,
      says: ({ from, to }) => `Nothing gets from ${from} to ${to} any more`,
    }),
    eventSight('healed', {
      kind: 'heal',
      filmMs: 1200,
      why: 'what was apart meets again',
      turns: true,
      says: ({ members }) => (members === 'all' ? 'All links work again' : `The links of ${list(members)} work again`),
    }),
    eventSight('linkChanged', {
      kind: 'link',
      filmMs: 500,
      why: 'messages take longer from here on, or get lost',
      fades: true,
      says: ({ from, to }) => `The link from ${from} to ${to} changes`,
    }),
    eventSight('memberSeen', {
      kind: 'noticed',
      filmMs: 800,
      why: 'here the others begin to know',
      fades: true,
      is: ({ to }) => to === 'DOWN',
      says: ({ member, other }) => `${member} notices: ${nameOf(other)} does not answer`,
    }),
    eventSight('memberSeen', {
      kind: 'primary seen',
      filmMs: 500,
      why: 'here the others learn whom to follow',
      fades: true,
      is: ({ to }) => to === 'PRIMARY',
      says: ({ member, other }) => `${member} learns that ${nameOf(other)} is primary`,
    }),
  ];
}

function electionSights(): readonly EventSight[] {
  return [...candidacySights(), ...roleSights()];
}

const STANDS: Readonly<Record<string, (known: Known) => string>> = {
  electionTimeout: ({ electionTimeoutMillis }) => `has not heard from a primary for ${seconds(electionTimeoutMillis)}`,
  priorityTakeover: () => 'has a higher priority than the primary',
  stepUpRequest: () => 'was asked to take over',
  stepUpRequestSkipDryRun: () => 'is the one that the old primary hands over to',
  catchupTakeover: () => 'is ahead of the new primary',
  singleNodePromptElection: () => 'is the only member',
};

function candidacySights(): readonly EventSight[] {
  return [
    eventSight('electionStarted', {
      kind: 'candidacy',
      filmMs: 1800,
      why: 'somebody acts at last: the longest sentence of an election',
      turns: true,
      says: ({ member, reason, dryRun }, known) =>
        `${member} ${STANDS[reason]?.(known) ?? 'wants to be primary'}, and ${dryRun ? 'asks who would vote for it' : 'stands for election'}`,
    }),
    eventSight('votesRequested', {
      kind: 'real candidacy',
      filmMs: 1200,
      why: 'the vote that counts is another one than the dry run',
      is: ({ dryRun }) => !dryRun,
      says: ({ member, term }) => `${member} stands for election in term ${term}: now the votes count`,
    }),
    eventSight('voteAnswered', {
      kind: 'vote',
      filmMs: 1000,
      why: 'each vote decides',
      says: ({ member, candidate, granted, dryRun }) => {
        const verb = dryRun ? (granted ? 'would vote' : 'would not vote') : granted ? 'votes' : 'does not vote';
        return `${member} ${verb} for ${nameOf(candidate)}`;
      },
    }),
    eventSight('electionLost', {
      kind: 'lost election',
      filmMs: 1400,
      why: 'nobody leads, and somebody will try again',
      says: ({ member, reason, term, dryRun }) =>
        `${member} ${dryRun ? 'gives up before it stands' : `is not elected in term ${term}`}: ${reason}`,
    }),
    eventSight('electionWon', {
      kind: 'won election',
      filmMs: 1600,
      why: 'the outcome',
      turns: true,
      says: ({ member, term, votes }) =>
        `${member} is primary of term ${term}, with ${votes} ${votes === 1 ? 'vote' : 'votes'}`,
    }),
  ];
}

function roleSights(): readonly EventSight[] {
  return [
    eventSight('catchUpEnded', {
      kind: 'catch-up',
      filmMs: 300,
      why: 'a new primary waits for it, seldom for long',
    }),
    eventSight('acceptsWrites', {
      kind: 'accepts writes',
      filmMs: 1200,
      why: 'only now clients can go on',
      is: ({ value }) => value,
      says: ({ member }) => `${member} accepts writes`,
    }),
    eventSight('steppedDown', {
      kind: 'step-down',
      filmMs: 1500,
      why: 'a primary gives up its role, and says why',
      turns: true,
      says: ({ member, reason }) => `${member} steps down: ${reason}`,
    }),
    eventSight('stateChanged', {
      kind: 'state',
      filmMs: 500,
      why: 'states that are neither primary nor secondary say what a member is busy with',
      fades: true,
      is: ({ to }) => to === 'RECOVERING' || to === 'STARTUP2' || to === 'REMOVED',
      says: ({ member, to }) => `${member} is ${to}`,
    }),
    eventSight('configInstalled', {
      kind: 'config',
      filmMs: 700,
      why: 'who votes, and with how much, may be another now',
      fades: true,
      is: ({ config }) => config.version > 1,
      says: ({ member, config }) => `${member} has config version ${config.version}`,
    }),
  ];
}

function dataSights(): readonly EventSight[] {
  return [
    eventSight('oplogWritten', {
      kind: 'write',
      filmMs: 900,
      why: 'an entry slides into the oplog',
      fades: true,
      is: ({ origin, entries }) => origin === 'self' && entries.some(({ operation }) => operation.op !== 'n'),
      says: ({ member }) => `${member} writes to its oplog`,
    }),
    eventSight('oplogWritten', {
      kind: 'copy',
      filmMs: 600,
      why: 'the entry arrives at the next member',
      fades: true,
      is: ({ origin }) => origin === 'fetched',
      says: ({ member, source }) =>
        source === undefined
          ? `${member} copies what was written`
          : `${member} copies what it has fetched from ${nameOf(source)}`,
    }),
    eventSight('commitPoint', {
      kind: 'first majority of a term',
      filmMs: 1400,
      why: 'the set works again: writes are safe from here on',
      is: ({ learned, opTime }, { committedTerm }) => !learned && opTime.t > committedTerm,
      says: ({ opTime }) => `The first write of term ${opTime.t} has a majority`,
    }),
    eventSight('commitPoint', {
      kind: 'majority',
      filmMs: 1000,
      why: 'from here on the write survives any failover',
      fades: true,
      is: ({ learned }, { isAwaited }) => !learned && isAwaited,
      says: () => 'A majority has the write',
    }),
  ];
}

function rollbackSights(): readonly EventSight[] {
  return [
    eventSight('rollbackStarted', {
      kind: 'rollback',
      filmMs: 1600,
      why: 'the worst that a set does to a write begins',
      turns: true,
      says: ({ member, source }) => `${member} has entries that ${nameOf(source)} does not have: it rolls back`,
    }),
    eventSight('rollbackFile', {
      kind: 'rollback file',
      filmMs: 1000,
      why: 'what is taken away is not gone',
      fades: true,
      says: ({ member, documents }) =>
        `${member} saves ${counted(documents, 'document')} in a file before it takes them away`,
    }),
    eventSight('rolledBack', {
      kind: 'rolled back',
      filmMs: 2200,
      why: 'entries fall out of the oplog',
      says: ({ member, removedEntries }) =>
        `${member} removes ${counted(removedEntries.length, 'entry', 'entries')} from its oplog`,
    }),
    eventSight('initialSync', {
      kind: 'initial sync',
      filmMs: 900,
      why: 'a member copies everything',
      fades: true,
      is: ({ phase }) => phase !== 'cloned',
      says: ({ member, phase }) =>
        ({
          started: `${member} begins to copy all data`,
          cloned: undefined,
          done: `${member} has copied all data`,
          failed: `${member} could not copy all data`,
        })[phase],
    }),
  ];
}

function ttlSights(): readonly EventSight[] {
  return [
    eventSight('ttlDeleted', {
      kind: 'expiry',
      filmMs: 1500,
      why: 'expired documents fade on the primary first',
      fades: true,
      says: ({ member, ns, dates }) => `${member} deletes ${counted(dates.length, 'expired document')} from ${ns}`,
    }),
    eventSight('documentsRemoved', {
      kind: 'expiry copied',
      filmMs: 900,
      why: 'a secondary deletes only what the primary has deleted',
      fades: true,
      is: ({ by, ns }, { expiredFrom }) => by === 'oplog' && expiredFrom.has(ns),
      says: ({ member, ns }) => `${member} deletes them from ${ns} as well, because its primary did`,
    }),
    eventSight('ttlPassEnded', {
      kind: 'empty pass',
      filmMs: 400,
      why: 'that a pass deletes nothing is half of what there is to know of TTL',
      fades: true,
      is: ({ deleted }) => deleted === 0,
      says: ({ member, acceptsWrites }) =>
        acceptsWrites
          ? `${member} looks for expired documents, and finds none`
          : `${member} may not delete: it does not accept writes`,
    }),
  ];
}

function tellingSights(): readonly EventSight[] {
  return [
    eventSight('act', { kind: 'act', filmMs: 600, why: 'a chapter begins', turns: true, says: ({ title }) => title }),
    eventSight('note', { kind: 'note', filmMs: 300, why: 'the scenario says something', says: ({ text }) => text }),
    eventSight('checked', {
      kind: 'failed check',
      filmMs: 1500,
      why: 'the run is not what was claimed',
      is: ({ held }) => !held,
      says: ({ text }) => `This does not hold: ${text}`,
    }),
    eventSight('invariantBroken', {
      kind: 'broken invariant',
      filmMs: 2000,
      why: 'what must never happen has happened',
      says: ({ name }) => `The invariant ${name} is broken`,
    }),
    eventSight('clientTold', {
      kind: 'client error',
      filmMs: 700,
      why: 'a failover is what its clients feel of it',
      fades: true,
      is: ({ outcome }) => outcome === 'error' || outcome === 'unknown',
      says: ({ workload, error }) => `The client ${workload} gets an error${error ? `: ${error.name}` : ''}`,
    }),
  ];
}

function nameOf(host: string): string {
  return host.replace(/:27017$/, '');
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function seconds(ms: number): string {
  return durationText(ms * 1000);
}
