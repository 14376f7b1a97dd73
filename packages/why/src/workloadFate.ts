import { statementKeys } from './collectionHistory.ts';
import type { Loss, WrittenEntry } from './losses/losses.ts';
import { doesNotHave } from './losses/lossText.ts';
import type { OperationRecords } from './operationOf.ts';
import { at } from './situation.ts';
import type { Turn, Workload } from './workloadTurns.ts';

/** What went wrong for a workload: which elections lost its writes, what failed, and what waits. */
export function fateOfWorkload({ started: { workload }, turns }: Workload, records: OperationRecords): string[] {
  const { branches, losses } = records;
  const entries = entriesByStatement(records);
  const lost = new Map<string, { readonly loss: Loss; readonly turns: Turn[] }>();
  const failed = new Map<string, Turn[]>();
  const waiting: Turn[] = [];
  for (const turn of turns.values()) {
    const { told } = turn;
    if (!told) waiting.push(turn);
    if (told?.error) append(failed, `${told.error.name}, ${told.error.message}`, turn);
    if (told?.outcome !== 'acknowledged') continue;
    const written = turn.sent.flatMap(({ lsid, txnNumber }) => entries.get(`${lsid} ${txnNumber}`) ?? []);
    const writes = written.length > 0 ? written : toldOf(told);
    const last = writes.some(({ opTime }) => branches.survives(opTime)) ? undefined : writes.at(-1);
    const loss = last && losses.lossOf(last);
    if (loss) lose(lost, loss, turn);
  }
  const lines = [...lost.values()].map(({ loss, turns: gone }) => {
    const [is, them] = gone.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return `${some(gone, workload)} acknowledged, and ${is} lost: ${doesNotHave(loss, them)}`;
  });
  const errors = [...failed].map(([error, those]) => `${some(those, workload)} answered with an error: ${error}`);
  const underWay = waiting.map(
    ({ number, sent }) => `${workload}/${number} has been waiting for an answer since ${at(sent[0]?.atMicros ?? 0)}`,
  );
  return [...lines, ...errors, ...underWay];
}

/** Without a number a write is known by what its reply said. */
function toldOf({ server: member, opTime, sinceMicros: atMicros }: NonNullable<Turn['told']>): WrittenEntry[] {
  return opTime && member !== undefined ? [{ opTime, member, atMicros }] : [];
}

function lose(lost: Map<string, { readonly loss: Loss; readonly turns: Turn[] }>, loss: Loss, turn: Turn): void {
  const key = `${loss.term} ${loss.forced?.version}`;
  const known = lost.get(key);
  if (known) known.turns.push(turn);
  else lost.set(key, { loss, turns: [turn] });
}

/** `w1/8 and 11 more were`. */
function some([first, ...more]: readonly Turn[], workload: string): string {
  if (more.length === 0) return `${workload}/${first?.number} was`;
  return `${workload}/${first?.number} and ${more.length} more were`;
}

function entriesByStatement({ batches }: OperationRecords): Map<string, WrittenEntry[]> {
  const found = new Map<string, WrittenEntry[]>();
  for (const { member, atMicros, entries } of batches) {
    for (const entry of entries)
      for (const key of statementKeys(entry)) append(found, key, { opTime: entry.opTime, member, atMicros });
  }
  return found;
}

function append<K, T>(map: Map<K, T[]>, key: K, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
