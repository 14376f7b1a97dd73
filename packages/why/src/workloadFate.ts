import type { OpTime, Term } from '@replsim/protocol';
import { statementKeys } from './collectionHistory.ts';
import type { OperationRecords } from './operationOf.ts';
import { at } from './situation.ts';
import type { Turn, Workload } from './workloadTurns.ts';

/** What went wrong for a workload: which elections lost its writes, what failed, and what waits. */
export function fateOfWorkload({ started: { workload }, turns }: Workload, records: OperationRecords): string[] {
  const { branches, elected } = records;
  const entries = entriesByStatement(records);
  const lost = new Map<Term, Turn[]>();
  const failed = new Map<string, Turn[]>();
  const waiting: Turn[] = [];
  for (const turn of turns.values()) {
    const { told } = turn;
    if (!told) waiting.push(turn);
    if (told?.error) append(failed, `${told.error.name}, ${told.error.message}`, turn);
    if (told?.outcome !== 'acknowledged') continue;
    const written = turn.sent.flatMap(({ lsid, txnNumber }) => entries.get(`${lsid} ${txnNumber}`) ?? []);
    const opTimes = written.length > 0 ? written : told.opTime ? [told.opTime] : [];
    const term = opTimes.some((opTime) => branches.survives(opTime)) ? undefined : lastLoss(opTimes, records);
    if (term !== undefined) append(lost, term, turn);
  }
  const losses = [...lost].flatMap(([term, gone]) => {
    const election = elected(term);
    const what = `${some(gone, workload)} acknowledged, and ${gone.length === 1 ? 'is' : 'are'} lost`;
    return election
      ? [
          `${what}: ${election.member}, elected in term ${term} at ${at(election.atMicros)}, does not have ${gone.length === 1 ? 'it' : 'them'}`,
        ]
      : [];
  });
  const errors = [...failed].map(([error, those]) => `${some(those, workload)} answered by an error: ${error}`);
  const underWay = waiting.map(
    ({ number, sent }) => `${workload}/${number} waits for an answer since ${at(sent[0]?.atMicros ?? 0)}`,
  );
  return [...losses, ...errors, ...underWay];
}

function lastLoss(opTimes: readonly OpTime[], { branches }: OperationRecords): Term | undefined {
  const last = opTimes.at(-1);
  return last && branches.lostInTerm(last);
}

/** `w1/8 and 11 more were`. */
function some([first, ...more]: readonly Turn[], workload: string): string {
  if (more.length === 0) return `${workload}/${first?.number} was`;
  return `${workload}/${first?.number} and ${more.length} more were`;
}

function entriesByStatement({ batches }: OperationRecords): Map<string, OpTime[]> {
  const found = new Map<string, OpTime[]>();
  for (const { entries } of batches) {
    for (const entry of entries) for (const key of statementKeys(entry)) append(found, key, entry.opTime);
  }
  return found;
}

function append<K, T>(map: Map<K, T[]>, key: K, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
