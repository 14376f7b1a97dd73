import { encodeDocument, encodeName, findField } from '@replsim/protocol';
import { showValue } from '../file/show.ts';

/** The one document that a turn writes, and what it leaves there. */
export interface Written {
  readonly id: unknown;
  /** The `_id` as mongosh writes it. */
  readonly key: string;
  readonly value: string;
}

/** What an insert leaves in a history: a document is there, or it is not. */
const THERE = 'it';

type Fields = ReadonlyMap<string, unknown>;

/** @param field that the update sets; undefined for an insert */
export function writtenBy(command: Fields, field: string | undefined): Written {
  if (field === undefined) {
    const [document] = command.get('documents') as readonly Fields[];
    const id = document?.get('_id');
    return { id, key: textOf(id), value: THERE };
  }
  const [statement] = command.get('updates') as readonly Fields[];
  const id = fieldsOf(statement, 'q').get('_id');
  const set = fieldsOf(fieldsOf(statement, 'u'), '$set');
  return { id, key: textOf(id), value: textOf(set.get(field)) };
}

/** What a document that was read holds; undefined where there is none. */
export function heldBy(document: Uint8Array | undefined, field: string | undefined): string | undefined {
  if (!document || field === undefined) return document && THERE;
  const value = findField(document, encodeName(field));
  return value && showValue(value);
}

function fieldsOf(document: Fields | undefined, name: string): Fields {
  return document?.get(name) as Fields;
}

function textOf(value: unknown): string {
  const field = findField(encodeDocument({ v: value }), encodeName('v'));
  return field ? showValue(field) : '';
}
