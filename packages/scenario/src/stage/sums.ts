import { decodeFields } from '@replsim/protocol';
import { firstBatch } from './answers.ts';

const COMES_TO = new Set(['sum']);

/** The stages of a pipeline that adds up a field, of those documents that have a number there. */
export function summing(field: string): readonly ReadonlyMap<string, unknown>[] {
  return [
    new Map([['$match', new Map([[field, new Map([['$type', 'number']])]])]]),
    new Map([
      [
        '$group',
        new Map<string, unknown>([
          ['_id', null],
          ['sum', new Map([['$sum', `$${field}`]])],
        ]),
      ],
    ]),
  ];
}

/** What `summing` came to; undefined where no document has a number there. */
export function sumIn(reply: Uint8Array): number | undefined {
  const [group] = firstBatch(reply);
  return group && Number(decodeFields(group, COMES_TO).sum);
}
