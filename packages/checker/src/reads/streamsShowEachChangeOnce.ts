import {
  compareOpTimes,
  compareTimestamps,
  maxOpTime,
  NULL_OP_TIME,
  type OplogOperation,
  type OpTime,
  type StreamedEvent,
  type Timestamp,
} from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from '../log/branches.ts';
import { StreamedChanges } from './streamedChanges.ts';

/** Events about one document, and the operations that they are made from. */
const OP_OF_EVENT: ReadonlyMap<string, string> = new Map([
  ['insert', 'i'],
  ['update', 'u'],
  ['replace', 'u'],
  ['delete', 'd'],
]);

/** A stream that is open, and how far it has come. */
interface Story {
  readonly ns: string;
  readonly selective: boolean;
  /** What was written up to here it need not show, or the trace does not tell. */
  since: Timestamp;
  /** Its newest resume token, as hex: they sort like what they stand for. */
  token: string;
  /** The place of the changes that it showed last, and how many of their operations are behind it. */
  place: number;
  operations: number;
}

/**
 * A change stream shows what a majority has of what it watches: each change once, in order, and nothing else; also where it is
 * resumed on another member. Which document an event is about is not compared, but only the kind of change and the collection.
 * One with a pipeline may leave out what it likes. Source: document_source_change_stream.cpp; change streams specification.
 */
export function streamsShowEachChangeOnce(branches = new Branches()): Checker {
  const streams = new Map<string, Story>();
  const changes = new StreamedChanges();
  let committed = NULL_OP_TIME;

  function opened({ stream, ns, resumed, selective }: EventOf<'streamOpened'>): void {
    if (resumed && streams.has(stream)) return;
    streams.set(stream, { ns, selective, since: changes.newest, token: '', place: changes.end, operations: 0 });
  }

  function showed({ stream, events }: EventOf<'streamShowed'>, epochSecs: number): string | undefined {
    const story = streams.get(stream);
    if (story === undefined) return undefined;
    let broken: string | undefined;
    for (const event of events) {
      const wrong = judge(story, event, changes, isCommitted, epochSecs);
      if (wrong !== undefined) broken ??= `${stream} showed ${textOf(event, epochSecs)}, ${wrong}`;
    }
    changes.forgetBefore(Math.min(...[...streams.values()].map(({ place }) => place)));
    return broken;
  }

  /** Undefined where the trace does not tell. */
  function isCommitted(opTime: OpTime): boolean | undefined {
    return compareOpTimes(opTime, committed) <= 0 && branches.holds(committed, opTime);
  }

  return {
    name: 'streamsShowEachChangeOnce',
    events: ['oplogWritten', 'commitPoint', 'streamOpened', 'streamShowed', 'streamEnded'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'oplogWritten':
          if (event.origin === 'self') changes.wrote(event.entries, streams.size > 0);
          return undefined;
        case 'commitPoint':
          committed = maxOpTime(committed, event.opTime);
          return undefined;
        case 'streamOpened':
          opened(event);
          return undefined;
        case 'streamShowed':
          return showed(event, epochSecs);
        case 'streamEnded':
          streams.delete(event.stream);
          return undefined;
      }
      return undefined;
    },
  };
}

/** What is wrong with an event that a stream showed, if anything is; the stream has then come as far. */
function judge(
  story: Story,
  { token, operationType, ns, clusterTime }: StreamedEvent,
  changes: StreamedChanges,
  isCommitted: (opTime: OpTime) => boolean | undefined,
  epochSecs: number,
): string | undefined {
  const isAgain = token !== '' && token <= story.token;
  if (isAgain) return 'and had come as far before';
  if (token !== '') story.token = token;
  if (story.place < changes.first) {
    Object.assign(story, { place: changes.first, operations: 0, since: changes.forgotten });
  }
  if (!clusterTime || compareTimestamps(clusterTime, story.since) <= 0) return undefined;
  const op = OP_OF_EVENT.get(operationType);
  const isIt = (operation: OplogOperation) =>
    watches(story.ns, operation) && operation.op === op && (ns === undefined || ns === operation.ns);
  let missed: string | undefined;
  for (let place = story.place; place < changes.end; place++) {
    const { opTime, operations } = changes.at(place);
    const order = compareTimestamps(opTime.ts, clusterTime);
    if (order > 0 || compareTimestamps(opTime.ts, story.since) <= 0) continue;
    const isSafe = isCommitted(opTime);
    if (isSafe === false) continue;
    const from = place === story.place ? story.operations : 0;
    // All that it watches comes before the event, unless it is the event.
    let at = operations.findIndex((operation, i) => i >= from && watches(story.ns, operation));
    const isThere = order === 0 && (op === undefined || (at >= 0 && isIt(operations[at]!)));
    if (!isThere && at >= 0 && isSafe && !story.selective) {
      const { op: kind, ns: where } = operations[at]!;
      missed ??= `and not the ${kind} in ${where} of ${timeText(opTime.ts, epochSecs)} before`;
    }
    if (order < 0) continue;
    if (op !== undefined && !isThere) at = operations.findIndex((operation, i) => i >= from && isIt(operation));
    if (op !== undefined && at < 0) continue;
    Object.assign(story, { place, operations: op === undefined ? from : at + 1 });
    return missed;
  }
  return 'which no majority has, or not once more';
}

/** Whether a stream on a collection, a database or the cluster shows a change of a document. */
function watches(watched: string, { op, ns }: OplogOperation): boolean {
  if (op === 'c' || op === 'n') return false;
  if (watched.includes('.')) return ns === watched;
  const [db, collection] = [ns.slice(0, ns.indexOf('.')), ns.slice(ns.indexOf('.') + 1)];
  if (/^(system\.|\$)/.test(collection)) return false;
  // No database has a space in its name.
  return watched.includes(' ') ? !/^(admin|config|local)$/.test(db) : db === watched;
}

function textOf({ operationType, ns = '', documentKey = '', clusterTime }: StreamedEvent, epochSecs: number): string {
  const when = clusterTime ? `of ${timeText(clusterTime, epochSecs)}` : '';
  return [operationType, ns, documentKey, when].filter((part) => part !== '').join(' ');
}

function timeText({ t, i }: Timestamp, epochSecs: number): string {
  return `(${t - epochSecs},${i})`;
}
