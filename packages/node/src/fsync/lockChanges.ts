import type { Mongod } from '../mongod.ts';

/** How often the log tells that nothing can be written. Upstream: FSyncLockThread::run. */
const REMINDER_MICROS = 60_000_000;

/** What the rest of a mongod learns when writes stop, or are free again. */
export function fsyncLockChanged({ core, fsyncLock, ttl }: Mongod): void {
  const { isLocked } = fsyncLock;
  core.trace({ type: 'fsyncLockChanged', locked: isLocked });
  core.wake();
  ttl.memberChanged();
  if (isLocked) core.setTimer('fsyncLock', REMINDER_MICROS);
  else core.cancelTimer('fsyncLock');
}

/** The timer `fsyncLock`. */
export function remindOfFsyncLock({ core, fsyncLock }: Pick<Mongod, 'core' | 'fsyncLock'>): void {
  const lockCount = BigInt(fsyncLock.count);
  const msg = 'Nothing can be written while the instance is locked; remember to unlock it by fsyncUnlock';
  core.log('W', 'COMMAND', 20471, msg, { lockCount }, 'fsyncLockWorker');
  core.setTimer('fsyncLock', REMINDER_MICROS);
}
