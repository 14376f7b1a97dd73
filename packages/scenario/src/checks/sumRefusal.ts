import { decodePromoted } from '@replsim/protocol';
import type { Binary, Timestamp } from 'bson';
import { type Filling, Template, withDb } from '../file/placeholder.ts';
import type { SumPart } from '../scenario.ts';
import { endingOf, firstBatch, isNumber, showErrors } from '../stage/answers.ts';
import { sumIn } from '../stage/sums.ts';

/** One member, as a check asks it. */
export interface Asked {
  readonly ask: (command: Template) => Uint8Array;
  readonly filling: Filling;
  /** Time zero of the set. */
  readonly epochMs: number;
}

/** Why a sum is not what it is to be; nothing where it is. */
export type SumRefusal =
  | { readonly asked: string; readonly got: string; readonly unanswered?: boolean; readonly advice?: string }
  | undefined;

/** A snapshot that is gone, or that was none yet: SnapshotTooOld, SnapshotUnavailable. */
const NOT_THERE: ReadonlySet<number> = new Set([239, 246]);
const ENOUGH = 1_000_000;
const GET_STATUS = withDb(new Template(new Map([['replSetGetStatus', 1]])), 'admin');

/** Why a sum on one member is not what it is to be, if it is not: now, or in a snapshot of a majority's data that can still be read. */
export function sumRefusal(part: SumPart, asked: Asked): SumRefusal {
  return part.everySnapshot ? everySnapshot(part, asked) : now(part, asked);
}

function now({ command, ns, of, is }: SumPart, { ask, filling }: Asked): SumRefusal {
  const reply = ask(command);
  const { ok, errors } = endingOf(reply);
  const asked = `sum of ${of} in ${ns} ${is.text}`;
  if (!ok) return { asked, got: showErrors(errors), unanswered: true };
  const sum = sumIn(reply);
  if (sum === undefined) return { asked, got: `no document of ${ns} has a number there`, unanswered: true };
  return isNumber(is, sum, filling) ? undefined : { asked, got: `${sum}` };
}

function everySnapshot({ command, ns, of, is }: SumPart, { ask, filling, epochMs }: Asked): SumRefusal {
  const asked = `sum of ${of} in ${ns} ${is.text}, in every snapshot`;
  let read = 0;
  for (const ts of changesOf(ns, ask)) {
    const reply = ask(withReadConcern(command, { level: 'snapshot', atClusterTime: ts }));
    const { ok, errors } = endingOf(reply);
    if (!ok && errors.some(({ code }) => NOT_THERE.has(code))) continue;
    if (!ok) return { asked, got: showErrors(errors), unanswered: true };
    const sum = sumIn(reply);
    if (sum === undefined) continue;
    read++;
    if (!isNumber(is, sum, filling)) return { asked, got: `${sum} at (${ts.t - Math.floor(epochMs / 1000)},${ts.i})` };
  }
  if (read > 1) return undefined;
  return {
    asked,
    got:
      read === 0 ? 'no snapshot that can be read has such a document' : 'only one can be read: nothing came after it',
    unanswered: true,
    advice: 'the sum has to change first, and a majority has to have the change',
  };
}

/** When a collection changed, as far as a majority has that and this member has applied it. */
function changesOf(ns: string, ask: Asked['ask']): Timestamp[] {
  const { optimes } = decodePromoted(ask(GET_STATUS)) as {
    optimes?: { lastCommittedOpTime: { ts: Timestamp }; appliedOpTime: { ts: Timestamp } };
  };
  if (!optimes) return [];
  const { lastCommittedOpTime, appliedOpTime } = optimes;
  const until = lastCommittedOpTime.ts.lessThan(appliedOpTime.ts) ? lastCommittedOpTime.ts : appliedOpTime.ts;
  // A transaction of several entries is seen from the last of them on, of whatever collection that one tells.
  const endOfChain = { op: 'c', 'o.applyOps': { $exists: true }, 'o.count': { $exists: true } };
  const find: [string, unknown][] = [
    ['find', 'oplog.rs'],
    ['filter', { ts: { $lte: until }, $or: [{ ns }, { 'o.applyOps.ns': ns }, endOfChain] }],
    ['projection', { ts: 1, op: 1, ns: 1, lsid: 1, txnNumber: 1, 'o.applyOps.ns': 1, 'o.partialTxn': 1 }],
    ['batchSize', ENOUGH],
    ['singleBatch', true],
  ];
  const entries = firstBatch(ask(withDb(new Template(new Map(find)), 'local')));
  return seenChanges(
    ns,
    entries.map((entry) => decodePromoted(entry) as OplogDocument),
  ).map(({ ts }) => ts);
}

/** What is read of an entry of the oplog. */
interface OplogDocument {
  readonly ts: Timestamp;
  readonly op: string;
  readonly ns: string;
  readonly lsid?: { readonly id: Binary };
  readonly txnNumber?: unknown;
  readonly o?: { readonly applyOps?: readonly { readonly ns: string }[]; readonly partialTxn?: boolean };
}

/** Those with which a change of the collection comes to be seen. */
function seenChanges(ns: string, entries: readonly OplogDocument[]): OplogDocument[] {
  const chains = new Set<string>();
  return entries.filter(({ op, ns: of, lsid, txnNumber, o }) => {
    const told = op === 'c' ? o : undefined;
    const changes = of === ns || told?.applyOps?.some((operation) => operation.ns === ns) === true;
    const transaction = `${lsid?.id.toString('hex')} ${txnNumber}`;
    if (!told?.partialTxn) return changes || chains.has(transaction);
    if (changes) chains.add(transaction);
    return false;
  });
}

function withReadConcern({ value }: Template, readConcern: object): Template {
  return new Template(new Map([...value, ['readConcern', readConcern]]));
}
