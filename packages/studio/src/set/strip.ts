import { compareOpTimes, type OplogEntry, type OpTime, sameOpTime } from '@replsim/protocol';
import type { History, Moment } from '../core/history/history.ts';
import type { MemberAt } from '../core/history/memberAt.ts';
import type { Cell } from '../core/history/oplogs.ts';
import type { Eye } from './eye.ts';
import { onlyHere } from './onlyHere.ts';

/** So many entries are seen of an oplog. */
export const COLUMNS = 8;
/** What comes in pushes out older ones, which are seen until they are out. */
const MOST = 2 * COLUMNS;
/** How long an entry takes to slide in, and to fall out. Unit: ms of film. */
const SLIDE = 420;
const FALL = 1500;
/** How long the room of an entry that has fallen out takes to close. */
const CLOSE = 300;

/** An entry that some member has, in the same place for all. */
interface Column {
  readonly opTime: OpTime;
  /** Its left edge, in widths of a column, and how much of one it takes up: less while it comes or goes. */
  readonly x: number;
  readonly part: number;
  readonly enteredMicros: number;
}

/** An entry in a member's strip. */
export interface StripCell {
  readonly x: number;
  readonly part: number;
  /** What it does, in a letter. */
  readonly sign: string;
  /** So many operations are one entry: a batch. */
  readonly count: number;
  readonly term: number;
  readonly stage: 'written' | 'durable' | 'majority';
  /** Nobody else has it, and perhaps nobody will. */
  readonly isOnlyHere: boolean;
  /** How far it has come in, and how far it has fallen out: from 0 to 1. */
  readonly entered: number;
  readonly fallen: number;
}

/** A member's oplog as its picture shows it: its newest entries, and how far each of three marks is. Unit of the marks: columns. */
export interface Strip {
  readonly cells: readonly StripCell[];
  readonly applied: number;
  readonly durable: number;
  readonly majority: number;
  /** It has entries, and for a while none of those shown. */
  readonly isBehind: boolean;
}

/** The strips of all members, on the same columns. */
export function stripsAt(history: History, moment: Moment, eye: Eye): ReadonlyMap<string, Strip> {
  const { members } = moment;
  const cells = new Map(
    members.map(({ name }) => [
      name,
      history.oplogs.at(name, eye.atMicros, MOST).filter(({ removal, removedMicros }) => {
        if (removal === undefined) return true;
        return removal === 'rolled back' && !eye.isStill && fallingMillis(removedMicros ?? 0, eye) < FALL + CLOSE;
      }),
    ]),
  );
  const columns = columnsOf([...cells.values()].flat(), eye);
  return new Map(
    members.map((member) => {
      const isOnlyHere = onlyHere(history, member, moment);
      return [member.name, stripOf(member, cells.get(member.name) ?? [], { columns, eye, isOnlyHere })];
    }),
  );
}

/** How long an entry has been falling out: first it falls, then its room closes. */
function fallingMillis(removedMicros: number, eye: Eye): number {
  return eye.millisInto(removedMicros, FALL + CLOSE);
}

function columnsOf(cells: readonly Cell[], eye: Eye): readonly Column[] {
  const byTime = new Map<string, { opTime: OpTime; enteredMicros: number; goneMicros: number | undefined }>();
  for (const { entry, addedMicros, removedMicros } of cells) {
    const key = keyOf(entry.opTime);
    const found = byTime.get(key);
    const goneMicros =
      found && (found.goneMicros === undefined || removedMicros === undefined) ? undefined : removedMicros;
    byTime.set(key, {
      opTime: entry.opTime,
      enteredMicros: Math.min(found?.enteredMicros ?? addedMicros, addedMicros),
      goneMicros,
    });
  }
  const sorted = [...byTime.values()].sort((a, b) => compareOpTimes(a.opTime, b.opTime)).slice(-MOST);
  const parts = sorted.map(({ enteredMicros, goneMicros }) => {
    const closed = goneMicros === undefined ? 0 : Math.max(0, (fallingMillis(goneMicros, eye) - FALL) / CLOSE);
    return eye.eased(enteredMicros, SLIDE) * Math.max(0, 1 - closed);
  });
  // The newest ends at the right edge, once the strip is full.
  const width = parts.reduce((sum, part) => sum + part, 0);
  let x = Math.min(0, COLUMNS - width);
  return sorted.map(({ opTime, enteredMicros }, i) => {
    const part = parts[i]!;
    x += part;
    return { opTime, enteredMicros, x: x - part, part };
  });
}

interface Around {
  readonly columns: readonly Column[];
  readonly eye: Eye;
  readonly isOnlyHere: (opTime: OpTime) => boolean;
}

function stripOf(member: MemberAt, cells: readonly Cell[], { columns, eye, isOnlyHere }: Around): Strip {
  const { lastApplied, lastDurable, commitPoint, committed } = member;
  const edge = (opTime: OpTime | undefined) => edgeOf(columns, opTime);
  const from = edge(committed?.before);
  const majority = from + (edge(commitPoint) - from) * (committed ? eye.eased(committed.atMicros, SLIDE) : 1);
  const found = cells.flatMap((cell) => {
    const column = columns.find(({ opTime }) => sameOpTime(opTime, cell.entry.opTime));
    if (!column || column.x <= -1) return [];
    const isLone = cell.removal === undefined && isOnlyHere(column.opTime);
    return [{ ...stripCell(cell, column, member, eye), isOnlyHere: isLone }];
  });
  return {
    cells: found,
    applied: edge(lastApplied),
    durable: edge(lastDurable),
    majority,
    isBehind: found.length === 0 && cells.length > 0 && lacksLong(columns, eye),
  };
}

/** A batch pushes older entries out at once, and is on its way to the others: that is no news. Unit: µs. */
const LONG = 1e6;

function lacksLong(columns: readonly Column[], { atMicros }: Eye): boolean {
  return columns.some(({ x, enteredMicros }) => x > -1 && atMicros - enteredMicros >= LONG);
}

function stripCell(
  { entry, addedMicros, removedMicros }: Cell,
  column: Column,
  member: MemberAt,
  eye: Eye,
): Omit<StripCell, 'isOnlyHere'> {
  const { opTime } = entry;
  const isBefore = (mark: OpTime | undefined) => mark !== undefined && compareOpTimes(opTime, mark) <= 0;
  return {
    x: column.x,
    part: column.part,
    sign: signOf(entry),
    count: entry.operations.length,
    term: Math.max(0, opTime.t),
    stage: isBefore(member.commitPoint) ? 'majority' : isBefore(member.lastDurable) ? 'durable' : 'written',
    entered: eye.eased(addedMicros, SLIDE),
    fallen: removedMicros === undefined ? 0 : Math.min(1, fallingMillis(removedMicros, eye) / FALL),
  };
}

/** Where the newest column ends that is not behind an entry. */
function edgeOf(columns: readonly Column[], opTime: OpTime | undefined): number {
  const last = opTime && columns.findLast((column) => compareOpTimes(column.opTime, opTime) <= 0);
  return last ? Math.max(0, last.x + last.part) : 0;
}

const SIGNS: Readonly<Record<string, string>> = { i: '+', u: '~', d: '−', c: '', n: '' };

/** An `applyOps` has the sign of what it is made of. */
function signOf({ operations }: OplogEntry): string {
  return SIGNS[operations[0]?.op ?? 'n'] ?? '';
}

function keyOf({ ts, t }: OpTime): string {
  return `${ts.t} ${ts.i} ${t}`;
}
