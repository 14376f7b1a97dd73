import { durationText } from '@replsim/kernel';
import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import { type CollectionHistory, statementKeys } from './collectionHistory.ts';
import type { Logs } from './logs.ts';
import { doesNotHave } from './losses/lossText.ts';
import type { MemberStory } from './memberStory.ts';
import { noPrimary } from './office.ts';
import type { Records } from './records.ts';
import { at, type Situation, whyNotRunning } from './situation.ts';
import { reportsOf } from './unreported.ts';
import type { Turn, Workload } from './workloadTurns.ts';
import { concernOf, neededBy, tagsNeeded } from './writeConcern.ts';
import type { Batch } from './written.ts';

/** Where an operation's write stands in the history of the set. */
interface Write {
  readonly opTime: OpTime;
  readonly batch: Batch;
  /** How a sentence calls its entry. */
  readonly called?: string;
}

/** What else there is to tell an operation from. */
export interface OperationRecords extends Records {
  readonly batches: readonly Batch[];
  /** Of `config.settings`, where the set's default write concern lies. */
  readonly settings: CollectionHistory;
}

/** What of it was sent again, to a server that follows. */
const AGAIN = {
  operation: 'it was sent again, to',
  transaction: 'it was begun again, with',
  commit: 'its commit was sent again, to',
};

/** What became of one operation of a workload, what it waits for, and which election lost it. */
export function operationOf({ started }: Workload, turn: Turn, records: OperationRecords): string[] {
  const { workload, operation } = started;
  const name = `${workload}/${turn.number}`;
  const sent = turn.sent.map(({ atMicros, server, attempt, again }) =>
    attempt === 1
      ? `${name} was sent to ${server} at ${at(atMicros)}`
      : `${AGAIN[again ?? 'operation']} ${server} at ${at(atMicros)}`,
  );
  const told = toldText(turn, name);
  if (operation === 'find' || operation === 'sum')
    return [...sent, ...told, ...(turn.told ? [] : unanswered(turn, started, records))];
  const writes = writesOf(turn, records);
  const written = writes.map(
    ({ opTime, batch }) =>
      `${batch.member} wrote it at ${at(batch.atMicros)}, in entry ${formatOpTime(opTime, records.situation.epochSecs)}`,
  );
  const none = writes.length === 0 && turn.sent.length > 0 ? ['no oplog entry is known to have carried it out'] : [];
  const last = writes.at(-1);
  const unheard = last || turn.told ? [] : unanswered(turn, started, records);
  return [
    ...sent,
    ...written,
    ...none,
    ...told,
    ...unheard,
    ...(last ? waiting(last, started.concern, turn, records) : []),
    ...writes.flatMap((write) => fateOf(write, turn, records)),
  ];
}

/** Of an operation that has not left its client: the next one may be looking for a server. */
export function notSent(
  { started: { workload }, turns }: Workload,
  turn: number,
  noPrimary: readonly string[],
): string[] {
  const last = Math.max(0, ...turns.keys());
  const done = `${workload} has sent ${last === 0 ? 'nothing' : `up to ${workload}/${last}`}`;
  if (turn > last) return [`${workload}/${turn} has not been sent: ${done}`, ...(turn === last + 1 ? noPrimary : [])];
  return [`${workload}/${turn} is no longer remembered: ${done}`];
}

function toldText({ told }: Turn, name: string): string[] {
  if (!told) return ['its client is waiting for an answer'];
  const { atMicros, sinceMicros, outcome, server, error } = told;
  const when = `at ${at(atMicros)}, ${took(atMicros - sinceMicros)} after the request`;
  const who = server === undefined ? '' : ` by ${server}`;
  if (error) {
    const from = server === undefined ? '' : ` from ${server}`;
    const doubt = outcome === 'unknown' ? ', and cannot know whether it was done' : '';
    return [`its client got an error${from} ${when}: ${error.name}, ${error.message}${doubt}`];
  }
  if (outcome === 'unknown') return [`the client of ${name} gets no answer, because it asked for none (w: 0)`];
  return [outcome === 'read' ? `it was answered${who} ${when}` : `it was acknowledged${who} ${when}`];
}

function took(micros: number): string {
  return micros < 1000 ? 'less than 1ms' : durationText(Math.round(micros / 1000) * 1000);
}

/** The entries that carried it out, oldest first; on two branches there may be one each. */
function writesOf({ sent, told }: Turn, { batches }: OperationRecords): Write[] {
  const keys = new Set(
    sent.flatMap(({ lsid, txnNumber }) => (txnNumber === undefined ? [] : [`${lsid} ${txnNumber}`])),
  );
  const opTime = told?.outcome === 'acknowledged' && keys.size === 0 ? told.opTime : undefined;
  const writes: Write[] = [];
  for (const batch of batches) {
    for (const entry of batch.entries) {
      const isIt = opTime
        ? compareOpTimes(entry.opTime, opTime) === 0
        : statementKeys(entry).some((key) => keys.has(key));
      if (isIt) writes.push({ opTime: entry.opTime, batch });
    }
  }
  return writes;
}

/** What has become of the server to which it was sent, and of the set. */
function unanswered(turn: Turn, started: Workload['started'], records: OperationRecords): string[] {
  const { situation, primary, batches } = records;
  const server = situation.members.get(turn.sent.at(-1)?.server ?? '');
  const down = server && whyNotRunning(server);
  const locked = server?.lockedSince;
  const state = [
    ...(down ? [down] : []),
    ...(locked === undefined ? [] : [`${server?.name} has been locked by fsync since ${at(locked)}`]),
    ...(primary ? [] : [noPrimary(situation)]),
  ];
  const linearizable = started.concern?.includes('linearizable');
  if (state.length > 0 || (started.operation !== 'update' && !linearizable)) return state;
  const sentMicros = turn.sent.at(-1)?.atMicros ?? 0;
  const mine = batches.filter(({ member }) => member === server?.name);
  // What changes nothing is answered when what was there before it is safe.
  const batch = linearizable ? mine.at(-1) : mine.findLast(({ atMicros }) => atMicros <= sentMicros);
  const opTime = batch?.entries.at(-1)?.opTime;
  if (!batch || !opTime) return [];
  const entry = formatOpTime(opTime, situation.epochSecs);
  const write = { opTime, batch, called: 'that entry' };
  return linearizable
    ? [
        `a linearizable read waits for an entry that is written after it, ${entry}`,
        ...waiting(write, '{ w: majority }', turn, records),
      ]
    : [
        `if it has nothing to change, it waits for the entry before it, ${entry}`,
        ...waiting(write, started.concern, turn, records),
      ];
}

/** Who has it, of those that it needs, while nobody has said that it is safe. */
function waiting(write: Write, concernText: string | undefined, { told }: Turn, records: OperationRecords): string[] {
  const { opTime, batch, called = 'its entry' } = write;
  const { situation, settings, version } = records;
  const primary = situation.members.get(batch.member);
  if (!primary?.config || told?.outcome === 'acknowledged' || told?.outcome === 'unknown') return [];
  // A member that is no longer primary has told those that waited, or nobody.
  if (!primary.accepts) return [notLeading(primary)];
  const { config, name } = primary;
  const concern = concernOf(concernText, config, settings, version);
  const needed = neededBy(concern, config);
  const { have, lack } = reportsOf(primary, { opTime, called }, concern.durably, situation);
  if (typeof concern.w === 'number' && concern.w <= 1)
    return [
      `with { ${concern.text} } it needs ${name} alone to have it${concern.durably ? ' on disk' : ''}`,
      ...lack.filter((line) => line.startsWith(`${name} `)),
    ];
  const disk = concern.durably ? ' on disk' : '';
  const enough = needed !== undefined && have.length >= needed.count;
  const itself = concern.durably && enough && !have.includes(name) ? `, ${name} among them,` : '';
  const want = needed ? `${needed.count} of ${needed.of}${itself}` : tagsNeeded(concern, config);
  const known = have.length === 0 ? 'nobody is known to' : `${have.join(', ')} ${have.length === 1 ? 'does' : 'do'}`;
  const rest = enough && itself === '' ? ['that is enough; the trace does not show what else delays the answer'] : [];
  return [`with { ${concern.text} } it needs ${want} to have it${disk}: ${known}`, ...lack, ...rest];
}

function notLeading(story: MemberStory): string {
  return whyNotRunning(story) ?? `${story.name} is no longer primary`;
}

/** The election that lost it, and who undid it. */
function fateOf({ opTime, batch }: Write, { told }: Turn, { losses, logs, situation }: OperationRecords): string[] {
  const loss = losses.lossOf({ opTime, member: batch.member, atMicros: batch.atMicros });
  const entry = formatOpTime(opTime, situation.epochSecs);
  const lost = loss ? [`${doesNotHave(loss, entry)}: it is lost`] : [];
  const had = loss?.forced && told ? [heldText(opTime, told.atMicros, entry, logs, situation)] : [];
  const undone = [...situation.members.keys()].flatMap((member) =>
    logs
      .turnsOf(member, opTime)
      .filter(({ how, has }) => !has && how === 'rolledBack')
      .map(({ atMicros }) => `${member} rolled ${entry} back at ${at(atMicros)}`),
  );
  return [...lost, ...had, ...undone];
}

/** Who had an entry when its client was told: a majority of that time, perhaps, of which the election did not know. */
function heldText(opTime: OpTime, toldMicros: number, entry: string, logs: Logs, { members }: Situation): string {
  const hadIt = (member: string) =>
    logs.turnsOf(member, opTime).findLast(({ atMicros }) => atMicros <= toldMicros)?.has;
  const holders = [...members.keys()].filter(hadIt);
  return `when its client got the answer, ${holders.length} of ${members.size} members had ${entry}: ${holders.join(', ')}`;
}
