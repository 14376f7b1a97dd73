import { type Operation, spend } from '@replsim/operations';
import { fieldSet, parseCommitQuorum, type Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';

const fields = fieldSet('setIndexCommitQuorum', 'indexNames', 'commitQuorum');

/**
 * `{ setIndexCommitQuorum, indexNames: [name …], commitQuorum }`: changes who has to be ready before a running build is
 * committed. Errors: NamespaceNotFound 26, IndexNotFound 27 unless one build makes just these indexes, 278 and 79 for a
 * quorum that cannot be had, BadValue 2 from or to 0, CommandFailed 125 when it comes too late.
 * Upstream: set_index_commit_quorum_command.cpp.
 */
export const setIndexCommitQuorum: CommandDefinition = {
  name: 'setIndexCommitQuorum',
  help: 'sets which members must be ready before an index build is committed',
  auth: { action: 'createIndex', resource: 'collection' },
  api: 'none',
  ...ON_PRIMARY,
  run,
};

function* run({ args, data, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const names = args.strings('indexNames') ?? [];
  const quorum = parseCommitQuorum(args.value('commitQuorum') ?? args.missing('commitQuorum'));
  yield* spend(member.costs.commitMicros);
  const collection = data.collection(args.ns);
  if (!collection) throw new CommandError('NamespaceNotFound', `there is no collection '${args.ns}'`);
  member.indexBuilds.setCommitQuorum(collection, names, quorum);
  return {};
}
