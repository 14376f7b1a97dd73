import type { FsyncHost } from './fsyncHost.ts';

/** How often the log tells that nothing can be written. Upstream: FSyncLockThread::run. */
const REMINDER_MICROS = 60_000_000;

/** What the rest of a mongod learns when writes stop, or are free again. */
export function fsyncLockChanged(host: FsyncHost): void {
  const { core, fsyncLock, ttl } = host;
  const { isLocked } = fsyncLock;
  core.trace({ type: 'fsyncLockChanged', locked: isLocked });
  core.wake();
  ttl.memberChanged();
  if (isLocked) setReminder(host);
  else core.cancelTimer('fsyncLock');
}

function setReminder(host: FsyncHost): void {
  host.core.setTimer('fsyncLock', () => remind(host), REMINDER_MICROS);
}

function remind(host: FsyncHost): void {
  const lockCount = BigInt(host.fsyncLock.count);
  const msg = 'Nothing can be written while the instance is locked; remember to unlock it by fsyncUnlock';
  host.core.log('W', 'COMMAND', 20471, msg, { lockCount }, 'fsyncLockWorker');
  setReminder(host);
}
