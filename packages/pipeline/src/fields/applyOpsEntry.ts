import { CommandError } from '@replsim/protocol';
import { Fields } from './fields.ts';
import { uuidOf } from './sessionId.ts';

/** One entry that is to be applied. */
export interface AppliedEntry {
  readonly op: 'i' | 'u' | 'd' | 'c';
  readonly ns: string;
  /** The collection that is meant, where the entry says so. */
  readonly ui: Uint8Array | undefined;
  readonly o: Uint8Array;
  readonly o2: Uint8Array | undefined;
  /** An update that finds nothing inserts. */
  readonly upsert: boolean;
  /** The name of the command in an entry of kind `c`. */
  readonly command: string | undefined;
}

/** Kinds of entries that a mongod has for itself alone. Upstream: oplog_entry.idl, OpTypeEnum. */
const INTERNAL = ['xi', 'xd', 'km', 'ci', 'cd'];

/**
 * Reads an entry as a dump of an oplog holds it, `ts`, `t`, `wall` and `v` included.
 * Errors: IDLFailedToParse 40414, TypeMismatch 14, BadValue 2 for another kind, CommandNotSupported 115.
 * Upstream: oplog_entry.cpp, OplogEntry::parse and parseCommandType.
 */
export function readEntry(fields: Fields): AppliedEntry {
  fields.timestamp('ts');
  fields.int64('t');
  fields.int64('v');
  const op = fields.requiredString('op');
  if (INTERNAL.includes(op)) {
    throw new CommandError('CommandNotSupported', `replsim has no oplog entries of the kind '${op}'`);
  }
  if (op !== 'i' && op !== 'u' && op !== 'd' && op !== 'c') {
    throw new CommandError('BadValue', `Enumeration value '${op}' for field 'OplogEntryBase.op' is not a valid value.`);
  }
  const ui = fields.value('ui');
  const o = fields.requiredDocument('o');
  return {
    op,
    ns: fields.requiredString('ns'),
    ui: ui && uuidOf(ui, 'OplogEntryBase.ui'),
    o,
    o2: fields.document('o2'),
    upsert: fields.strictBool('b') ?? false,
    command: op === 'c' ? (new Fields(o, 'OplogEntryBase.o').names[0] ?? '') : undefined,
  };
}
