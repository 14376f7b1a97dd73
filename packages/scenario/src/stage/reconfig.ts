import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { compileUpdate } from '@replsim/query';
import { Int32 } from 'bson';
import { type Filling, fillFields } from '../file/placeholder.ts';
import type { ReconfigAction } from '../scenario.ts';
import { fill } from './secondaryOk.ts';
import { StepFailure } from './stepFailure.ts';

interface ConfigDocument {
  version: unknown;
  members: { _id: unknown; host: string }[];
}

/**
 * The `replSetReconfig` that changes a config as mongosh's helpers do: the given change, and the next version.
 * @param current a reply of `replSetGetConfig`
 * @throws StepFailure when the change does not fit the config
 */
export function newConfigCommand(current: Uint8Array, { change, force }: ReconfigAction, filling: Filling): Uint8Array {
  const config = decodeDocument(current).config as ConfigDocument;
  const changed = changeConfig(config, change, filling);
  // Upstream: mongosh's rs.reconfig, which counts on from the config that the server has.
  changed.version = new Int32(Number(config.version) + 1);
  return encodeDocument({ replSetReconfig: changed, ...(force && { force: true }), $db: 'admin' });
}

function changeConfig(config: ConfigDocument, change: ReconfigAction['change'], filling: Filling): ConfigDocument {
  if ('update' in change) {
    const update = compileUpdate(fill(change.update, filling), { nowMs: filling.nowMs });
    return decodeDocument(update.apply(encodeDocument(config)).document) as ConfigDocument;
  }
  const members = [...config.members];
  if ('add' in change) {
    const { host, fields } = change.add;
    const id = Math.max(-1, ...members.map(({ _id }) => Number(_id))) + 1;
    const member = new Map<string, unknown>([['_id', new Int32(id)], ['host', host], ...fillFields(fields, filling)]);
    return { ...config, members: [...members, member as unknown as ConfigDocument['members'][number]] };
  }
  const left = members.filter(({ host }) => host !== change.remove);
  if (left.length === members.length)
    throw new StepFailure(
      `a config without ${change.remove}`,
      `it is not in the config, which has ${members.map(({ host }) => host).join(', ')}`,
    );
  return { ...config, members: left };
}
