import { EMPTY_LOG, holds } from './entries.ts';
import { cut, type Member, votersOf } from './members.ts';
import { steppedDown } from './roles.ts';
import { must, type Of, type Run } from './run.ts';

// What RaftMongo does not have: processes end and begin, and configs change.

export function started(run: Run, { member, mode, lastApplied, term }: Of<'processStarted'>): void {
  if (mode === 'standalone') return;
  const me = run.member(member);
  const log = run.entries.find(lastApplied);
  must(log !== undefined && holds(me.log, log), `its log came back with an end that it did not have`);
  if (log !== me.log) {
    run.count(log === EMPTY_LOG ? 'outside: emptied' : 'outside: crash');
    cut(me, log);
  }
  if (term < me.currentTerm || me.commitPoint !== EMPTY_LOG) run.count('outside: restart');
  me.currentTerm = term;
  me.commitPoint = EMPTY_LOG;
  me.received.clear();
  me.copying = false;
  me.stands = false;
}

export function stopped(run: Run, me: Member): void {
  if (me.state === 'Leader') steppedDown(run, me);
}

export function configInstalled(run: Run, { member, config }: Of<'configInstalled'>): void {
  const me = run.member(member);
  if (me.config !== undefined && votersOf(me.config).join() !== votersOf(config).join()) run.count('outside: reconfig');
  me.config = config;
}
