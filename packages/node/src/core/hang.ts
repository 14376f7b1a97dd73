import { type Operation, pauseWhileSet, type Scheduler } from '@replsim/operations';
import type { FailPoints } from '@replsim/pipeline';
import type { FailPointName, LogComponent } from '@replsim/protocol';
import type { Core } from './core.ts';

/** The line by which a part says that it stands still, for the fail points that have one upstream. */
const LINES: Partial<Record<FailPointName, readonly [component: LogComponent, id: number]>> = {
  rollbackHangBeforeStart: ['REPL', 21101],
  rollbackHangAfterTransitionToRollback: ['ROLLBACK', 21591],
  pauseBatchApplicationAfterWritingOplogEntries: ['REPL', 21231],
  pauseBatchApplicationBeforeCompletion: ['REPL', 21232],
  hangBeforeRSTLOnDrainComplete: ['REPL', 4712800],
  hangBeforeReconfigOnDrainComplete: ['REPL', 5726200],
  hangAfterReconfigOnDrainComplete: ['REPL', 4508102],
  hangInWritingLastVoteForDryRun: ['ELECTION', 4825601],
  blockHeartbeatReconfigFinish: ['REPL_HB', 4615628],
  blockHeartbeatStepdown: ['REPL', 21479],
  stepdownHangBeforePerformingPostMemberStateUpdateActions: ['REPL', 21345],
  initialSyncHangBeforeChoosingSyncSource: ['INITSYNC', 5284800],
  initialSyncHangBeforeCreatingOplog: ['INITSYNC', 21170],
  initialSyncHangAfterGettingBeginFetchingTimestamp: ['INITSYNC', 21176],
  initialSyncHangBeforeSplittingControlFlow: ['INITSYNC', 5032000],
  initialSyncHangBeforeCopyingDatabases: ['INITSYNC', 21179],
  initialSyncHangDuringCollectionClone: ['INITSYNC', 21138],
  hangBeforeClonerStage: ['INITSYNC', 21070],
  hangAfterClonerStage: ['INITSYNC', 21071],
  initialSyncHangAfterDataCloning: ['INITSYNC', 21184],
  initialSyncHangBeforeFinish: ['INITSYNC', 21194],
  waitInHello: ['COMMAND', 5648903],
  hangDuringQuiesceMode: ['REPL', 4695101],
};

type PauseOptions = Parameters<typeof pauseWhileSet>[2];
type Concerns = Parameters<FailPoints['enter']>[1];

/**
 * An operation comes by a fail point: where it fires, it says so and stands still until it is off. An interruption is thrown
 * where it waits. Upstream: the common `if (fp.shouldFail()) { LOGV2(…); fp.pauseWhileSet(); }`.
 */
export function* hangAt(core: Core, name: FailPointName, options: PauseOptions = {}): Operation<void> {
  if (!comesBy(core, name, options.concerns)) return;
  yield* pauseWhileSet(core, name, options);
}

/**
 * The same for what is no operation.
 * @param desc the thread, for `currentOp`
 * @param then what follows: at once where the fail point does not fire, so that nothing changes for who sets none
 */
export function hangBefore(
  core: Core,
  scheduler: Scheduler,
  { name, desc }: { readonly name: FailPointName; readonly desc: string },
  then: () => void,
): void {
  if (!comesBy(core, name)) return then();
  const labels = { desc, ns: '', commandName: '', killable: 'never' } as const;
  scheduler.run(labels, pauseWhileSet(core, name), () => core.as(desc, then));
}

function comesBy(core: Core, name: FailPointName, concerns?: Concerns): boolean {
  const { failPoints } = core;
  if (!failPoints.areConfigured || !failPoints.enter(name, concerns)) return false;
  const line = LINES[name];
  if (line) core.log('I', ...line, `Standing still until the fail point ${name} is off`);
  return true;
}
