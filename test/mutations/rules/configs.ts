import type { MutatedRule } from './mutatedRule.ts';

const COMMITMENT = {
  file: 'packages/node/src/config/commitment.ts',
  test: 'packages/node/test/config/commitment.test.ts',
};
const QUORUM = { file: 'packages/node/src/config/quorum.ts', test: 'packages/node/test/config/quorum.test.ts' };
const RECONFIG = {
  file: 'packages/node/src/config/reconfig.ts',
  test: 'packages/node/test/onSets/replCommands/configCommands.test.ts',
};

export const configRules: readonly MutatedRule[] = [
  {
    ...COMMITMENT,
    from: 'votes === 1 && sameConfigVersion',
    to: 'sameConfigVersion',
    why: 'only voters have to have a config before the next',
  },
  {
    ...COMMITMENT,
    from: 'return having.length >= configCommitmentCount(config, quirk);',
    to: 'return having.length + 1 >= configCommitmentCount(config, quirk);',
    why: 'a majority has the config, not one less',
  },
  {
    ...COMMITMENT,
    from: 'votes === 1 && !arbiterOnly && compareOpTimes',
    to: 'votes === 1 && compareOpTimes',
    why: 'an arbiter holds no entry',
  },
  {
    ...COMMITMENT,
    from: 'return term !== -1 && version !== 1;',
    to: 'return term !== -1;',
    why: 'before the first config nothing can be committed',
  },
  {
    ...QUORUM,
    from: 'if (theirId !== undefined && theirId !== config.settings.replicaSetId) {',
    to: 'if (false) {',
    why: 'a member of another set is not taken in',
  },
  {
    ...QUORUM,
    from: 'if (theirs.version > 0 && !isNewerConfig(config, theirs)) {',
    to: 'if (false) {',
    why: 'a member that has a newer config vetoes',
  },
  {
    ...QUORUM,
    from: 'if (!present.some(isElectable)) {',
    to: 'if (false) {',
    why: 'somebody electable has to answer',
  },
  {
    ...QUORUM,
    from: 'if (voters.length >= needed) return undefined;',
    to: 'if (voters.length >= 1) return undefined;',
    why: 'a majority of the new config has to answer',
  },
  {
    ...QUORUM,
    from: 'if (answer.ok === 1 && answer.hasData) {',
    to: 'if (false) {',
    why: 'no set is initiated over data',
  },
  {
    ...RECONFIG,
    from: 'if (isSafe) checkCommitted(host);',
    to: '',
    test: 'packages/node/test/config/committedFirst.test.ts',
    why: 'the config before has to be committed first',
  },
  {
    ...RECONFIG,
    from: 'if (!needsOplogCommitment(config) || configuration.commitment.isOplogCommitted()) return;',
    to: 'return;',
    test: 'packages/node/test/config/committedFirst.test.ts',
    why: 'what was committed before has to be committed under the present config',
  },
  {
    ...RECONFIG,
    from: 'if (!force && !isElectable(self)) {',
    to: 'if (false) {',
    why: 'a primary does not make itself unelectable',
  },
  {
    ...RECONFIG,
    from: 'const config = makeConfig(old, isSafe ? topology.term : UNINITIALIZED_TERM);',
    to: 'const config = makeConfig(old, topology.term);',
    why: 'a forced config has no term',
  },
  {
    ...RECONFIG,
    from: "if (!stored) configuration.send({ type: 'refused' });",
    to: '',
    why: 'a reconfig that is refused does not bar the next',
  },
];
