import {
  actionsOf,
  asWord,
  type FaultAction,
  type FaultDoor,
  type FaultKind,
  type FaultPath,
  isAction,
  isFault,
  type Target,
} from '@replsim/replset';
import type { Template } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Action } from '../scenario.ts';
import { parametersOf } from '../stage/parameters.ts';
import { withoutZones } from './withoutZones.ts';

/** A fault, for the members that are meant when it is its turn. */
export interface FaultStep extends Action {
  readonly fault: FaultKind;
  /** Of the fault's shape. */
  readonly input: unknown;
  /** The documents in it, by where they stand. */
  readonly documents: ReadonlyMap<string, Template>;
  /** The process must refuse to start. */
  readonly mustFail: boolean;
}

/** Reads a fault that the schema has found right. Who is meant only the run can tell; what cannot be meant is told now. */
export function readFault(reader: Reader, path: Path, fault: FaultKind, given: unknown): FaultStep {
  const input = withoutZones(reader, path, fault, given);
  const door = new FileDoor(reader, path);
  actionsOf(fault, input, door);
  return { kind: 'fault', fault, input, documents: door.documents, mustFail: claimsRefusal(input) };
}

/** Reads a fault that came from outside at an instant: all of its members are named. */
export function readFaultAt(reader: Reader, path: Path, fault: FaultKind, input: unknown): readonly FaultAction[] {
  if (hasError(input))
    reader.source.mistakeAtKey(path, 'error', 'a step with "at" expects nothing', 'leave "error" out');
  // Of what can stand beside `at` nothing is waited for.
  return actionsOf(fault, input, new RecordedDoor(reader, path)) as readonly FaultAction[];
}

/** Whether it can stand beside `at`: what has to be waited for in the middle comes as several. */
export function isInstant(kind: string): kind is FaultAction['type'] {
  return isFault(kind) && isAction(kind);
}

function hasError(input: unknown): input is { readonly error: boolean } {
  return typeof input === 'object' && input !== null && 'error' in input;
}

/** `error: true` of a start. */
function claimsRefusal(input: unknown): boolean {
  return hasError(input) && input.error;
}

/** A scenario's file, while it is read. */
class FileDoor implements FaultDoor {
  readonly takesOneSide: boolean = false;
  /** By where they stand. */
  readonly documents = new Map<string, Template>();
  protected readonly reader: Reader;
  readonly #path: Path;

  constructor(reader: Reader, path: Path) {
    this.reader = reader;
    this.#path = path;
  }

  protected at(at: FaultPath): Path {
    return [...this.#path, ...at];
  }

  members(at: FaultPath, target: Target): readonly string[] {
    return this.reader.target(this.at(at), target);
  }

  durationMs(at: FaultPath, given: string | number): number {
    return this.reader.duration(this.at(at), String(given)) / 1000;
  }

  document(at: FaultPath, given: Record<string, unknown>, _member: string): Readonly<Record<string, unknown>> {
    const key = documentKey(at);
    if (!this.documents.has(key)) this.documents.set(key, this.reader.template(this.at(at)));
    return given;
  }

  mistake(at: FaultPath, message: string, suggestion?: string): void {
    this.reader.source.mistakeAtPath(this.at(at), message, suggestion);
  }

  /** Words stand for themselves here. */
  nobody(): void {}
}

/** A recording's. */
class RecordedDoor extends FileDoor {
  // Those whom it does not name are the other.
  override readonly takesOneSide = true;

  override members(at: FaultPath, target: Target): readonly string[] {
    const names = [...this.reader.members.keys()];
    const found = super.members(at, target);
    const words = found.filter((each) => asWord(each, names) !== undefined);
    if (words.includes('all')) return names;
    for (const word of words) this.mistake(at, `a step with "at" names its members, and "${word}" is none`);
    return found;
  }

  override document(at: FaultPath): Readonly<Record<string, unknown>> {
    return parametersOf(this.reader.literal(this.at(at)));
  }
}

/** By what a step finds a document again when it is performed. */
export function documentKey(at: FaultPath): string {
  return at.join('.');
}
