import { on } from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import {
  checkCreatableName,
  checkWritableName,
  fieldSet,
  type Reply,
  sizeOfCopy,
  viewDefinition,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { cappedCopyOptions, convertibleSource, newestWithin } from './convertToCapped.ts';

const fields = fieldSet('cloneCollectionAsCapped', 'toCollection', 'size', 'temp');

/**
 * `{ cloneCollectionAsCapped, toCollection, size }`: the newest documents that fit, in a new capped collection of the same
 * database; indexes do not come along. Errors: NamespaceNotFound 26, NamespaceExists 48, 40414, those of `sizeOfCopy`.
 * Upstream: clone_collection_as_capped in collection_to_capped.cpp.
 */
export const cloneCollectionAsCapped: CommandDefinition = {
  name: 'cloneCollectionAsCapped',
  help: 'copies the newest documents of a collection into a new capped one',
  auth: ({ args }) => [
    ...on(args.ns, 'find'),
    ...on(`${args.db}.${args.requiredString('toCollection')}`, 'insert', 'createIndex', 'convertToCapped'),
  ],
  api: 'none',
  ...ON_PRIMARY,
  run,
};

function* run({ args, data, member, writes }: CommandContext<MemberFacts>): Operation<Reply> {
  args.allow(fields);
  const { db, ns } = args;
  const name = args.requiredString('toCollection');
  checkWritableName(db, name);
  checkCreatableName(db, name);
  const size = sizeOfCopy(args, member.traits);
  const target = `${db}.${name}`;
  const { commitMicros, insertMicros } = member.costs;
  const { count } = sourceFor(data, ns, target);
  yield* spend(commitMicros + count * insertMicros);
  // Time has passed: others may have got here first.
  const source = sourceFor(data, ns, target);
  writes.createCollection(target, cappedCopyOptions(source.options, size));
  writes.insert(target, newestWithin(source, size));
  return {};
}

function sourceFor(data: ReadView, ns: string, target: string): CollectionView {
  const source = convertibleSource(data, ns);
  if (data.collection(target) || viewDefinition(data, target)) {
    throw new CommandError('NamespaceExists', `the target ${target} exists already`);
  }
  return source;
}
